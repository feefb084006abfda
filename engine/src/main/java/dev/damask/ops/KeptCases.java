package dev.damask.ops;

import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Cases that retention never removes: the last session of each owner, and the registry cases of a
/// store of format 4, which are copied to the table when sessions are first opened on it.
public final class KeptCases {
  /// The prefix of the ids of registry cases.
  public static final String REGISTRY = "registry:";

  /// The prefix of the ids of sessions; the number of the session follows the last colon.
  public static final String SESSION = "session:";

  /// The kind of the table's rows of sessions. The key of a row is the part of the case id that
  /// names the owner, its version is the number of the session.
  public static final String SESSION_ROW = "session";

  /// The kind of the table's rows of processes. The key of a row is the case id, or the case id and
  /// [#TOKENS].
  public static final String PROCESS_ROW = "process";

  /// Follows the case id in the keys of the rows that belong to tokens of processes.
  public static final String TOKENS = "/tokens";

  private static final Pattern NUMBERED =
      Pattern.compile(SESSION + "(.*):([0-9]{1,18})", Pattern.DOTALL);

  private KeptCases() {}

  /// Whether a case belongs to an orchestration, whose programs come from its registry.
  public static boolean isOfOrchestration(String caseId) {
    return caseId.startsWith(REGISTRY) || caseId.startsWith(SESSION);
  }

  /// Whether rows that are written with the start of a case are those of a session with its id.
  public static boolean isSessionStart(String caseId, List<RowChange> rows) {
    return rows.stream()
        .filter(change -> change instanceof RowChange.Put)
        .map(RowChange::row)
        .anyMatch(row ->
            row.kind().equals(SESSION_ROW)
                && caseId.equals(SESSION + row.key() + ":" + row.version()));
  }

  /// Whether a case has to stay: the last session of each owner does.
  public static boolean contains(Store store, String caseId) {
    if (caseId.startsWith(REGISTRY)) {
      return true; // of a store of format 4 that no sessions were opened on since
    }
    Matcher numbered = NUMBERED.matcher(caseId);
    return numbered.matches()
        && last(store, numbered.group(1)) <= Long.parseLong(numbered.group(2));
  }

  /// Returns the changes of the table that belong to the removal of a case: the row of a session is
  /// removed unless it is the last one of its owner, which keeps the number from being reused. The
  /// incidents of a case that cannot be read are removed as well.
  public static List<RowChange> rowsRemovedWith(Store store, String caseId) {
    List<RowChange> rows = new ArrayList<>(IncidentRows.removedWith(store, caseId));
    rows.addAll(TaskRows.removedWith(store, caseId));
    rows.addAll(sessionRows(store, caseId));
    if (caseId.startsWith(SESSION)) {
      for (String key : List.of(caseId, caseId + TOKENS)) {
        store.table().versions(PROCESS_ROW, key, Integer.MAX_VALUE).stream()
            .map(RowChange.Remove::new)
            .forEach(rows::add);
      }
    }
    return rows;
  }

  private static List<RowChange> sessionRows(Store store, String caseId) {
    Matcher numbered = NUMBERED.matcher(caseId);
    if (!numbered.matches()) {
      return List.of();
    }
    String owner = numbered.group(1);
    long number = Long.parseLong(numbered.group(2));
    return number >= last(store, owner)
        ? List.of()
        : store.table().find(SESSION_ROW, owner, number).stream()
            .<RowChange>map(RowChange.Remove::new)
            .toList();
  }

  private static long last(Store store, String owner) {
    return store.table().latest(SESSION_ROW, owner).map(TableRow::version).orElse(0L);
  }
}
