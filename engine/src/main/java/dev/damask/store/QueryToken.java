package dev.damask.store;

import java.util.ArrayList;
import java.util.List;

/// A word, value or operator of the text of a query.
///
/// @param text of a quoted text without its quotes
/// @param column from 1
record QueryToken(Kind kind, String text, int column) {
  /// How many characters the text of a query may have.
  static final int CHARACTERS_MAX = 10_000;

  private static final int SHOWN_MAX = 40;

  /// What a token is.
  enum Kind {
    WORD,
    /// A text in quotes.
    TEXT,
    /// A number or a time.
    LITERAL,
    SYMBOL
  }

  boolean isSymbol(String symbol) {
    return kind == Kind.SYMBOL && text.equals(symbol);
  }

  boolean isLiteral() {
    return kind == Kind.LITERAL;
  }

  /// Whether it can name a status, a workflow or a task.
  boolean isName() {
    return kind == Kind.TEXT || (kind == Kind.WORD && !text.equalsIgnoreCase("and"));
  }

  /// As messages show it.
  String shown() {
    String cut = text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + "…" : text;
    return kind == Kind.TEXT ? "the text '" + cut + "'" : "'" + cut + "'";
  }

  /// Splits a string. Throws [QueryText.InvalidQuery] if a character cannot be part of a query.
  static List<QueryToken> of(String text) {
    if (text.length() > CHARACTERS_MAX) {
      throw new QueryText.InvalidQuery(
          CHARACTERS_MAX + 1,
          "a query has at most " + CHARACTERS_MAX + " characters, got " + text.length());
    }
    List<QueryToken> tokens = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (Character.isWhitespace(c)) {
        at++;
      } else if (c == '\'') {
        at = quoted(text, at, tokens);
      } else if (c == '=' || c == '<' || c == '>') {
        boolean isLong = c != '=' && at + 1 < text.length() && text.charAt(at + 1) == '=';
        int end = at + (isLong ? 2 : 1);
        tokens.add(new QueryToken(Kind.SYMBOL, text.substring(at, end), at + 1));
        at = end;
      } else if (isLiteralStart(text, at)) {
        at = run(text, at, Kind.LITERAL, tokens);
      } else if (Character.isLetter(c) || c == '_') {
        at = run(text, at, Kind.WORD, tokens);
      } else {
        String remedy = c == '"' ? "; write a string in single quotes" : "";
        throw new QueryText.InvalidQuery(
            at + 1,
            "expected a word, a value or an operator, found '"
                + new StringBuilder().appendCodePoint(text.codePointAt(at))
                + "'"
                + remedy);
      }
    }
    return tokens;
  }

  private static boolean isLiteralStart(String text, int at) {
    char c = text.charAt(at);
    boolean isSigned = (c == '-' || c == '+') && at + 1 < text.length();
    return isDigit(c) || (isSigned && isDigit(text.charAt(at + 1)));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /// Adds the letters, digits and signs from here on as one token and returns where it ends.
  private static int run(String text, int from, Kind kind, List<QueryToken> tokens) {
    int end = from + 1;
    while (end < text.length() && isPart(text.charAt(end))) {
      end++;
    }
    tokens.add(new QueryToken(kind, text.substring(from, end), from + 1));
    return end;
  }

  private static boolean isPart(char c) {
    return Character.isLetterOrDigit(c) || "_-.:+".indexOf(c) >= 0;
  }

  /// Adds a string in quotes, in which two quotes stand for one, and returns where it ends.
  private static int quoted(String text, int from, List<QueryToken> tokens) {
    StringBuilder value = new StringBuilder();
    for (int at = from + 1; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c != '\'') {
        value.append(c);
      } else if (at + 1 < text.length() && text.charAt(at + 1) == '\'') {
        value.append(c);
        at++;
      } else {
        tokens.add(new QueryToken(Kind.TEXT, value.toString(), from + 1));
        return at + 1;
      }
    }
    throw new QueryText.InvalidQuery(
        from + 1, "this string has no closing quote; write a quote inside a string twice");
  }
}
