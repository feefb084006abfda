package dev.damask.expression;

import dev.damask.task.ExpressionFailure;

/// The text of an expression and its error messages.
record Source(String text) {
  private static final int SHOWN_MAX = 120;

  ExpressionFailure failure(int position, String cause) {
    return new ExpressionFailure(sentence(position, cause));
  }

  /// Creates the failure for a missing key or item.
  ExpressionFailure missing(int position, String cause) {
    return new ExpressionFailure(sentence(position, cause), true);
  }

  InvalidExpression invalid(int position, String cause) {
    return new InvalidExpression(sentence(position, cause));
  }

  private String sentence(int position, String cause) {
    String shown = text.length() <= SHOWN_MAX ? text : text.substring(0, SHOWN_MAX) + "…";
    return "expression '" + shown.replace('\n', ' ') + "' at " + place(position) + ": " + cause;
  }

  /// Returns line and column, both from one.
  private String place(int position) {
    int end = Math.min(position, text.length());
    int line = 1;
    int start = 0;
    for (int i = 0; i < end; i++) {
      if (text.charAt(i) == '\n') {
        line++;
        start = i + 1;
      }
    }
    return line + ":" + (end - start + 1);
  }
}
