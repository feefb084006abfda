package dev.damask.expression;

import dev.damask.expression.Lexeme.Kind;
import java.util.ArrayList;
import java.util.List;

/// Splits the text of an expression into tokens and skips white space and comments.
final class Lexer {
  /// The operators and brackets, longest first.
  private static final List<String> SIGNS =
      List.of(
          "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-",
          "!", "?", ":", "+", "*", "/", "%");

  private final Source source;
  private final String text;
  private final List<Lexeme> tokens = new ArrayList<>();
  private int at;

  private Lexer(Source source) {
    this.source = source;
    this.text = source.text();
  }

  /// Returns the tokens of a string; the last one marks the end.
  static List<Lexeme> tokens(Source source) {
    Lexer lexer = new Lexer(source);
    lexer.skipSpace();
    while (lexer.at < lexer.text.length()) {
      lexer.tokens.add(lexer.next());
      lexer.skipSpace();
    }
    lexer.tokens.add(new Lexeme(Kind.END, lexer.at, "", null));
    return lexer.tokens;
  }

  private Lexeme next() {
    char first = peek(0);
    if (isDigit(first) || (first == '.' && isDigit(peek(1)))) {
      return number();
    }
    int prefix = Literals.prefix(text, at);
    if (prefix >= 0) {
      int start = at;
      Literals literals = new Literals(source, start, prefix);
      at = literals.end();
      return new Lexeme(Kind.LITERAL, start, text.substring(start, at), literals.value());
    }
    if (isWordStart(first)) {
      return word();
    }
    if (first == '`') {
      return quotedName();
    }
    for (String sign : SIGNS) {
      if (text.startsWith(sign, at)) {
        at += sign.length();
        return new Lexeme(Kind.SIGN, at - sign.length(), sign, null);
      }
    }
    throw source.invalid(
        at, "'" + Character.toString(text.codePointAt(at)) + "' is not allowed here");
  }

  private Lexeme word() {
    int start = at;
    while (isWordStart(peek(0)) || isDigit(peek(0))) {
      at++;
    }
    String word = text.substring(start, at);
    return switch (word) {
      case "true" -> new Lexeme(Kind.LITERAL, start, word, true);
      case "false" -> new Lexeme(Kind.LITERAL, start, word, false);
      case "null" -> new Lexeme(Kind.LITERAL, start, word, null);
      case "in" -> new Lexeme(Kind.SIGN, start, word, null);
      default -> new Lexeme(Kind.NAME, start, word, null);
    };
  }

  private Lexeme quotedName() {
    int start = at;
    int end = text.indexOf('`', start + 1);
    String name = end < 0 ? "" : text.substring(start + 1, end);
    boolean isName =
        name.chars()
            .allMatch(c -> isWordStart((char) c) || isDigit((char) c) || ".-/ ".indexOf(c) >= 0);
    if (name.isEmpty() || !isName) {
      throw source.invalid(
          start, "a field in backticks may contain only letters, digits, spaces and '_.-/'");
    }
    at = end + 1;
    return new Lexeme(Kind.QUOTED_NAME, start, name, null);
  }

  /// Reads a number. Its digits are kept as written, because the parser knows the sign.
  private Lexeme number() {
    int start = at;
    boolean whole = true;
    if (peek(0) == '0' && peek(1) == 'x' && isHexDigit(peek(2))) {
      at += 2;
      while (isHexDigit(peek(0))) {
        at++;
      }
    } else {
      skipDigits();
      if (peek(0) == '.' && isDigit(peek(1))) {
        whole = false;
        at++;
        skipDigits();
      }
      whole &= !skipExponent();
    }
    if (whole && (peek(0) == 'u' || peek(0) == 'U')) {
      throw source.invalid(start, "unsigned numbers are not supported");
    }
    return new Lexeme(whole ? Kind.WHOLE : Kind.REAL, start, text.substring(start, at), null);
  }

  private boolean skipExponent() {
    if (peek(0) != 'e' && peek(0) != 'E') {
      return false;
    }
    int digits = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
    if (!isDigit(peek(digits))) {
      return false;
    }
    at += digits;
    skipDigits();
    return true;
  }

  private void skipDigits() {
    while (isDigit(peek(0))) {
      at++;
    }
  }

  private void skipSpace() {
    while (at < text.length()) {
      if (text.startsWith("//", at)) {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (" \t\r\n\f".indexOf(text.charAt(at)) >= 0) {
        at++;
      } else {
        return;
      }
    }
  }

  private char peek(int ahead) {
    return at + ahead < text.length() ? text.charAt(at + ahead) : '\0';
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  static boolean isHexDigit(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }

  static boolean isWordStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
}
