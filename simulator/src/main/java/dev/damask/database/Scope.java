package dev.damask.database;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The rows that names of an expression mean.
final class Scope {
  /// A row under an alias.
  static final class Bound {
    final String alias;
    final List<String> columns;
    @Nullable Object[] row = {}; // of the present step of a query
    TableData.@Nullable Version version; // null unless it is a row of a table

    Bound(String alias, List<String> columns) {
      this.alias = alias;
      this.columns = columns;
    }
  }

  private final StatementRun run;
  private final @Nullable Scope outer;
  final List<Bound> bound = new ArrayList<>();
  private final Map<Expr.Aggregate, List<@Nullable Object>> collected = new HashMap<>();

  Scope(StatementRun run, @Nullable Scope outer) {
    this.run = run;
    this.outer = outer;
  }

  StatementRun run() {
    return run;
  }

  @SuppressWarnings("ReferenceEquality") // the scanner interns names
  @Nullable Object column(@Nullable String alias, String name) {
    for (Scope scope = this; scope != null; scope = scope.outer) {
      for (Bound each : scope.bound) {
        if (alias == null || alias == each.alias) {
          for (int i = 0; i < each.columns.size(); i++) {
            if (each.columns.get(i) == name) {
              return each.row[i];
            }
          }
        }
      }
    }
    throw new SqlError("42703", "no column " + (alias == null ? "" : alias + ".") + name);
  }

  List<@Nullable Object> collected(Expr.Aggregate aggregate) {
    return collected.computeIfAbsent(aggregate, _ -> new ArrayList<>());
  }
}
