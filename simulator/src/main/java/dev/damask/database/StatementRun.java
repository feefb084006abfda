package dev.damask.database;

import dev.damask.database.TableData.Version;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One statement of a backend: its snapshot, its parameters and the results of its `with` parts.
final class StatementRun {
  /// Rows with names.
  record Relation(List<String> columns, List<@Nullable Object[]> rows) {}

  private final Backend backend;
  private final Transactions.Snapshot snapshot;
  private final int command;
  private final List<@Nullable Object> parameters;
  private final Queries queries = new Queries(this);
  final Map<String, Relation> commons = new HashMap<>();

  StatementRun(
      Backend backend,
      Transactions.Snapshot snapshot,
      int command,
      List<@Nullable Object> parameters) {
    this.backend = backend;
    this.snapshot = snapshot;
    this.command = command;
    this.parameters = parameters;
  }

  Backend backend() {
    return backend;
  }

  VirtualDatabase database() {
    return backend.database();
  }

  Queries queries() {
    return queries;
  }

  Transactions.Snapshot snapshot() {
    return snapshot;
  }

  int command() {
    return command;
  }

  @Nullable Object parameter(int index) {
    return parameters.get(index);
  }

  /// Returns whether this statement sees a version.
  boolean sees(Version version) {
    return wasDone(version.created, version.createdAt)
        && !(version.removed > 0 && wasDone(version.removed, version.removedAt));
  }

  private boolean wasDone(long transaction, int at) {
    return transaction == backend.transaction()
        ? at < command
        : database().transactions().isSeen(transaction, snapshot);
  }

  TableData table(String name) {
    TableData table = database().tables().get(name);
    if (table == null) {
      throw new SqlError(SqlError.NO_TABLE, "there is no table " + name);
    }
    return Objects.requireNonNull(table);
  }
}
