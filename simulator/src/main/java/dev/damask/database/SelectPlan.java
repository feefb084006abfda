package dev.damask.database;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The order in which a query reads its sources, and when it can test each condition.
final class SelectPlan {
  /// Reads one source.
  ///
  /// @param column the column that must equal `value`; empty to read all rows
  /// @param tests the conditions that can be tested from here on
  record Step(Sql.Source source, String column, @Nullable Expr value, List<Expr> tests) {}

  final List<Step> steps = new ArrayList<>();
  final List<Expr> first = new ArrayList<>(); // conditions without a source

  static SelectPlan of(Sql.Select query) {
    SelectPlan plan = new SelectPlan();
    List<Expr> open = new ArrayList<>();
    addParts(query.where, open);
    for (Sql.Source source : query.sources) {
      if (!source.isLeft()) {
        addParts(source.on(), open);
      }
    }
    Set<String> all = new HashSet<>();
    query.sources.forEach(source -> all.add(source.alias()));
    List<Sql.Source> left = new ArrayList<>(query.sources);
    Set<String> bound = new HashSet<>();
    moveTests(open, all, bound, plan.first);
    while (!left.isEmpty()) {
      Sql.Source next = next(left, open, all, bound);
      left.remove(next);
      List<Expr> conditions = next.isLeft() ? new ArrayList<>() : open;
      addParts(next.isLeft() ? next.on() : null, conditions);
      Expr.Comparison key = key(next, conditions, all, bound);
      bound.add(next.alias());
      List<Expr> tests = new ArrayList<>();
      if (next.isLeft()) {
        tests.addAll(conditions);
      } else {
        moveTests(open, all, bound, tests);
      }
      plan.steps.add(
          new Step(
              next,
              key == null ? "" : ownColumn(key, next),
              key == null ? null : otherSide(key, next),
              tests));
      if (next.isLeft()) {
        plan.steps.add(new Step(next, "", null, moved(open, all, bound))); // a test after the join
      }
    }
    return plan;
  }

  private static List<Expr> moved(List<Expr> open, Set<String> all, Set<String> bound) {
    List<Expr> tests = new ArrayList<>();
    moveTests(open, all, bound, tests);
    return tests;
  }

  private static void addParts(@Nullable Expr condition, List<Expr> parts) {
    if (condition instanceof Expr.Junction junction && junction.isAnd) {
      junction.parts().forEach(part -> addParts(part, parts));
    } else if (condition != null) {
      parts.add(condition);
    }
  }

  private static void moveTests(
      List<Expr> open, Set<String> all, Set<String> bound, List<Expr> tests) {
    open.removeIf(condition -> {
      boolean isReady = isBound(condition, all, bound);
      if (isReady) {
        tests.add(condition);
      }
      return isReady;
    });
  }

  /// Returns whether an expression uses only sources that are bound, or those of outer queries. A
  /// name without an alias may mean any source.
  private static boolean isBound(Expr expr, Set<String> all, Set<String> bound) {
    if (expr instanceof Expr.Column column) {
      return column.alias == null
          ? bound.size() == all.size()
          : bound.contains(column.alias) || !all.contains(column.alias);
    }
    if (expr instanceof Expr.Subquery) {
      return bound.size() == all.size();
    }
    return expr.parts().stream().allMatch(part -> isBound(part, all, bound));
  }

  private static Sql.Source next(
      List<Sql.Source> left, List<Expr> open, Set<String> all, Set<String> bound) {
    for (Sql.Source each : left) {
      if (!each.isLeft() && key(each, open, all, bound) != null) {
        return each;
      }
    }
    for (Sql.Source each : left) {
      if (!each.isLeft() && each.table().isEmpty()) {
        return each;
      }
    }
    for (Sql.Source each : left) {
      if (!each.isLeft()) {
        return each;
      }
    }
    return left.getFirst();
  }

  /// Returns a condition that a column of a source equals something that is known.
  private static Expr.@Nullable Comparison key(
      Sql.Source source, List<Expr> conditions, Set<String> all, Set<String> bound) {
    if (source.table().isEmpty()) {
      return null;
    }
    for (Expr each : conditions) {
      if (each instanceof Expr.Comparison comparison
          && comparison.sign.equals("=")
          && !ownColumn(comparison, source).isEmpty()
          && isBound(otherSide(comparison, source), all, bound)) {
        return comparison;
      }
    }
    return null;
  }

  private static boolean isOwn(Expr expr, Sql.Source source) {
    return expr instanceof Expr.Column column && source.alias().equals(column.alias);
  }

  private static String ownColumn(Expr.Comparison comparison, Sql.Source source) {
    if (isOwn(comparison.left, source)) {
      return ((Expr.Column) comparison.left).name;
    }
    return isOwn(comparison.right, source) ? ((Expr.Column) comparison.right).name : "";
  }

  private static Expr otherSide(Expr.Comparison comparison, Sql.Source source) {
    return isOwn(comparison.left, source) ? comparison.right : comparison.left;
  }
}
