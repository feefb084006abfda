package dev.damask.expression;

import dev.damask.task.Bytes;
import dev.damask.task.Context;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/// Makes random expressions that mostly fit together, and contexts for them. There is no NaN: the
/// library takes one for equal to itself or not depending on whether it is the same object. There
/// is no `[]`, and the items of a list are dynamic: the library guesses the type of the items of a
/// list from those it sees first and refuses others, which a context may well hold.
final class ExpressionGenerator {
  private final RandomGenerator random;
  private int bound;

  ExpressionGenerator(RandomGenerator random) {
    this.random = random;
  }

  private enum Kind {
    INT,
    DOUBLE,
    STRING,
    BOOL,
    LIST,
    MAP,
    NULL
  }

  Context context() {
    Context context =
        Context.from(
            Map.of(
                "i", pick(0L, 1L, -1L, 7L, Long.MAX_VALUE, Long.MIN_VALUE, 9_007_199_254_740_993L),
                "j", random.nextLong(-3, 4),
                "d", pick(0.0, -0.0, 1.0, 1.5, -2.0, 1e300, 9_007_199_254_740_992.0),
                "s", pick("", "a", "ab", "12", "1.5", "true", "é😀"),
                "t", random.nextBoolean(),
                "l", pick(List.of(), List.of(1L, 2L, 3L), List.of(1.0, "a", true), List.of(1L)),
                "m", pick(Map.of(), Map.of("k", 1L, "a", "b"), Map.of("k", Map.of("k", 2L))),
                "b", pick(Bytes.of(), Bytes.of((byte) 'a'), Bytes.of((byte) -1))));
    context = context.with("n", null);
    return random.nextInt(4) == 0 ? context.without(pick("i", "d", "s", "t", "l", "m")) : context;
  }

  @SafeVarargs
  private final <T> T pick(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  /// An expression of the plain subset, or close to it.
  String plain() {
    return plain(3, pick(Kind.BOOL, Kind.INT, Kind.STRING, Kind.DOUBLE));
  }

  private String plain(int depth, Kind wanted) {
    Kind kind = random.nextInt(15) == 0 ? pick(Kind.values()) : wanted;
    if (depth == 0 || random.nextInt(4) == 0) {
      return leaf(kind);
    }
    return switch (kind) {
      case INT, DOUBLE ->
          random.nextInt(8) == 0
              ? pick("-", "int", "double", "size") + "(" + plain(depth - 1, kind) + ")"
              : plain(depth - 1, kind)
                  + pick(" + ", "-", "*", " / ", " % ")
                  + plain(depth - 1, kind);
      case STRING -> plain(depth - 1, kind) + " + " + plain(depth - 1, kind);
      case BOOL -> {
        Kind operand = pick(Kind.INT, Kind.DOUBLE, Kind.STRING, Kind.BOOL);
        yield switch (random.nextInt(5)) {
          case 0 -> "(" + plainTruth(depth - 1) + " && " + plainTruth(depth - 1) + ")";
          case 1 -> "(" + plainTruth(depth - 1) + " || " + plainTruth(depth - 1) + ")";
          case 2 -> "!(" + plain(depth - 1, kind) + ")";
          default ->
              plain(depth - 1, operand)
                  + pick("==", " != ", "<", " <= ", ">", ">=")
                  + plain(depth - 1, operand);
        };
      }
      case LIST, MAP, NULL -> leaf(kind);
    };
  }

  /// An operand of logic. It is a boolean or fails: given anything else, closures let the other
  /// operand decide, as CEL demands, and the library does not.
  private String truth(int depth) {
    return depth == 0 ? leaf(Kind.BOOL) : condition(depth - 1);
  }

  private String plainTruth(int depth) {
    return depth == 0
        ? leaf(Kind.BOOL)
        : plain(depth - 1, Kind.INT) + pick("==", " < ") + plain(depth - 1, Kind.INT);
  }

  private String leaf(Kind kind) {
    return switch (kind) {
      case INT -> pick("i", "j", "0", "1", "-3", "42", "m.k", "ctx.i", "9223372036854775807");
      case DOUBLE -> pick("d", "0.5", "1.0", "-2.25", "d", "ctx.d");
      case STRING -> pick("s", "'a'", "\"b\"", "''", "ctx.s", "m.a", "'12'");
      case BOOL -> pick("t", "true", "false", "has(ctx.i)", "has(ctx.x)", "has(m.k)", "missing");
      case LIST -> pick("l", "[dyn(1), 2]", "[i, d, s]", "ctx.l");
      case MAP -> pick("m", "ctx", "{'k': 1}", "{'a': i, 'k': t}", "{}");
      case NULL -> pick("null", "n");
    };
  }

  /// An expression of everything that closures know, and now and then of more.
  String full() {
    return full(4, pick(Kind.values()));
  }

  private String full(int depth, Kind wanted) {
    Kind kind = random.nextInt(15) == 0 ? pick(Kind.values()) : wanted;
    if (depth == 0 || random.nextInt(5) == 0) {
      return leaf(kind);
    }
    int less = depth - 1;
    if (random.nextInt(10) == 0) {
      return "("
          + full(less, Kind.BOOL)
          + " ? "
          + full(less, kind)
          + " : "
          + full(less, kind)
          + ")";
    }
    return switch (kind) {
      case INT ->
          switch (random.nextInt(4)) {
            case 0 -> "size(" + full(less, pick(Kind.STRING, Kind.LIST, Kind.MAP)) + ")";
            case 1 -> "int(" + full(less, pick(Kind.STRING, Kind.DOUBLE, Kind.INT)) + ")";
            case 2 -> full(less, Kind.LIST) + "[" + full(less, Kind.INT) + "]";
            default -> sum(less, kind);
          };
      case DOUBLE ->
          random.nextInt(3) == 0
              ? "double(" + full(less, pick(Kind.STRING, Kind.DOUBLE, Kind.INT)) + ")"
              : sum(less, kind);
      case STRING ->
          random.nextInt(3) == 0
              ? "string(" + full(less, pick(Kind.values())) + ")"
              : "(" + full(less, kind) + " + " + full(less, kind) + ")";
      case BOOL -> condition(less);
      case LIST -> list(less);
      case MAP ->
          "{'a': " + full(less, pick(Kind.values())) + ", 'k': " + full(less, Kind.INT) + "}";
      case NULL -> "dyn(" + full(less, pick(Kind.values())) + ")";
    };
  }

  private String sum(int depth, Kind kind) {
    return "("
        + full(depth, kind)
        + pick(" + ", " - ", " * ", " / ", " % ")
        + full(depth, kind)
        + ")";
  }

  private String condition(int depth) {
    Kind kind = pick(Kind.INT, Kind.DOUBLE, Kind.STRING, Kind.BOOL, Kind.LIST, Kind.MAP);
    return switch (random.nextInt(9)) {
      case 0 -> "(" + truth(depth) + " && " + truth(depth) + ")";
      case 1 -> "(" + truth(depth) + " || " + truth(depth) + ")";
      case 2 -> "!" + full(0, Kind.BOOL);
      case 3 -> "(" + full(depth, kind) + " in " + full(depth, pick(Kind.LIST, Kind.MAP)) + ")";
      case 4 ->
          full(depth, Kind.STRING)
              + pick(".contains(", ".startsWith(", ".endsWith(", ".matches(")
              + full(depth, Kind.STRING)
              + ")";
      case 5 -> {
        String name = "v" + bound++;
        yield full(depth, pick(Kind.LIST, Kind.MAP))
            + pick(".all(", ".exists(", ".exists_one(")
            + name
            + ", "
            + pick(name, full(0, Kind.INT))
            + pick(" == ", " < ", " != ")
            + full(depth, Kind.INT)
            + ")";
      }
      default ->
          "("
              + full(depth, kind)
              + pick(" == ", " != ", " < ", " <= ", " > ", " >= ")
              + full(depth, pick(kind, kind, Kind.INT))
              + ")";
    };
  }

  private String list(int depth) {
    String name = "v" + bound++;
    return switch (random.nextInt(4)) {
      case 0 -> "[dyn(" + full(depth, pick(Kind.values())) + "), " + full(depth, Kind.INT) + "]";
      case 1 -> "(" + full(depth, Kind.LIST) + " + " + full(depth, Kind.LIST) + ")";
      case 2 ->
          full(depth, Kind.LIST)
              + ".map("
              + name
              + ", "
              + pick(name + " + 1", name, "[" + name + "]")
              + ")";
      default ->
          full(depth, Kind.LIST)
              + ".filter("
              + name
              + ", "
              + name
              + " != "
              + full(depth, Kind.INT)
              + ")";
    };
  }
}
