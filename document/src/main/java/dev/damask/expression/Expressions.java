package dev.damask.expression;

import dev.damask.expression.Tree.Operator;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.InstanceCondition;
import dev.damask.value.Context;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/// Compiles expressions in CEL, the Common Expression Language.
///
/// Every context key is a variable, and `ctx` is the whole context. Values are long, double,
/// string, boolean, null, bytes, list and map. A decimal is converted to the nearest double, but
/// stays a decimal where a key is only copied. Evaluation is pure and deterministic: a missing key,
/// a wrong type, an overflow or a division by zero is a [dev.damask.task.ExpressionFailure].
///
/// A text is parsed, its types are inferred from literals, and the tree is compiled into closures.
/// Expressions that always fail are rejected before they are evaluated.
public final class Expressions {
  public static final int CHARACTERS_MAX = 2_048;
  public static final int BYTES_MAX = 1_024;
  public static final int NODES_MAX = 4_096;

  private Expressions() {}

  /// Compiles an expression for a value. Throws [InvalidExpression] if the text is not valid.
  public static Expression expression(String text) {
    return compile(text);
  }

  /// Compiles a condition. Throws [InvalidExpression] if the text is not valid or can never be a
  /// boolean, such as a sum.
  public static Guard guard(String text) {
    return conditional(new Source(text));
  }

  /// Compiles a condition on a set of instances: a boolean over the context that the set was
  /// entered with, and over `done`, `total` and `results`, which override keys of the same name.
  public static InstanceCondition condition(String text) {
    CompiledExpression compiled = conditional(new Source(text));
    boolean wantsResults = compiled.names().contains("results");
    return new InstanceCondition() {
      @Override
      public boolean test(int done, int total, List<Context> results) {
        return test(Context.empty(), done, total, results);
      }

      @Override
      public boolean test(Context entry, int done, int total, List<Context> results) {
        Context context = entry.with("done", (long) done).with("total", (long) total);
        return compiled.test(wantsResults ? context.with("results", results) : context);
      }

      @Override
      public String text() {
        return text;
      }
    };
  }

  /// Compiles an expression that may also call the given functions; `matches` is one of them.
  public static RuleExpression expression(String text, Functions functions) {
    return expression(text, functions, Map.of());
  }

  /// Compiles an expression with functions and declared types of variables. Numbers of the types of
  /// [NumberType] are compared and calculated within their range; operands of different types are
  /// rejected.
  ///
  /// @param declared the types by the name of the variable: `int`, `double`, `string`, `bool`, or
  ///   the name of a [NumberType] in lower case
  public static RuleExpression expression(
      String text, Functions functions, Map<String, String> declared) {
    Source source = new Source(text);
    Parsed parsed = parse(source, functions);
    Checker.Checked checked = Checker.check(source, parsed.tree());
    Typing typing = new Typing(declared);
    Tree tree = typing.of(parsed.tree());
    return new RuleExpression(
        new CompiledExpression(source, parsed, checked, tree, declared),
        Shapes.of(parsed.tree()),
        List.copyOf(typing.mismatches()));
  }

  /// Returns the context keys that an expression reads; `ctx` means all of them.
  public static Set<String> names(String text) {
    return parse(new Source(text), Functions.NONE).names();
  }

  /// Returns the keys that an expression needs, and those whose existence it tests. Throws
  /// [InvalidExpression] if the text is not valid.
  public static KeyUse keys(String text) {
    return KeyUse.of(parse(new Source(text), Functions.NONE).tree());
  }

  /// Returns the type that every value of an expression has: `int`, `double`, `string`, `bool`,
  /// `bytes`, `null`, `list`, `map`, or `any` if it depends on data. Throws [InvalidExpression] if
  /// the text is not valid.
  public static String kind(String text) {
    Source source = new Source(text);
    return Checker.check(source, parse(source, Functions.NONE).tree()).type().word();
  }

  /// Returns the fields that an expression reads although the schema of the key does not declare
  /// them. Throws [InvalidExpression] if the text is not valid.
  ///
  /// @param schemas the JSON Schemas of keys, as plain values
  public static List<UnknownField> unknownFields(String text, Map<String, Object> schemas) {
    return UnknownField.in(parse(new Source(text), Functions.NONE).tree(), schemas);
  }

  /// Returns a predicate that tests whether a string contains a match of a regular expression, in
  /// linear time.
  public static Predicate<String> pattern(String pattern) {
    return LinearPattern.find(pattern);
  }

  static CompiledExpression compile(String text) {
    Source source = new Source(text);
    Parsed parsed = parse(source, Functions.NONE);
    return new CompiledExpression(source, parsed, Checker.check(source, parsed.tree()));
  }

  private static CompiledExpression conditional(Source source) {
    Parsed parsed = parse(source, Functions.NONE);
    Checker.Checked checked = Checker.check(source, parsed.tree());
    Type type = checked.type();
    boolean isOpen = type == Type.Simple.DYN || type instanceof Type.Open;
    if (isOpen ? isNeverBool(parsed.tree()) : type != Type.Simple.BOOL) {
      throw source.invalid(parsed.tree().position(), "a condition must be a bool");
    }
    return new CompiledExpression(source, parsed, checked);
  }

  /// Parses a string within the limits, without a type check.
  static Parsed parse(Source source, Functions functions) {
    requireShort(source);
    return Parser.parse(source, functions);
  }

  private static void requireShort(Source source) {
    int characters = source.text().length();
    if (characters > CHARACTERS_MAX) {
      throw source.invalid(
          0,
          "an expression must have at most " + CHARACTERS_MAX + " characters, got " + characters);
    }
    int bytes = source.text().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > BYTES_MAX) {
      throw source.invalid(
          0, "an expression must have at most " + BYTES_MAX + " bytes, got " + bytes);
    }
    if (source.text().isBlank()) {
      throw new InvalidExpression("an expression must not be empty");
    }
  }

  /// Returns whether a value of open type has none of the types that a boolean can have.
  private static boolean isNeverBool(Tree tree) {
    return switch (tree) {
      case Tree.Unary(var position, var operator, var operand) -> operator == Operator.NEGATE;
      case Tree.Binary(var position, var operator, var left, var right) ->
          switch (operator) {
            case ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO -> true;
            default -> false;
          };
      default -> false;
    };
  }
}
