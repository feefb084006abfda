package dev.damask.expression;

import dev.damask.expression.Tree.Operator;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Reads the plain expressions that make up most workflows (constants, keys, comparisons, sums,
/// logic) without loading the expression library, whose first use costs most of a second.
///
/// It knows a subset and gives up on everything else, above all on anything the library might find
/// fault with, so that every text means the same, and every error reads the same, with or without
/// it.
final class SimpleParser {
  private static final int DEPTH_MAX = 50;

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
          "in",
          "let",
          "loop",
          "package",
          "namespace",
          "return",
          "var",
          "void",
          "while",
          "google",
          "optional",
          "optional_type",
          "cel",
          "true",
          "false",
          "null");

  private final String text;
  private final Set<String> names = new TreeSet<>();
  private int at;
  private int depth;

  private SimpleParser(String text) {
    this.text = text;
  }

  /// The text is outside the subset.
  private static final class GivenUp extends Exception {
    private static final long serialVersionUID = 1L;

    private GivenUp() {
      super(null, null, false, false);
    }
  }

  /// What is known of a value before it is computed.
  private enum Kind {
    ANY,
    INT,
    DOUBLE,
    STRING,
    BOOL,
    NULL,
    CONTEXT
  }

  private record Typed(Tree tree, Kind kind) {}

  /// A plain expression; null when the library has to look at it.
  static @Nullable Parsed parse(String text) {
    SimpleParser parser = new SimpleParser(text);
    try {
      Tree tree = parser.or().tree();
      parser.skipSpace();
      return parser.at == text.length() ? new Parsed(tree, 0, parser.names) : null;
    } catch (GivenUp givenUp) {
      return null;
    }
  }

  private Typed or() throws GivenUp {
    if (++depth > DEPTH_MAX) {
      throw new GivenUp();
    }
    Typed left = and();
    for (int position = operator("||"); position >= 0; position = operator("||")) {
      Typed right = and();
      requireBool(left, right);
      left = new Typed(new Tree.Or(position, left.tree(), right.tree()), Kind.BOOL);
    }
    depth--;
    return left;
  }

  private Typed and() throws GivenUp {
    Typed left = relation();
    for (int position = operator("&&"); position >= 0; position = operator("&&")) {
      Typed right = relation();
      requireBool(left, right);
      left = new Typed(new Tree.And(position, left.tree(), right.tree()), Kind.BOOL);
    }
    return left;
  }

  private static void requireBool(Typed left, Typed right) throws GivenUp {
    if ((left.kind() != Kind.BOOL && left.kind() != Kind.ANY)
        || (right.kind() != Kind.BOOL && right.kind() != Kind.ANY)) {
      throw new GivenUp();
    }
  }

  private Typed relation() throws GivenUp {
    Typed left = sum();
    for (Operator operator = relationAhead(); operator != null; operator = relationAhead()) {
      int position = at;
      at += operator.text().length();
      Typed right = sum();
      boolean ordered = operator != Operator.EQUAL && operator != Operator.NOT_EQUAL;
      Kind kind = common(left.kind(), right.kind());
      if (ordered && kind == Kind.NULL) {
        throw new GivenUp();
      }
      left = binary(position, operator, left, right, Kind.BOOL);
    }
    return left;
  }

  private @Nullable Operator relationAhead() {
    skipSpace();
    for (Operator operator :
        new Operator[] {
          Operator.EQUAL,
          Operator.NOT_EQUAL,
          Operator.LESS_EQUAL,
          Operator.GREATER_EQUAL,
          Operator.LESS,
          Operator.GREATER
        }) {
      if (text.startsWith(operator.text(), at)) {
        return operator;
      }
    }
    return null;
  }

  private Typed sum() throws GivenUp {
    Typed left = product();
    while (true) {
      skipSpace();
      char next = peek();
      if (next != '+' && next != '-') {
        return left;
      }
      int position = at++;
      Typed right = product();
      Kind kind = common(left.kind(), right.kind());
      if (kind == Kind.NULL || kind == Kind.BOOL || (kind == Kind.STRING && next == '-')) {
        throw new GivenUp();
      }
      Operator operator = next == '+' ? Operator.ADD : Operator.SUBTRACT;
      left = binary(position, operator, left, right, kind);
    }
  }

  private Typed product() throws GivenUp {
    Typed left = unary();
    while (true) {
      skipSpace();
      char next = peek();
      if (next != '*' && next != '/' && next != '%') {
        return left;
      }
      int position = at++;
      Typed right = unary();
      Kind kind = common(left.kind(), right.kind());
      if (kind != Kind.ANY && kind != Kind.INT && (kind != Kind.DOUBLE || next == '%')) {
        throw new GivenUp();
      }
      Operator operator =
          next == '*' ? Operator.MULTIPLY : next == '/' ? Operator.DIVIDE : Operator.MODULO;
      left = binary(position, operator, left, right, kind);
    }
  }

  private static Typed binary(int position, Operator operator, Typed left, Typed right, Kind kind) {
    return new Typed(new Tree.Binary(position, operator, left.tree(), right.tree()), kind);
  }

  /// The kind two operands share; gives up when they differ, because the library may refuse them.
  private static Kind common(Kind left, Kind right) throws GivenUp {
    if (left == Kind.CONTEXT || right == Kind.CONTEXT) {
      throw new GivenUp();
    }
    if (left == Kind.ANY) {
      return right;
    }
    if (right == Kind.ANY || left == right) {
      return left;
    }
    throw new GivenUp();
  }

  private Typed unary() throws GivenUp {
    skipSpace();
    int position = at;
    char sign = peek();
    if (sign != '!' && sign != '-') {
      return member();
    }
    at++;
    skipSpace();
    if (sign == '-' && isDigit(peek())) {
      return number(position, true);
    }
    if (peek() == '!' || peek() == '-') {
      throw new GivenUp();
    }
    Typed operand = member();
    Kind kind = operand.kind();
    if (sign == '!' ? kind != Kind.BOOL && kind != Kind.ANY : kind != Kind.ANY) {
      throw new GivenUp();
    }
    Operator operator = sign == '!' ? Operator.NOT : Operator.NEGATE;
    return new Typed(
        new Tree.Unary(position, operator, operand.tree()), sign == '!' ? Kind.BOOL : Kind.ANY);
  }

  private Typed member() throws GivenUp {
    Typed operand = primary();
    while (peek() == '.') {
      int position = at++;
      String field = word();
      if (peek() == '(') {
        throw new GivenUp();
      }
      if (operand.kind() != Kind.ANY && operand.kind() != Kind.CONTEXT) {
        throw new GivenUp();
      }
      operand = new Typed(new Tree.Select(position, operand.tree(), field), Kind.ANY);
    }
    return operand;
  }

  private Typed primary() throws GivenUp {
    skipSpace();
    int position = at;
    char first = peek();
    if (first == '(') {
      at++;
      Typed inner = or();
      close();
      return inner;
    }
    if (first == '"' || first == '\'') {
      return quoted(position, first);
    }
    if (isDigit(first)) {
      return number(position, false);
    }
    String word = rawWord();
    return switch (word) {
      case "true" -> new Typed(new Tree.Constant(position, true), Kind.BOOL);
      case "false" -> new Typed(new Tree.Constant(position, false), Kind.BOOL);
      case "null" -> new Typed(new Tree.Constant(position, null), Kind.NULL);
      case "ctx" -> {
        names.add(word);
        yield new Typed(new Tree.Whole(position), Kind.CONTEXT);
      }
      case "has" -> has();
      case "int" -> function(Operator.INT, Kind.INT);
      case "double" -> function(Operator.DOUBLE, Kind.DOUBLE);
      case "size" -> function(Operator.SIZE, Kind.INT);
      default -> {
        if (RESERVED.contains(word) || peek() == '(' || peek() == '"' || peek() == '\'') {
          throw new GivenUp();
        }
        names.add(word);
        yield new Typed(new Tree.Variable(position, word), Kind.ANY);
      }
    };
  }

  private Typed has() throws GivenUp {
    int position = open();
    skipSpace();
    Typed operand = member();
    close();
    if (operand.tree() instanceof Tree.Select(var at, var inner, var field)) {
      return new Typed(new Tree.Has(position, inner, field), Kind.BOOL);
    }
    throw new GivenUp();
  }

  /// A function of one value; only of a value of unknown kind, because others may be refused.
  private Typed function(Operator operator, Kind kind) throws GivenUp {
    int position = open();
    Typed operand = or();
    close();
    if (operand.kind() != Kind.ANY) {
      throw new GivenUp();
    }
    return new Typed(new Tree.Unary(position, operator, operand.tree()), kind);
  }

  private int open() throws GivenUp {
    if (peek() != '(') {
      throw new GivenUp();
    }
    return at++;
  }

  private void close() throws GivenUp {
    skipSpace();
    if (peek() != ')') {
      throw new GivenUp();
    }
    at++;
  }

  private Typed quoted(int position, char quote) throws GivenUp {
    int end = text.indexOf(quote, at + 1);
    String content = end < 0 ? "\\" : text.substring(at + 1, end);
    boolean tripled = content.isEmpty() && end + 1 < text.length() && text.charAt(end + 1) == quote;
    if (tripled || content.indexOf('\\') >= 0 || content.chars().anyMatch(c -> c < ' ')) {
      throw new GivenUp();
    }
    at = end + 1;
    return new Typed(new Tree.Constant(position, content), Kind.STRING);
  }

  private Typed number(int position, boolean negative) throws GivenUp {
    int start = at;
    skipDigits();
    boolean whole = true;
    if (peek() == '.' && at + 1 < text.length() && isDigit(text.charAt(at + 1))) {
      whole = false;
      at++;
      skipDigits();
    }
    char next = peek();
    if (next == '.' || isWordStart(next) || at - start > 30) {
      throw new GivenUp();
    }
    String digits = (negative ? "-" : "") + text.substring(start, at);
    try {
      return whole
          ? new Typed(new Tree.Constant(position, Long.parseLong(digits)), Kind.INT)
          : new Typed(new Tree.Constant(position, Double.parseDouble(digits)), Kind.DOUBLE);
    } catch (NumberFormatException e) {
      throw new GivenUp();
    }
  }

  private String word() throws GivenUp {
    String word = rawWord();
    if (RESERVED.contains(word)) {
      throw new GivenUp();
    }
    return word;
  }

  private String rawWord() throws GivenUp {
    int start = at;
    if (!isWordStart(peek())) {
      throw new GivenUp();
    }
    while (isWordStart(peek()) || isDigit(peek())) {
      at++;
    }
    return text.substring(start, at);
  }

  private void skipDigits() {
    while (isDigit(peek())) {
      at++;
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isWordStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  /// Goes past an operator and returns where it stood, or minus one.
  private int operator(String operator) {
    skipSpace();
    if (!text.startsWith(operator, at)) {
      return -1;
    }
    int position = at;
    at += operator.length();
    return position;
  }

  private char peek() {
    return at < text.length() ? text.charAt(at) : '\0';
  }

  private void skipSpace() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') {
      at++;
    }
  }
}
