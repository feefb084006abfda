package dev.damask.store;

import dev.damask.value.Bytes;
import java.util.ArrayList;
import java.util.List;

/// The audit log of a store that one engine writes: rows of its [Table] in the order of the
/// commits.
public final class AuditRows {
  /// The kind of the rows. The key of a row is its number with 19 digits.
  public static final String KIND = "audit";

  private AuditRows() {}

  /// Returns the row of an entry.
  ///
  /// @param number greater than those of all entries before
  public static RowChange put(long number, AuditEntry entry) {
    return new RowChange.Put(new TableRow(KIND, key(number), 1, Bytes.of(entry.encode())));
  }

  private static String key(long number) {
    return "%019d".formatted(number);
  }

  /// Returns the removals of the oldest entries that were written before a time. The newest entry
  /// stays: the next one gets a greater number.
  static List<RowChange> before(Table table, long beforeMillis, int limit) {
    List<TableRow> rows = table.rows(KIND, null, limit + 1);
    List<RowChange> gone = new ArrayList<>();
    for (int i = 0; i + 1 < rows.size(); i++) {
      if (AuditEntry.decode(rows.get(i).value().toArray()).atMillis() >= beforeMillis) {
        break;
      }
      gone.add(new RowChange.Remove(rows.get(i)));
    }
    return gone;
  }

  /// Returns the entries after a cursor, the oldest first. Throws `IllegalArgumentException` if it
  /// is not a cursor.
  static List<AuditRecord> list(Table table, String after, int limit) {
    if (!after.isEmpty() && !after.matches("[0-9]{19}")) {
      throw new IllegalArgumentException("not a cursor of the audit log: '" + after + "'");
    }
    TableRow last = after.isEmpty() ? null : new TableRow(KIND, after, 1, Bytes.of());
    return table.rows(KIND, last, limit).stream()
        .map(row -> new AuditRecord(row.key(), AuditEntry.decode(row.value().toArray())))
        .toList();
  }
}
