package dev.damask.expression;

import org.jspecify.annotations.Nullable;

/// One word, literal or operator of an expression's text.
///
/// @param start the offset of its first character
/// @param text the word, the digits of a number, or the operator itself
/// @param value the value of a literal
record Lexeme(Kind kind, int start, String text, @Nullable Object value) {
  enum Kind {
    END,
    NAME,
    /// A field in backticks.
    QUOTED_NAME,
    WHOLE,
    REAL,
    /// A string, bytes, `true`, `false` or `null`.
    LITERAL,
    /// An operator or a bracket, and the word `in`.
    SIGN
  }

  boolean is(String sign) {
    return kind == Kind.SIGN && text.equals(sign);
  }

  /// Returns the token as a message shows it.
  String shown() {
    return kind == Kind.END ? "the end" : "'" + text + "'";
  }
}
