package dev.damask.database;

import dev.damask.database.SqlScanner.Kind;
import dev.damask.database.SqlScanner.Word;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads expressions.
abstract class ExpressionParser extends Words {
  private static final Set<String> COMPARISONS = Set.of("=", "<>", "<", ">", "<=", ">=");
  private static final Set<String> AGGREGATES = Set.of("count", "max", "min", "sum");

  ExpressionParser(List<Word> words) {
    super(words);
  }

  abstract Sql.Select select();

  final Expr expression() {
    return junction(false);
  }

  private Expr junction(boolean isAnd) {
    List<Expr> parts = new ArrayList<>();
    do {
      parts.add(isAnd ? negation() : junction(true));
    } while (skips(isAnd ? "and" : "or"));
    return parts.size() == 1 ? parts.getFirst() : new Expr.Junction(isAnd, parts);
  }

  private Expr negation() {
    if (!is("exists") && skips("not")) {
      return not(negation());
    }
    return predicate();
  }

  private static Expr not(Expr inner) {
    return new Expr.Applied(
        List.of(inner),
        values -> values.getFirst() == null ? null : (Object) !((Boolean) values.getFirst()));
  }

  private Expr predicate() {
    Expr left = sum();
    while (true) {
      if (skips("is")) {
        left = is(left);
      } else if (peek().kind() == Kind.SIGN && COMPARISONS.contains(peek().text())) {
        left = comparison(left, next().text());
      } else if (skips("not", "in")) {
        left = not(in(left));
      } else if (skips("in")) {
        left = in(left);
      } else if (skips("between")) {
        Expr low = sum();
        expect("and");
        left =
            new Expr.Junction(
                true,
                List.of(
                    new Expr.Comparison(">=", left, low), new Expr.Comparison("<=", left, sum())));
      } else if (skips("ilike")) {
        left = new Expr.Applied(List.of(left, sum()), ExpressionParser::ilike);
      } else {
        return left;
      }
    }
  }

  private Expr is(Expr left) {
    boolean isNot = skips("not");
    Expr found;
    if (skips("null")) {
      found = new Expr.Applied(List.of(left), values -> values.getFirst() == null);
    } else {
      expect("distinct", "from");
      found =
          new Expr.Applied(
              List.of(left, sum()), values -> !Objects.equals(values.get(0), values.get(1)));
    }
    return isNot ? not(found) : found;
  }

  private Expr comparison(Expr left, String sign) {
    if (is("any") && peek(1).is("(")) {
      expect("any", "(");
      Expr list = expression();
      expect(")");
      return new Expr.Applied(List.of(left, list), values -> isAny(values.get(0), values.get(1)));
    }
    return new Expr.Comparison(sign, left, sum());
  }

  private static @Nullable Object isAny(@Nullable Object value, @Nullable Object list) {
    return value == null || list == null ? null : (Object) ((List<?>) list).contains(value);
  }

  private Expr in(Expr left) {
    expect("(");
    List<Expr> parts = new ArrayList<>(List.of(left));
    if (is("select")) {
      parts.add(new Expr.Subquery(select(), Expr.Wanted.ARRAY));
      expect(")");
      return new Expr.Applied(parts, values -> isAny(values.get(0), values.get(1)));
    }
    do {
      parts.add(expression());
    } while (skips(","));
    expect(")");
    return new Expr.Applied(
        parts,
        values ->
            values.getFirst() == null
                ? null
                : (Object) values.subList(1, values.size()).contains(values.getFirst()));
  }

  private static @Nullable Object ilike(List<@Nullable Object> values) {
    if (values.get(0) == null) {
      return null;
    }
    String pattern = String.valueOf(values.get(1)).toLowerCase(Locale.ROOT);
    String text = String.valueOf(values.get(0)).toLowerCase(Locale.ROOT);
    return pattern.endsWith("%")
        ? text.startsWith(pattern.substring(0, pattern.length() - 1))
        : text.equals(pattern);
  }

  private Expr sum() {
    Expr left = product();
    while (is("+") || is("-") || is("||") || is("&")) {
      String sign = next().text();
      left = new Expr.Applied(List.of(left, product()), values -> Arithmetic.apply(sign, values));
    }
    return left;
  }

  private Expr product() {
    Expr left = casted();
    while (is("*") || is("/")) {
      String sign = next().text();
      left = new Expr.Applied(List.of(left, casted()), values -> Arithmetic.apply(sign, values));
    }
    return left;
  }

  private Expr casted() {
    Expr value = primary();
    while (skips("::")) {
      String type = type();
      value = new Expr.Applied(List.of(value), values -> SqlValues.cast(values.getFirst(), type));
    }
    return value;
  }

  final String type() {
    String type = name();
    while (skips("[", "]")) {
      type += "[]";
    }
    if (skips("collate")) {
      name();
    }
    return type;
  }

  private Expr primary() {
    Word word = next();
    return switch (word.kind()) {
      case NUMBER ->
          new Expr.Literal(
              word.text().contains(".")
                  ? (Object) Double.valueOf(word.text())
                  : (Object) Long.valueOf(word.text()));
      case TEXT -> new Expr.Literal(word.text());
      case SIGN ->
          switch (word.text()) {
            case "?" -> new Expr.Parameter(nextParameter());
            case "-" ->
                new Expr.Applied(
                    List.of(new Expr.Literal(0L), casted()),
                    values -> Arithmetic.apply("-", values));
            case "(" -> parenthesised();
            default -> throw error("unexpected '" + word.text() + "'");
          };
      case QUOTED, NAME -> named(word);
      case END -> throw error("unexpected end");
    };
  }

  private Expr parenthesised() {
    if (is("select")) {
      Expr found = new Expr.Subquery(select(), Expr.Wanted.ONE);
      expect(")");
      return found;
    }
    List<Expr> parts = new ArrayList<>();
    do {
      parts.add(expression());
    } while (skips(","));
    expect(")");
    return parts.size() == 1
        ? parts.getFirst()
        : new Expr.Applied(parts, values -> values.contains(null) ? null : values);
  }

  private Expr named(Word word) {
    String name = word.text();
    if (word.kind() == Kind.NAME) {
      switch (name) {
        case "true" -> {
          return new Expr.Literal(true);
        }
        case "false" -> {
          return new Expr.Literal(false);
        }
        case "null" -> {
          return new Expr.Literal(null);
        }
        case "interval" -> {
          return new Expr.Literal(SqlValues.Span.parse(next().text()));
        }
        case "current_user" -> {
          return new Expr.Literal("damask");
        }
        case "exists" -> {
          expect("(");
          Expr found = new Expr.Subquery(select(), Expr.Wanted.EXISTS);
          expect(")");
          return found;
        }
        default -> {}
      }
      if (is("(")) {
        return call(name);
      }
    }
    return column(name);
  }

  private Expr column(String first) {
    String alias = null;
    String name = first;
    while (skips(".")) {
      alias = name;
      name = name();
    }
    return new Expr.Column(alias, name);
  }

  private Expr call(String name) {
    expect("(");
    if (name.equals("extract")) {
      expect("epoch", "from");
      Expr time = expression();
      expect(")");
      return new Expr.Applied(List.of(time), Arithmetic::epoch);
    }
    if (name.equals("array") && is("select")) {
      Expr found = new Expr.Subquery(select(), Expr.Wanted.ARRAY);
      expect(")");
      return found;
    }
    boolean isDistinct = skips("distinct");
    List<Expr> parts = new ArrayList<>();
    if (!skips("*") && !is(")")) {
      do {
        parts.add(expression());
      } while (skips(","));
    }
    expect(")");
    if (AGGREGATES.contains(name)) {
      return new Expr.Aggregate(name, isDistinct, parts);
    }
    return Arithmetic.isKnown(name)
        ? new Expr.Applied(parts, values -> Arithmetic.call(name, values))
        : new Expr.ServerCall(name, parts);
  }
}
