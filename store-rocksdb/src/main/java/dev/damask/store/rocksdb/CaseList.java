package dev.damask.store.rocksdb;

import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.EndCursor;
import dev.damask.store.QueryWalk;
import dev.damask.store.Store;
import dev.damask.value.Decoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksIterator;

/// Reads pages of cases from the index by status, start time and id, or from the one by workflow. A
/// case that cannot be read is listed as corrupt at its place in the index.
final class CaseList {
  private CaseList() {}

  /// Walks the keys with a prefix until a predicate returns false.
  interface Walk {
    void run(byte[] prefix, byte[] from, Predicate<RocksIterator> action);
  }

  /// The first ids after another one that begin with a prefix. Values are not read.
  static List<String> ids(Walk walk, String prefix, String after, int limit) {
    List<String> ids = new ArrayList<>();
    byte[] first = Keys.caseOf(prefix);
    byte[] last = Keys.caseOf(after);
    byte[] from = Arrays.compareUnsigned(last, first) > 0 ? last : first;
    walk.run(
        first,
        from,
        at -> {
          String id = Keys.idOf(at.key());
          return id.equals(after) || (ids.add(id) && ids.size() < limit);
        });
    return ids;
  }

  static CasePage read(
      Verification.Scan scan, Function<String, Optional<CaseRecord>> load, CaseQuery query) {
    List<CaseRecord> page = new ArrayList<>();
    String[] last = {"", ""}; // the cursor of the last case on the page, and of the page after it
    byte[] prefix = prefix(query);
    byte[] from = query.after().isEmpty() ? prefix : key(query, query.after());
    scan.over(
        prefix,
        from,
        (found, _) -> {
          byte[] key = found[0] == Keys.LISTED ? Keys.statusOf(found) : found;
          CaseRecord record = loadOrCorrupt(load, key);
          String cursor = cursor(key);
          if (record == null || !query.filter().test(record) || cursor.equals(query.after())) {
            return true;
          }
          if (page.size() == query.limit()) {
            last[1] = last[0];
            return false;
          }
          last[0] = cursor;
          return page.add(record);
        });
    return new CasePage(page, last[1]);
  }

  /// Both indexes have the order of the list. A corrupt case is at the place of its last status.
  private static byte[] prefix(CaseQuery query) {
    byte[] all =
        query.workflow() == null ? new byte[] {Keys.STATUS} : Keys.listed(query.workflow());
    CaseStatus status = query.status();
    if (status == null || status == CaseStatus.CORRUPT) {
      return all;
    }
    byte[] prefix = Arrays.copyOf(all, all.length + 1);
    prefix[all.length] = (byte) status.number();
    return prefix;
  }

  /// Returns the cases that have ended after a cursor.
  static List<Store.EndedCase> ended(Verification.Scan scan, String after, int limit) {
    List<Store.EndedCase> page = new ArrayList<>();
    scan.over(
        new byte[] {Keys.ENDED},
        Keys.ended(EndCursor.number(after) + 1),
        (key, value) -> {
          String cursor = EndCursor.of(Keys.numberOfEnded(key));
          page.add(new Store.EndedCase(cursor, new String(value, StandardCharsets.UTF_8)));
          return page.size() < limit;
        });
    return page;
  }

  /// Returns a page of a query with conditions.
  ///
  /// @param shown adds the way to the state to a record
  static CasePage find(StoreSnapshot store, UnaryOperator<CaseRecord> shown, CaseQuery query) {
    return QueryWalk.page(new FactKeys.Index(store), id -> readable(store, id).map(shown), query);
  }

  /// Returns the record of a case; empty if it cannot be read.
  private static Optional<CaseRecord> readable(StoreSnapshot store, String caseId) {
    byte[] bytes = store.get(Keys.caseOf(caseId));
    try {
      return bytes == null
          ? Optional.empty()
          : Optional.of(StateChain.decode(store::get, caseId, bytes).record());
    } catch (Decoder.DamagedBytes e) {
      return Optional.empty();
    }
  }

  private static @Nullable CaseRecord loadOrCorrupt(
      Function<String, Optional<CaseRecord>> load, byte[] key) {
    String caseId = Keys.caseOfStatus(key);
    try {
      return load.apply(caseId).orElse(null);
    } catch (CorruptCaseException e) {
      String evidence = String.valueOf(e.getMessage());
      return CaseRecord.corrupt(caseId, Keys.startedOfStatus(key), evidence);
    }
  }

  /// Returns the cursor of a case, which is its index key and does not depend on its record.
  private static String cursor(byte[] key) {
    CaseStatus status = CaseStatus.byNumber().get(key[1]);
    return CaseQuery.cursor(status, Keys.startedOfStatus(key), Keys.caseOfStatus(key));
  }

  private static byte[] key(CaseQuery query, String cursor) {
    String[] parts = cursor.split(" ", 3);
    if (parts.length != 3) {
      throw new IllegalArgumentException("not a valid list cursor: '" + cursor + "'");
    }
    int status = Integer.parseInt(parts[0]);
    long started = Long.parseUnsignedLong(parts[1], 16);
    return query.workflow() == null
        ? Keys.status(status, started, parts[2])
        : Keys.listed(query.workflow(), status, started, parts[2]);
  }
}
