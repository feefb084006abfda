package dev.damask.database;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Statements of SQL, as far as Damask uses it.
sealed interface Sql {
  /// A query.
  final class Select implements Sql {
    final List<Common> commons = new ArrayList<>();
    boolean isDistinct;
    final List<Item> items = new ArrayList<>();
    final List<Source> sources = new ArrayList<>();
    @Nullable Expr where;
    final List<Order> orders = new ArrayList<>();
    @Nullable Expr limit;
    final List<Union> unions = new ArrayList<>();
    @Nullable SelectPlan plan; // made at the first use
  }

  /// A statement that is named with `with`.
  record Common(String name, Sql statement) {}

  /// A column of a result.
  ///
  /// @param value null for all columns
  record Item(@Nullable Expr value, String name) {}

  /// A further query of a union.
  record Union(boolean isAll, Select query) {}

  /// One criterion of `order by`.
  record Order(Expr value, boolean isDescending) {}

  /// What a query reads.
  ///
  /// @param table the name of a table or common statement; empty for functions and subqueries
  /// @param function the arguments of `unnest` or `generate_series`; empty for others
  /// @param query null unless it is a subquery
  /// @param columns the names given with the alias; empty for the source's own
  /// @param on null without a condition
  record Source(
      String table,
      String functionName,
      List<Expr> function,
      @Nullable Select query,
      String alias,
      List<String> columns,
      boolean isLeft,
      @Nullable Expr on) {
    Source joined(boolean left, @Nullable Expr condition) {
      return new Source(table, functionName, function, query, alias, columns, left, condition);
    }
  }

  /// An assignment in `set`.
  record Assignment(String column, Expr value) {}

  /// `insert`.
  ///
  /// @param conflict null without `on conflict`; no assignments for `do nothing`
  record Insert(
      List<Common> commons,
      String table,
      String alias,
      List<String> columns,
      Select rows,
      @Nullable Conflict conflict,
      List<Item> returning)
      implements Sql {}

  /// `on conflict`.
  record Conflict(List<Assignment> assignments, @Nullable Expr where) {}

  /// `update`.
  record Update(
      List<Common> commons, Target target, List<Assignment> assignments, List<Item> returning)
      implements Sql {}

  /// `delete`.
  record Delete(List<Common> commons, Target target, List<Item> returning) implements Sql {}

  /// The rows that a statement changes: a query whose last source is the table.
  record Target(String table, String alias, Select rows) {}

  /// `create table`.
  ///
  /// @param defaults the defaults of columns; identity columns have [#IDENTITY]
  record CreateTable(
      String table, List<String> columns, List<String> key, Map<String, Expr> defaults)
      implements Sql {}

  /// `alter table … add column`.
  record AddColumn(String table, String column, @Nullable Expr value) implements Sql {
    void run(StatementRun run) {
      TableData changed = run.table(table);
      changed.addColumn(column, value == null ? null : value.eval(new Scope(run, null)));
      if (value != null) {
        changed.defaults.put(column, value);
      }
    }
  }

  /// A statement that concerns the transaction or the session, or that has no meaning here.
  ///
  /// @param word its first word, such as `begin`
  /// @param rest what follows, in lower case
  record Plain(String word, String rest) implements Sql {}

  /// The default of an identity column.
  Expr IDENTITY = new Expr.Literal(null);
}
