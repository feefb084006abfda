package dev.damask.database;

import dev.damask.database.TableData.Version;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Statements that change rows, with the waits and conflicts that PostgreSQL has.
final class RowEdits {
  private final StatementRun run;
  private final Backend backend;
  private final Transactions transactions;

  RowEdits(StatementRun run) {
    this.run = run;
    this.backend = run.backend();
    this.transactions = run.database().transactions();
  }

  /// The changed rows.
  ///
  /// @param returned what `returning` asks for
  record Result(int count, List<@Nullable Object[]> returned) {
    /// What the client receives.
    Backend.Result told(List<Sql.Item> returning) {
      return returning.isEmpty()
          ? new Backend.Result(count, null)
          : new Backend.Result(-1, returned);
    }
  }

  /// A row that a statement will change, with the rows of the other sources.
  private record Found(List<Scope.Bound> others, Version version) {}

  Result update(Sql.Update update) {
    TableData table = run.table(update.target().table());
    List<@Nullable Object[]> returned = new ArrayList<>();
    int count = 0;
    List<Found> all = find(update.target());
    for (Found each : all) {
      backend.breathe(all.size());
      Scope scope = scope(each);
      Version version = lock(each.version, scope, update.target(), table);
      if (version != null) {
        @Nullable Object[] values = version.values.clone();
        for (Sql.Assignment assignment : update.assignments()) {
          values[table.column(assignment.column())] = assignment.value().eval(scope);
        }
        Version next = replace(table, version, values);
        scope.bound.getLast().row = next.values;
        count++;
        if (!update.returning().isEmpty()) {
          returned.add(Queries.row(update.returning(), scope));
        }
      }
    }
    table.vacuum(transactions);
    return new Result(count, returned);
  }

  Result delete(Sql.Delete delete) {
    TableData table = run.table(delete.target().table());
    List<@Nullable Object[]> returned = new ArrayList<>();
    int count = 0;
    List<Found> all = find(delete.target());
    for (Found each : all) {
      backend.breathe(all.size());
      Scope scope = scope(each);
      Version version = lock(each.version, scope, delete.target(), table);
      if (version != null) {
        remove(table, version);
        version.next = null;
        backend.wrote(table, version, true);
        count++;
        if (!delete.returning().isEmpty()) {
          returned.add(Queries.row(delete.returning(), scope));
        }
      }
    }
    table.vacuum(transactions);
    return new Result(count, returned);
  }

  private List<Found> find(Sql.Target target) {
    List<Found> found = new ArrayList<>();
    run.queries()
        .each(
            target.rows(),
            new Scope(run, null),
            scope -> {
              List<Scope.Bound> others = new ArrayList<>();
              Version version = null;
              for (Scope.Bound each : scope.bound) {
                Scope.Bound copy = new Scope.Bound(each.alias, each.columns);
                copy.row = each.row;
                if (each.alias.equals(target.alias())) {
                  version = each.version;
                } else {
                  others.add(copy);
                }
              }
              found.add(new Found(others, Objects.requireNonNull(version)));
              return true;
            });
    return found;
  }

  private Scope scope(Found found) {
    Scope scope = new Scope(run, null);
    scope.bound.addAll(found.others);
    return scope;
  }

  /// Waits until a row may be changed. Returns null if it is gone or no longer fits. Binds the row
  /// as the last one of the scope.
  private @Nullable Version lock(Version found, Scope scope, Sql.Target target, TableData table) {
    Scope.Bound bound = new Scope.Bound(target.alias(), table.columns);
    scope.bound.add(bound);
    Version version = latest(found, table);
    if (version == null) {
      return null;
    }
    bound.row = version.values;
    boolean isChanged = version != found;
    Expr where = target.rows().where;
    boolean fits = !isChanged || where == null || where.isTrue(scope);
    return fits ? version : null;
  }

  /// Waits until no other session changes a row. Returns its last version, or null if it is gone.
  private @Nullable Version latest(Version found, TableData table) {
    Version version = found;
    while (true) {
      long remover = version.removed;
      if (remover == 0 || transactions.isAborted(remover)) {
        if (!isLocked(version)) {
          return version;
        }
        backend.awaitRow(version.locker, rowOf(table, version));
        continue;
      }
      if (remover == backend.transaction()) {
        return null; // this statement has changed it already
      }
      if (transactions.isRunning(remover)) {
        backend.awaitRow(remover, rowOf(table, version));
        continue;
      }
      if (backend.isRepeatable()) {
        throw new SqlError(
            SqlError.SERIALIZATION, "could not serialize access due to concurrent update");
      }
      if (version.next == null) {
        return null;
      }
      version = version.next;
    }
  }

  private boolean isLocked(Version version) {
    return version.locker != backend.transaction() && transactions.isRunning(version.locker);
  }

  private static List<Object> rowOf(TableData table, Version version) {
    List<Object> row = new ArrayList<>(List.of(table.name));
    table.key.forEach(each -> row.add(Objects.requireNonNull(version.values[table.column(each)])));
    return row;
  }

  private Version replace(TableData table, Version old, @Nullable Object[] values) {
    remove(table, old);
    Version next = new Version(values, backend.writer(table), run.command());
    old.next = next;
    table.add(next);
    backend.wrote(table, next, false);
    return next;
  }

  private void remove(TableData table, Version old) {
    old.removed = backend.writer(table);
    old.removedAt = run.command();
    table.removed();
  }

  Result insert(Sql.Insert insert) {
    TableData table = run.table(insert.table());
    int[] targets = insert.columns().stream().mapToInt(table::column).toArray();
    List<@Nullable Object[]> returned = new ArrayList<>();
    int count = 0;
    List<@Nullable Object[]> rows = run.queries().select(insert.rows(), null, Integer.MAX_VALUE);
    for (@Nullable Object[] row : rows) {
      @Nullable Object[] values = defaults(table);
      for (int i = 0; i < targets.length; i++) {
        values[targets[i]] = row[i];
      }
      backend.breathe(rows.size());
      Version written = insert(insert, table, values);
      if (written != null) {
        count++;
        if (!insert.returning().isEmpty()) {
          Scope scope = new Scope(run, null);
          Scope.Bound bound = new Scope.Bound(insert.alias(), table.columns);
          bound.row = written.values;
          scope.bound.add(bound);
          returned.add(Queries.row(insert.returning(), scope));
        }
      }
    }
    table.vacuum(transactions);
    return new Result(count, returned);
  }

  private @Nullable Object[] defaults(TableData table) {
    @Nullable Object[] values = new Object[table.columns.size()];
    for (Map.Entry<String, Expr> each : table.defaults.entrySet()) {
      int at = table.column(each.getKey());
      values[at] =
          each.getValue() == Sql.IDENTITY
              ? (Object) table.nextNumber()
              : each.getValue().eval(new Scope(run, null));
    }
    return values;
  }

  private @Nullable Version insert(Sql.Insert insert, TableData table, @Nullable Object[] values) {
    Version existing = table.key.isEmpty() ? null : existing(table, values);
    Sql.Conflict conflict = insert.conflict();
    if (existing == null) {
      Version added = new Version(values, backend.writer(table), run.command());
      table.add(added);
      backend.wrote(table, added, false);
      return added;
    }
    if (conflict == null) {
      throw new SqlError(SqlError.UNIQUE, "duplicate key in table " + table.name);
    }
    if (backend.isRepeatable() && !run.sees(existing)) {
      throw new SqlError(
          SqlError.SERIALIZATION, "could not serialize access due to concurrent update");
    }
    if (conflict.assignments().isEmpty()) {
      return null;
    }
    if (isLocked(existing)) {
      backend.awaitRow(existing.locker, rowOf(table, existing));
      return insert(insert, table, values);
    }
    return merge(insert, table, values, existing);
  }

  private @Nullable Version merge(
      Sql.Insert insert, TableData table, @Nullable Object[] values, Version existing) {
    if (existing.created == backend.transaction() && existing.createdAt == run.command()) {
      throw new SqlError("21000", "a row of table " + table.name + " would change twice");
    }
    Sql.Conflict conflict = Objects.requireNonNull(insert.conflict());
    Scope scope = new Scope(run, null);
    Scope.Bound own = new Scope.Bound(insert.alias(), table.columns);
    own.row = existing.values;
    Scope.Bound excluded = new Scope.Bound("excluded", table.columns);
    excluded.row = values;
    scope.bound.addAll(List.of(own, excluded));
    if (conflict.where() != null && !conflict.where().isTrue(scope)) {
      existing.locker = backend.writer(table); // the row is locked all the same
      return null;
    }
    @Nullable Object[] merged = existing.values.clone();
    for (Sql.Assignment assignment : conflict.assignments()) {
      merged[table.column(assignment.column())] = assignment.value().eval(scope);
    }
    return replace(table, existing, merged);
  }

  /// Returns the row with the same key, after waiting for those who insert or remove it.
  private @Nullable Version existing(TableData table, @Nullable Object[] values) {
    int[] key = table.key.stream().mapToInt(table::column).toArray();
    while (true) {
      long awaited = 0;
      for (Version each : table.with(key[0], values[key[0]])) {
        if (!isSame(key, each.values, values) || transactions.isAborted(each.created)) {
          continue;
        }
        boolean isOwn = each.created == backend.transaction();
        if (!isOwn && transactions.isRunning(each.created)) {
          awaited = each.created;
          break;
        }
        long remover = each.removed;
        if (remover == 0 || transactions.isAborted(remover)) {
          return each;
        }
        if (remover != backend.transaction() && transactions.isRunning(remover)) {
          awaited = remover;
          break;
        }
      }
      if (awaited == 0) {
        return null;
      }
      backend.awaitEnd(awaited);
    }
  }

  private static boolean isSame(int[] key, @Nullable Object[] left, @Nullable Object[] right) {
    return Arrays.stream(key).allMatch(at -> Objects.equals(left[at], right[at]));
  }
}
