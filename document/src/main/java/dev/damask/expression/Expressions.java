package dev.damask.expression;

import dev.damask.task.Context;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.InstanceCondition;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Makes expressions out of text in CEL, the common expression language.
///
/// Every context key is a variable and `ctx` is the whole context. Values are long, double, text,
/// boolean, null, bytes, list and map; a decimal takes part as its nearest double, but stays a
/// decimal where a key is only passed on. Evaluation is pure and deterministic: a missing key, a
/// wrong type, an overflow or a division by zero is a [dev.damask.task.ExpressionFailure].
///
/// Plain expressions are read by [SimpleParser]; the rest is parsed and checked by the expression
/// library. Both become closures, and only what closures do not know is evaluated by the library.
public final class Expressions {
  public static final int CHARACTERS_MAX = 2_048;
  public static final int BYTES_MAX = 1_024;
  public static final int NODES_MAX = 4_096;

  private static final Set<String> INSTANCE_NAMES = Set.of("done", "total", "results");

  private Expressions() {}

  /// An expression for a value.
  public static Expression expression(String text) {
    return compile(text);
  }

  /// A condition; a constant or a sum, which can never be a boolean, is refused at once.
  public static Guard guard(String text) {
    Source source = new Source(text);
    Parsed parsed = parse(source);
    requireCondition(source, parsed);
    return compile(source, parsed);
  }

  /// A condition on a set of instances: a boolean over `done`, `total` and `results`.
  public static InstanceCondition condition(String text) {
    Source source = new Source(text);
    Parsed parsed = parse(source);
    requireCondition(source, parsed);
    for (String name : parsed.names()) {
      if (!INSTANCE_NAMES.contains(name)) {
        throw source.invalid(
            Math.max(0, text.indexOf(name)),
            "there is no '" + name + "' here, only done, total and results");
      }
    }
    boolean wantsResults = parsed.names().contains("results");
    CompiledExpression compiled = compile(source, parsed);
    return new InstanceCondition() {
      @Override
      public boolean test(int done, int total, List<Context> results) {
        Context context = Context.of("done", (long) done, "total", (long) total);
        return compiled.test(wantsResults ? context.with("results", results) : context);
      }

      @Override
      public String text() {
        return text;
      }
    };
  }

  /// An expression that may also call the given functions; `matches` is one of them.
  public static RuleExpression expression(String text, Functions functions) {
    Source source = new Source(text);
    requireShort(source);
    Parsed plain = SimpleParser.parse(text);
    Parsed parsed = plain != null ? plain : Library.CEL.parse(source, functions);
    Tree tree = parsed.tree();
    if (tree == null) {
      throw source.invalid(0, "it uses a part of the language that is not allowed here");
    }
    return new RuleExpression(
        new CompiledExpression(source, tree, parsed.slots()), parsed.names(), Shapes.of(tree));
  }

  /// The context keys an expression reads; `ctx` stands for all of them.
  public static Set<String> names(String text) {
    return parse(new Source(text)).names();
  }

  /// Whether a text contains a match of a regular expression, in linear time.
  public static Predicate<String> pattern(String pattern) {
    ClassPath.read();
    return LinearPattern.find(pattern);
  }

  static CompiledExpression compile(String text) {
    Source source = new Source(text);
    return compile(source, parse(source));
  }

  private static CompiledExpression compile(Source source, Parsed parsed) {
    Tree tree = parsed.tree();
    return tree == null
        ? new CompiledExpression(source, Library.CEL.program(source), 0)
        : new CompiledExpression(source, tree, parsed.slots());
  }

  private static Parsed parse(Source source) {
    requireShort(source);
    Parsed plain = SimpleParser.parse(source.text());
    return plain != null ? plain : Library.CEL.parse(source);
  }

  private static void requireShort(Source source) {
    int characters = source.text().length();
    if (characters > CHARACTERS_MAX) {
      throw source.invalid(
          0, "an expression has at most " + CHARACTERS_MAX + " characters, found " + characters);
    }
    int bytes = source.text().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > BYTES_MAX) {
      throw source.invalid(0, "an expression has at most " + BYTES_MAX + " bytes, found " + bytes);
    }
    if (source.text().isBlank()) {
      throw new InvalidExpression("an expression is not empty");
    }
  }

  private static void requireCondition(Source source, Parsed parsed) {
    Tree tree = parsed.tree();
    if (tree != null && isNeverBool(tree)) {
      throw source.invalid(tree.position(), "a condition is a bool");
    }
  }

  private static boolean isNeverBool(@Nullable Tree tree) {
    return switch (tree) {
      case Tree.Constant(var position, var value) -> !(value instanceof Boolean);
      case Tree.Items items -> true;
      case Tree.Entries entries -> true;
      case Tree.Whole whole -> true;
      case Tree.Unary(var position, var operator, var operand) ->
          switch (operator) {
            case NEGATE, SIZE, INT, DOUBLE, STRING -> true;
            default -> false;
          };
      case Tree.Binary(var position, var operator, var left, var right) ->
          switch (operator) {
            case ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO -> true;
            default -> false;
          };
      case null, default -> false;
    };
  }

  /// Loads the library when the first expression needs it.
  private static final class Library {
    static final CelLibrary CEL;

    static {
      ClassPath.read();
      CEL = new CelLibrary();
    }
  }
}
