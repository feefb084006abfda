package dev.damask.database;

import dev.damask.database.TableData.Version;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Reads what a query asks for.
final class Queries {
  private final StatementRun run;

  Queries(StatementRun run) {
    this.run = run;
  }

  /// A row of a result with the values it is sorted by.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Sorted(@Nullable Object[] row, List<@Nullable Object> keys) {}

  /// Returns the rows of a query.
  ///
  /// @param atMost how many rows are needed; more may come
  List<@Nullable Object[]> select(Sql.Select query, @Nullable Scope outer, int atMost) {
    List<@Nullable Object[]> cached = run.database().cached(query, run);
    if (cached != null) {
      return cached;
    }
    Scope constants = new Scope(run, outer);
    int limit =
        query.limit == null
            ? Integer.MAX_VALUE
            : (int)
                Math.min(
                    Integer.MAX_VALUE, (Long) Objects.requireNonNull(query.limit.eval(constants)));
    boolean isPlain = query.orders.isEmpty() && query.unions.isEmpty() && !query.isDistinct;
    int enough = isPlain ? Math.min(limit, atMost) : Integer.MAX_VALUE;
    List<Sorted> rows = rows(query, outer, query.orders, enough);
    for (Sql.Union union : query.unions) {
      rows.addAll(rows(union.query(), outer, List.of(), Integer.MAX_VALUE));
    }
    if (!query.unions.isEmpty() && !query.orders.isEmpty()) {
      rows = keyed(query, rows);
    }
    boolean isSet = query.isDistinct || query.unions.stream().anyMatch(union -> !union.isAll());
    if (isSet) {
      Set<List<@Nullable Object>> seen = new HashSet<>();
      rows.removeIf(each -> !seen.add(Arrays.asList(each.row)));
    }
    if (!query.orders.isEmpty()) {
      rows.sort(order(query.orders));
    }
    List<@Nullable Object[]> found = new ArrayList<>();
    for (int i = 0; i < rows.size() && i < limit; i++) {
      found.add(rows.get(i).row);
    }
    run.database().cache(query, run, found);
    return found;
  }

  /// Sorts a union by its columns.
  private static List<Sorted> keyed(Sql.Select query, List<Sorted> rows) {
    List<Sorted> keyed = new ArrayList<>();
    for (Sorted each : rows) {
      List<@Nullable Object> keys = new ArrayList<>();
      for (Sql.Order order : query.orders) {
        String name = ((Expr.Column) order.value()).name;
        for (int i = 0; i < query.items.size(); i++) {
          if (query.items.get(i).name().equals(name)) {
            keys.add(each.row[i]);
            break;
          }
        }
      }
      keyed.add(new Sorted(each.row, keys));
    }
    return keyed;
  }

  private static Comparator<Sorted> order(List<Sql.Order> orders) {
    return (left, right) -> {
      for (int i = 0; i < orders.size(); i++) {
        int by = SqlValues.compareForOrder(left.keys.get(i), right.keys.get(i));
        if (by != 0) {
          return orders.get(i).isDescending() ? -by : by;
        }
      }
      return 0;
    };
  }

  private List<Sorted> rows(
      Sql.Select query, @Nullable Scope outer, List<Sql.Order> orders, int enough) {
    Scope scope = new Scope(run, outer);
    List<Sorted> rows = new ArrayList<>();
    List<Expr.Aggregate> aggregates = new ArrayList<>();
    query.items.forEach(item -> aggregates(item.value(), aggregates));
    boolean isUnion = !query.unions.isEmpty();
    each(
        query,
        scope,
        found -> {
          if (aggregates.isEmpty()) {
            List<@Nullable Object> keys = new ArrayList<>();
            if (!isUnion) {
              orders.forEach(order -> keys.add(order.value().eval(found)));
            }
            rows.add(new Sorted(row(query.items, found), keys));
            return rows.size() < enough;
          }
          for (Expr.Aggregate each : aggregates) {
            Object value = each.parts().isEmpty() ? 1L : each.parts().getFirst().eval(found);
            if (value != null) {
              found.collected(each).add(value);
            }
          }
          return true;
        });
    if (!aggregates.isEmpty()) {
      rows.add(new Sorted(row(query.items, scope), List.of()));
    }
    return rows;
  }

  private static void aggregates(@Nullable Expr expr, List<Expr.Aggregate> found) {
    if (expr instanceof Expr.Aggregate aggregate) {
      found.add(aggregate);
    } else if (expr != null) {
      expr.parts().forEach(part -> aggregates(part, found));
    }
  }

  static @Nullable Object[] row(List<Sql.Item> items, Scope scope) {
    List<@Nullable Object> values = new ArrayList<>();
    for (Sql.Item item : items) {
      if (item.value() == null) {
        scope.bound.forEach(bound -> values.addAll(Arrays.asList(bound.row)));
      } else {
        values.add(item.value().eval(scope));
      }
    }
    return values.toArray();
  }

  /// Calls an action for each combination of rows, until it returns false.
  void each(Sql.Select query, Scope scope, Predicate<Scope> action) {
    SelectPlan plan = query.plan;
    if (plan == null) {
      plan = SelectPlan.of(query);
      query.plan = plan;
    }
    if (plan.first.stream().allMatch(test -> test.isTrue(scope))) {
      step(plan, 0, scope, action);
    }
  }

  private boolean step(SelectPlan plan, int at, Scope scope, Predicate<Scope> action) {
    if (at == plan.steps.size()) {
      return action.test(scope);
    }
    SelectPlan.Step step = plan.steps.get(at);
    Sql.Source source = step.source();
    boolean isSecond = source.isLeft() && at > 0 && plan.steps.get(at - 1).source() == source;
    if (isSecond) {
      return !holds(step.tests(), scope) || step(plan, at + 1, scope, action);
    }
    Scope.Bound bound = new Scope.Bound(source.alias(), columns(source));
    List<?> candidates = candidates(step, scope);
    scope.bound.add(bound);
    boolean goesOn = true;
    boolean hasMatch = false;
    for (int i = 0; i < candidates.size() && goesOn; i++) {
      if (bind(bound, candidates.get(i)) && holds(step.tests(), scope)) {
        hasMatch = true;
        goesOn = step(plan, at + 1, scope, action);
      }
    }
    if (source.isLeft() && !hasMatch) {
      bound.row = new Object[bound.columns.size()];
      bound.version = null;
      goesOn = step(plan, at + 1, scope, action);
    }
    scope.bound.removeLast();
    return goesOn;
  }

  private static boolean holds(List<Expr> tests, Scope scope) {
    for (Expr test : tests) {
      if (!test.isTrue(scope)) {
        return false;
      }
    }
    return true;
  }

  private boolean bind(Scope.Bound bound, Object candidate) {
    if (candidate instanceof Version version) {
      if (!run.sees(version)) {
        return false;
      }
      bound.row = version.values;
      bound.version = version;
    } else {
      bound.row = (Object[]) candidate;
    }
    return true;
  }

  private List<String> columns(Sql.Source source) {
    if (!source.columns().isEmpty()) {
      return source.columns();
    }
    if (source.query() != null) {
      return source.query().items.stream().map(Sql.Item::name).toList();
    }
    StatementRun.Relation common = common(source);
    return common == null ? run.table(source.table()).columns : common.columns();
  }

  private StatementRun.@Nullable Relation common(Sql.Source source) {
    StatementRun.Relation found = run.commons.get(source.table());
    return found == null ? ServerFunctions.relation(run.backend(), source.table()) : found;
  }

  private List<?> candidates(SelectPlan.Step step, Scope scope) {
    Sql.Source source = step.source();
    if (source.query() != null) {
      return select(source.query(), scope, Integer.MAX_VALUE);
    }
    if (!source.functionName().isEmpty()) {
      return function(source, scope);
    }
    StatementRun.Relation common = common(source);
    if (common != null) {
      return common.rows();
    }
    TableData table = run.table(source.table());
    Expr value = step.value();
    return value == null
        ? table.versions()
        : table.with(table.column(step.column()), value.eval(scope));
  }

  private static List<@Nullable Object[]> function(Sql.Source source, Scope scope) {
    List<@Nullable Object[]> rows = new ArrayList<>();
    List<@Nullable Object> values = new ArrayList<>();
    source.function().forEach(each -> values.add(each.eval(scope)));
    if (source.functionName().equals("generate_series")) {
      long end = (Long) Objects.requireNonNull(values.get(1));
      for (long i = (Long) Objects.requireNonNull(values.get(0)); i <= end; i++) {
        rows.add(new Object[] {i});
      }
      return rows;
    }
    int size = 0;
    for (Object each : values) {
      size = Math.max(size, each == null ? 0 : ((List<?>) each).size());
    }
    for (int i = 0; i < size; i++) {
      @Nullable Object[] row = new Object[values.size()];
      for (int j = 0; j < row.length; j++) {
        row[j] = ((List<?>) Objects.requireNonNull(values.get(j))).get(i);
      }
      rows.add(row);
    }
    return rows;
  }
}
