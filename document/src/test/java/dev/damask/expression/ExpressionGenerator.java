package dev.damask.expression;

import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/// Makes random expressions that mostly fit together, texts that are nearly expressions, and
/// contexts for them. There is no NaN: the library takes one for equal to itself or not depending
/// on whether it is the same object.
final class ExpressionGenerator {
  private final RandomGenerator random;
  private final boolean bare;
  private int bound;

  /// @param bare whether the items of lists have the types that are found out for them
  ExpressionGenerator(RandomGenerator random, boolean bare) {
    this.random = random;
    this.bare = bare;
  }

  private enum Kind {
    INT,
    DOUBLE,
    STRING,
    BOOL,
    LIST,
    MAP,
    BYTES,
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

  /// An operand of logic. It is a boolean or fails: given anything else, closures let the other
  /// operand decide, as CEL demands, and the library does not.
  private String truth(int depth) {
    return depth == 0 ? leaf(Kind.BOOL) : condition(depth - 1);
  }

  private String leaf(Kind kind) {
    return switch (kind) {
      case INT ->
          pick(
              "i",
              "j",
              "0",
              "1",
              "-3",
              "42",
              "m.k",
              "ctx.i",
              "9223372036854775807",
              "0x1F",
              "-0x2",
              "- 1",
              "--j",
              "dyn(m['k'])",
              ".j",
              "-9223372036854775808");
      case DOUBLE -> pick("d", "0.5", "1.0", "-2.25", "ctx.d", "1e3", "2.5E-1", ".5", "-d", "-.5");
      case STRING ->
          pick(
              "s",
              "'a'",
              "\"b\"",
              "''",
              "ctx.s",
              "m.a",
              "'12'",
              "r'\\d'",
              "\'\'\'a'b\'\'\'",
              "\"\"\"\n\"\"\"",
              "'\\u00e9\\x41\\101\\n'",
              "R\"a\"",
              "m.`a`",
              "'\\U0001F600'");
      case BOOL ->
          pick(
              "t",
              "true",
              "false",
              "has(ctx.i)",
              "has(ctx.x)",
              "has(m.k)",
              "missing",
              "!!t",
              "has(m.`k`)");
      case LIST ->
          pick(
              "l",
              "[dyn(1), 2]",
              "[i, d, s]",
              "ctx.l",
              "[]",
              "[1, 2,]",
              "['a', 1]",
              "[[1], []]",
              "[null]",
              "[1.5, 2.5]",
              "[,]");
      case MAP ->
          pick(
              "m",
              "ctx",
              "{'k': 1}",
              "{'a': i, 'k': t}",
              "{}",
              "{s: 1}",
              "{'a': [], 'k': {}}",
              "{'k': 1, 'k': 2}",
              "{'k': 'a',}");
      case BYTES -> pick("b", "b'a'", "b'\\xff'", "br'\\a'", "B\"\"\"é\"\"\"", "bytes(s)", "ctx.b");
      case NULL -> pick("null", "n");
    };
  }

  /// An expression of everything there is.
  String full() {
    return full(4, pick(Kind.values()));
  }

  /// An expression in which a character or two were lost, doubled or put in.
  String damaged() {
    StringBuilder text = new StringBuilder(full(2, pick(Kind.values())));
    for (int times = random.nextInt(1, 3); times > 0 && !text.isEmpty(); times--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(3)) {
        case 0 -> text.deleteCharAt(at);
        case 1 -> text.insert(at, text.charAt(at));
        default -> {
          String signs = "()[]{}.,:?!-+*/%<>=&|'\"`\\ \n0ax9eurb_#@";
          text.insert(at, signs.charAt(random.nextInt(signs.length())));
        }
      }
    }
    return text.toString();
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
            case 0 ->
                random.nextBoolean()
                    ? "size(" + full(less, pick(Kind.STRING, Kind.LIST, Kind.MAP, Kind.BYTES)) + ")"
                    : full(less, pick(Kind.STRING, Kind.LIST, Kind.MAP, Kind.BYTES)) + ".size()";
            case 1 -> "int(" + full(less, pick(Kind.STRING, Kind.DOUBLE, Kind.INT)) + ")";
            case 2 -> indexed(less);
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
          "{'a': "
              + full(less, pick(Kind.values()))
              + ", "
              + pick("'k'", "string(" + full(less, Kind.STRING) + ")")
              + ": "
              + full(less, Kind.INT)
              + "}";
      case BYTES ->
          random.nextBoolean()
              ? "bytes(" + full(less, pick(Kind.STRING, Kind.BYTES)) + ")"
              : "(" + full(less, kind) + " + " + full(less, kind) + ")";
      case NULL -> "dyn(" + full(less, pick(Kind.values())) + ")";
    };
  }

  /// An item of a list. The library takes it for what it is first used as, and fails when a context
  /// holds something else; where values are compared, it may be anything.
  private String indexed(int depth) {
    String item = full(depth, Kind.LIST) + "[" + full(depth, Kind.INT) + "]";
    return bare ? item : "dyn(" + item + ")";
  }

  private String sum(int depth, Kind kind) {
    return "("
        + full(depth, kind)
        + pick(" + ", " - ", " * ", " / ", " % ")
        + full(depth, kind)
        + ")";
  }

  private String condition(int depth) {
    Kind kind =
        pick(Kind.INT, Kind.DOUBLE, Kind.STRING, Kind.BOOL, Kind.LIST, Kind.MAP, Kind.BYTES);
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
        String name = pick("v" + bound++, "i", "s");
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
    String name = pick("v" + bound++, "v" + bound++, "i", "l");
    return switch (random.nextInt(6)) {
      case 0 -> "[dyn(" + full(depth, pick(Kind.values())) + "), " + full(depth, Kind.INT) + "]";
      case 1 -> "(" + full(depth, Kind.LIST) + " + " + full(depth, Kind.LIST) + ")";
      case 2 -> "[" + full(depth, pick(Kind.values())) + ", " + full(depth, Kind.INT) + "]";
      case 3 ->
          full(depth, pick(Kind.LIST, Kind.MAP))
              + ".map("
              + name
              + ", "
              + pick(name + " + 1", name, "[" + name + "]", "[]", name + ".k", name + "[0]")
              + ")";
      case 4 ->
          full(depth, Kind.LIST)
              + ".map("
              + name
              + ", "
              + pick(name + " > 1", "t", condition(0))
              + ", "
              + pick(name + " + 1", name, "[" + name + "]", full(depth, Kind.STRING))
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
