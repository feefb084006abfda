package dev.damask.database;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// An expression of SQL. Null is SQL's null, in conditions "unknown".
abstract class Expr {
  private final List<Expr> parts;

  Expr(List<Expr> parts) {
    this.parts = parts;
  }

  abstract @Nullable Object eval(Scope scope);

  final boolean isTrue(Scope scope) {
    return Boolean.TRUE.equals(eval(scope));
  }

  final List<Expr> parts() {
    return parts;
  }

  /// A constant.
  static final class Literal extends Expr {
    private final @Nullable Object value;

    Literal(@Nullable Object value) {
      super(List.of());
      this.value = value;
    }

    @Override
    @Nullable Object eval(Scope scope) {
      return value;
    }
  }

  /// A parameter, counted from 0 within the whole text.
  static final class Parameter extends Expr {
    private final int index;

    Parameter(int index) {
      super(List.of());
      this.index = index;
    }

    @Override
    @Nullable Object eval(Scope scope) {
      return scope.run().parameter(index);
    }
  }

  /// A column.
  static final class Column extends Expr {
    final @Nullable String alias;
    final String name;

    Column(@Nullable String alias, String name) {
      super(List.of());
      this.alias = alias;
      this.name = name;
    }

    @Override
    @Nullable Object eval(Scope scope) {
      return scope.column(alias, name);
    }
  }

  /// A comparison.
  static final class Comparison extends Expr {
    final String sign;
    final Expr left;
    final Expr right;

    Comparison(String sign, Expr left, Expr right) {
      super(List.of(left, right));
      this.sign = sign;
      this.left = left;
      this.right = right;
    }

    @Override
    @Nullable Object eval(Scope scope) {
      Object a = left.eval(scope);
      Object b = right.eval(scope);
      return a == null || b == null ? null : (Object) holds(sign, a, b);
    }

    static boolean holds(String sign, Object a, Object b) {
      int by = SqlValues.compare(a, b);
      return switch (sign) {
        case "=" -> by == 0;
        case "<>" -> by != 0;
        case "<" -> by < 0;
        case ">" -> by > 0;
        case "<=" -> by <= 0;
        default -> by >= 0;
      };
    }
  }

  /// A conjunction or disjunction.
  static final class Junction extends Expr {
    final boolean isAnd;

    Junction(boolean isAnd, List<Expr> parts) {
      super(parts);
      this.isAnd = isAnd;
    }

    @Override
    @Nullable Object eval(Scope scope) {
      boolean isUnknown = false;
      for (Expr part : parts()) {
        Object value = part.eval(scope);
        if (value == null) {
          isUnknown = true;
        } else if (Boolean.TRUE.equals(value) != isAnd) {
          return !isAnd;
        }
      }
      return isUnknown ? null : (Object) isAnd;
    }
  }

  /// A function of its parts alone.
  static final class Applied extends Expr {
    private final Function<List<@Nullable Object>, @Nullable Object> function;

    Applied(List<Expr> parts, Function<List<@Nullable Object>, @Nullable Object> function) {
      super(parts);
      this.function = function;
    }

    @Override
    @Nullable Object eval(Scope scope) {
      List<@Nullable Object> values = new ArrayList<>(parts().size());
      for (Expr part : parts()) {
        values.add(part.eval(scope));
      }
      return function.apply(values);
    }
  }

  /// A function of the server: it sees the session and the transaction.
  static final class ServerCall extends Expr {
    private final String name;

    ServerCall(String name, List<Expr> parts) {
      super(parts);
      this.name = name;
    }

    @Override
    @Nullable Object eval(Scope scope) {
      List<@Nullable Object> values = new ArrayList<>(parts().size());
      for (Expr part : parts()) {
        values.add(part.eval(scope));
      }
      return ServerFunctions.call(scope.run().backend(), name, values);
    }
  }

  /// An aggregate over the rows of its query.
  static final class Aggregate extends Expr {
    final String name;
    final boolean isDistinct;

    /// @param parts empty for `count(*)`
    Aggregate(String name, boolean isDistinct, List<Expr> parts) {
      super(parts);
      this.name = name;
      this.isDistinct = isDistinct;
    }

    @Override
    @Nullable Object eval(Scope scope) {
      List<@Nullable Object> values = scope.collected(this);
      if (isDistinct) {
        values = new ArrayList<>(new java.util.LinkedHashSet<>(values));
      }
      return switch (name) {
        case "count" -> (long) values.size();
        case "sum" -> values.stream().mapToLong(each -> ((Number) each).longValue()).sum();
        case "max" -> values.stream().max(SqlValues::compareForOrder).orElse(null);
        default -> values.stream().min(SqlValues::compareForOrder).orElse(null);
      };
    }
  }

  /// What is wanted of a subquery.
  enum Wanted {
    EXISTS,
    ONE,
    ARRAY
  }

  /// A subquery.
  static final class Subquery extends Expr {
    final Sql.Select query;
    private final Wanted wanted;

    Subquery(Sql.Select query, Wanted wanted) {
      super(List.of());
      this.query = query;
      this.wanted = wanted;
    }

    @Override
    @Nullable Object eval(Scope scope) {
      return switch (wanted) {
        case EXISTS -> !scope.run().queries().select(query, scope, 1).isEmpty();
        case ONE -> {
          List<@Nullable Object[]> rows = scope.run().queries().select(query, scope, 1);
          yield rows.isEmpty() ? null : rows.getFirst()[0];
        }
        case ARRAY -> {
          List<@Nullable Object> values = new ArrayList<>();
          scope
              .run()
              .queries()
              .select(query, scope, Integer.MAX_VALUE)
              .forEach(row -> values.add(row[0]));
          yield values;
        }
      };
    }
  }
}
