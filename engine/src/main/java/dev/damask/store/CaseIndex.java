package dev.damask.store;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The cases of a [MemoryStore] in the order of [CaseQuery]: by status, start and id. A page costs
/// what it reads, however many cases there are.
final class CaseIndex {
  private static final Pattern CURSOR =
      Pattern.compile("([0-7]) ([0-9a-f]{16}) (.*)", Pattern.DOTALL);

  /// The place of a case in the order.
  private record Position(CaseStatus status, long startedMillis, String caseId) {
    /// Before every case.
    static final Position FIRST = new Position(CaseStatus.byNumber().getFirst(), 0, "");

    static Position of(String cursor) {
      if (cursor.isEmpty()) {
        return FIRST;
      }
      Matcher parts = CURSOR.matcher(cursor);
      if (!parts.matches()) {
        throw new IllegalArgumentException("not a valid list cursor: '" + cursor + "'");
      }
      return new Position(
          CaseStatus.byNumber().get(Integer.parseInt(parts.group(1))),
          Long.parseUnsignedLong(parts.group(2), 16),
          parts.group(3));
    }
  }

  // Cursors contain times as unsigned numbers.
  private final Map<CaseStatus, TreeMap<Long, TreeSet<String>>> byStatus =
      new EnumMap<>(CaseStatus.class);

  /// Notes the next revision of a case.
  ///
  /// @param before null for a new case
  void put(@Nullable CaseRecord before, CaseRecord after) {
    if (before != null) {
      if (before.status() == after.status() && before.startedMillis() == after.startedMillis()) {
        return;
      }
      remove(before);
    }
    byStatus
        .computeIfAbsent(after.status(), _ -> new TreeMap<>(Long::compareUnsigned))
        .computeIfAbsent(after.startedMillis(), _ -> new TreeSet<>())
        .add(after.caseId());
  }

  void remove(CaseRecord record) {
    TreeMap<Long, TreeSet<String>> byStart = byStatus.get(record.status());
    TreeSet<String> cases = byStart == null ? null : byStart.get(record.startedMillis());
    if (byStart != null && cases != null) {
      cases.remove(record.caseId());
      if (cases.isEmpty()) {
        byStart.remove(record.startedMillis());
      }
    }
  }

  /// Returns one page.
  ///
  /// @param record returns the record of a case without reading its state
  CasePage page(CaseQuery query, Function<String, CaseRecord> record) {
    Position after = Position.of(query.after());
    List<CaseRecord> found = new ArrayList<>();
    List<CaseStatus> all = CaseStatus.byNumber();
    for (CaseStatus status : all.subList(after.status.number(), all.size())) {
      TreeMap<Long, TreeSet<String>> byStart = byStatus.get(status);
      if (byStart == null || (query.status() != null && query.status() != status)) {
        continue;
      }
      boolean isFirst = status == after.status;
      if (!collect(query, isFirst ? after : null, byStart, found, record)) {
        break;
      }
    }
    boolean isLast = found.size() <= query.limit();
    List<CaseRecord> page = isLast ? found : found.subList(0, query.limit());
    return new CasePage(page, isLast ? "" : cursor(page.getLast()));
  }

  private static String cursor(CaseRecord record) {
    return CaseQuery.cursor(record.status(), record.startedMillis(), record.caseId());
  }

  /// Adds the cases of one status; false when there is one more than the page takes.
  ///
  /// @param after null to begin with the first case of the status
  private static boolean collect(
      CaseQuery query,
      @Nullable Position after,
      TreeMap<Long, TreeSet<String>> byStart,
      List<CaseRecord> found,
      Function<String, CaseRecord> record) {
    NavigableMap<Long, TreeSet<String>> rest =
        after == null ? byStart : byStart.tailMap(after.startedMillis, true);
    for (var cases : rest.entrySet()) {
      long started = cases.getKey();
      if (started < query.fromMillis() || started >= query.untilMillis()) {
        continue;
      }
      NavigableSet<String> ids = cases.getValue();
      if (after != null && started == after.startedMillis) {
        ids = ids.tailSet(after.caseId, false);
      }
      for (String id : ids) {
        CaseRecord each = record.apply(id);
        if (query.filter().test(each)) {
          found.add(each);
        }
        if (found.size() > query.limit()) {
          return false;
        }
      }
    }
    return true;
  }
}
