package dev.damask.expression;

import dev.damask.expression.Lexeme.Kind;
import dev.damask.expression.Tree.Operator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Parses the text of an expression into a tree: the complete grammar of the language, with macros
/// expanded. Every name that is not bound by a macro is a context key.
final class Parser {
  /// The maximum nesting of brackets, calls and conditional expressions.
  private static final int DEPTH_MAX = 100;

  private static final Set<String> RESERVED =
      Set.of(
          "as",
          "break",
          "const",
          "continue",
          "else",
          "for",
          "function",
          "if",
          "import",
          "let",
          "loop",
          "package",
          "namespace",
          "return",
          "var",
          "void",
          "while");

  private static final Map<String, Operator> RELATIONS =
      Map.of(
          "==", Operator.EQUAL,
          "!=", Operator.NOT_EQUAL,
          "<", Operator.LESS,
          "<=", Operator.LESS_EQUAL,
          ">", Operator.GREATER,
          ">=", Operator.GREATER_EQUAL,
          "in", Operator.IN);

  private static final Map<String, Operator> SUMS =
      Map.of("+", Operator.ADD, "-", Operator.SUBTRACT);

  private static final Map<String, Operator> PRODUCTS =
      Map.of("*", Operator.MULTIPLY, "/", Operator.DIVIDE, "%", Operator.MODULO);

  private final Source source;
  private final Calls calls;
  private final List<Lexeme> tokens;
  private final Map<String, Integer> locals = new HashMap<>();
  private final Set<String> names = new TreeSet<>();
  private final Set<@Nullable Object> constants = new LinkedHashSet<>();
  private int at;
  private int depth;
  private int slots;
  private int nodes;

  private Parser(Source source, Functions functions) {
    this.source = source;
    this.calls = new Calls(source, functions);
    this.tokens = Lexer.tokens(source);
  }

  static Parsed parse(Source source, Functions functions) {
    Parser parser = new Parser(source, functions);
    Tree tree = parser.expression();
    if (parser.token().kind() != Kind.END) {
      throw parser.unexpected(parser.token(), "an operator or the end");
    }
    return new Parsed(tree, parser.slots, parser.names, new ArrayList<>(parser.constants));
  }

  private Tree expression() {
    if (++depth > DEPTH_MAX) {
      throw source.invalid(
          token().start(), "an expression must nest at most " + DEPTH_MAX + " levels deep");
    }
    Tree tree = or();
    if (token().is("?")) {
      int position = take().start();
      Tree then = or();
      expect(":");
      tree = made(new Tree.Conditional(position, tree, then, expression()));
    }
    depth--;
    return tree;
  }

  private Tree or() {
    Tree left = and();
    while (token().is("||")) {
      int position = take().start();
      left = made(new Tree.Or(position, left, and()));
    }
    return left;
  }

  private Tree and() {
    Tree left = relation();
    while (token().is("&&")) {
      int position = take().start();
      left = made(new Tree.And(position, left, relation()));
    }
    return left;
  }

  private Tree relation() {
    Tree left = sum();
    for (Operator operator = ahead(RELATIONS); operator != null; operator = ahead(RELATIONS)) {
      int position = take().start();
      left = made(new Tree.Binary(position, operator, left, sum()));
    }
    return left;
  }

  private Tree sum() {
    Tree left = product();
    for (Operator operator = ahead(SUMS); operator != null; operator = ahead(SUMS)) {
      int position = take().start();
      left = made(new Tree.Binary(position, operator, left, product()));
    }
    return left;
  }

  private Tree product() {
    Tree left = unary();
    for (Operator operator = ahead(PRODUCTS); operator != null; operator = ahead(PRODUCTS)) {
      int position = take().start();
      left = made(new Tree.Binary(position, operator, left, unary()));
    }
    return left;
  }

  private @Nullable Operator ahead(Map<String, Operator> operators) {
    return token().kind() == Kind.SIGN ? operators.get(token().text()) : null;
  }

  /// Parses signs. Two equal signs cancel each other, and one minus before digits belongs to the
  /// number.
  private Tree unary() {
    Lexeme first = token();
    if (!first.is("!") && !(first.is("-") && !isNumber(tokens.get(at + 1)))) {
      return member();
    }
    int count = 0;
    while (token().is(first.text())) {
      take();
      count++;
    }
    Tree operand = member();
    Operator operator = first.is("!") ? Operator.NOT : Operator.NEGATE;
    return count % 2 == 0 ? operand : made(new Tree.Unary(first.start(), operator, operand));
  }

  private static boolean isNumber(Lexeme token) {
    return token.kind() == Kind.WHOLE || token.kind() == Kind.REAL;
  }

  private Tree member() {
    Tree operand = primary();
    while (true) {
      if (token().is(".")) {
        operand = field(operand);
      } else if (token().is("[")) {
        int position = take().start();
        Tree index = expression();
        expect("]");
        operand = made(new Tree.Index(position, operand, index));
      } else {
        return operand;
      }
    }
  }

  private Tree field(Tree operand) {
    int position = take().start();
    Lexeme name = take();
    if (name.kind() != Kind.NAME && name.kind() != Kind.QUOTED_NAME) {
      throw unexpected(name, "the name of a field");
    }
    if (name.kind() == Kind.NAME && token().is("(")) {
      int open = take().start();
      return Macros.NAMES.contains(name.text())
          ? macro(open, name, operand)
          : made(calls.member(open, name.text(), operand, arguments()));
    }
    return made(new Tree.Select(position, operand, name.text()));
  }

  private Tree primary() {
    Lexeme token = take();
    return switch (token.kind()) {
      case LITERAL -> constant(token.start(), token.value());
      case WHOLE -> constant(token.start(), whole(token, ""));
      case REAL -> constant(token.start(), Double.parseDouble(token.text()));
      case NAME -> named(token, false);
      case SIGN -> bracket(token);
      case END, QUOTED_NAME -> throw unexpected(token, "a value");
    };
  }

  private Tree bracket(Lexeme token) {
    switch (token.text()) {
      case "(" -> {
        Tree inner = expression();
        expect(")");
        return inner;
      }
      case "[" -> {
        return items(token.start());
      }
      case "{" -> {
        return entries(token.start());
      }
      case "-" -> {
        Lexeme digits = token();
        if (isNumber(digits)) {
          take();
          return digits.kind() == Kind.WHOLE
              ? constant(token.start(), whole(digits, "-"))
              : constant(token.start(), -Double.parseDouble(digits.text()));
        }
      }
      case "." -> {
        if (token().kind() == Kind.NAME) {
          return named(take(), true);
        }
      }
      default -> {}
    }
    throw unexpected(token, "a value");
  }

  private Tree constant(int position, @Nullable Object value) {
    constants.add(value);
    return made(new Tree.Constant(position, value));
  }

  private Long whole(Lexeme token, String sign) {
    boolean isHex = token.text().startsWith("0x");
    try {
      return isHex
          ? Long.parseLong(sign + token.text().substring(2), 16)
          : Long.parseLong(sign + token.text());
    } catch (NumberFormatException e) {
      throw source.invalid(token.start(), sign + token.text() + " is out of the range of int");
    }
  }

  /// Parses a variable or a function call.
  ///
  /// @param rooted whether it is preceded by a dot: then it is never a variable of a macro
  private Tree named(Lexeme name, boolean rooted) {
    if (RESERVED.contains(name.text())) {
      throw source.invalid(name.start(), "'" + name.text() + "' is a reserved word");
    }
    if (token().is("(")) {
      int open = take().start();
      return !rooted && name.text().equals(Macros.HAS)
          ? has(open)
          : made(calls.global(open, name.text(), arguments()));
    }
    if (token().is("{")) {
      throw source.invalid(token().start(), "messages are not supported");
    }
    Integer slot = rooted ? null : locals.get(name.text());
    if (slot != null) {
      return made(new Tree.Local(name.start(), slot));
    }
    names.add(name.text());
    return made(
        name.text().equals("ctx")
            ? new Tree.Whole(name.start())
            : new Tree.Variable(name.start(), name.text()));
  }

  private List<Tree> arguments() {
    List<Tree> arguments = new ArrayList<>();
    if (!token().is(")")) {
      arguments.add(expression());
      while (token().is(",")) {
        take();
        arguments.add(expression());
      }
    }
    expect(")");
    return arguments;
  }

  private Tree items(int position) {
    List<Tree> items = new ArrayList<>();
    while (hasMore("]", items)) {
      items.add(expression());
    }
    return made(new Tree.Items(position, items));
  }

  private Tree entries(int position) {
    List<Tree> keys = new ArrayList<>();
    List<Tree> values = new ArrayList<>();
    while (hasMore("}", keys)) {
      keys.add(expression());
      expect(":");
      values.add(expression());
    }
    return made(new Tree.Entries(position, keys, values));
  }

  /// Returns whether another item follows. A trailing comma is allowed.
  private boolean hasMore(String end, List<Tree> before) {
    if (token().is(end)) {
      take();
      return false;
    }
    if (!before.isEmpty() || token().is(",")) {
      expect(",");
      if (before.isEmpty() || token().is(end)) {
        expect(end);
        return false;
      }
    }
    return true;
  }

  private Tree has(int position) {
    List<Tree> arguments = arguments();
    if (arguments.size() == 1
        && arguments.getFirst() instanceof Tree.Select(var at, var operand, var field)) {
      return new Tree.Has(position, operand, field);
    }
    throw source.invalid(position, "'has' requires one field of a value, as in has(a.b)");
  }

  /// Parses a macro. Its first argument is the name of the variable for the others.
  private Tree macro(int position, Lexeme macro, Tree range) {
    Lexeme name = take();
    if (name.kind() != Kind.NAME || RESERVED.contains(name.text())) {
      throw unexpected(name, "the name of a variable");
    }
    expect(",");
    Macros macros = new Macros(position, slots);
    slots += Macros.SLOTS;
    Integer outer = locals.put(name.text(), macros.element());
    List<Tree> arguments = arguments();
    if (outer == null) {
      locals.remove(name.text());
    } else {
      locals.put(name.text(), outer);
    }
    Tree fold = macros.fold(macro.text(), range, arguments);
    if (fold == null) {
      throw source.invalid(
          position,
          "'" + macro.text() + "' does not accept " + (arguments.size() + 1) + " arguments");
    }
    nodes += Macros.NODES;
    return made(fold);
  }

  private <T extends Tree> T made(T tree) {
    if (++nodes > Expressions.NODES_MAX) {
      throw source.invalid(
          0, "an expression must have at most " + Expressions.NODES_MAX + " nodes, got " + nodes);
    }
    return tree;
  }

  private Lexeme token() {
    return tokens.get(at);
  }

  private Lexeme take() {
    Lexeme token = tokens.get(at);
    at += token.kind() == Kind.END ? 0 : 1;
    return token;
  }

  private void expect(String sign) {
    if (!token().is(sign)) {
      throw unexpected(token(), "'" + sign + "'");
    }
    take();
  }

  private InvalidExpression unexpected(Lexeme found, String wanted) {
    return source.invalid(found.start(), "expected " + wanted + ", found " + found.shown());
  }
}
