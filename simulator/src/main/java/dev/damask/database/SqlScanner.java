package dev.damask.database;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Divides SQL into words.
final class SqlScanner {
  /// The kinds of words.
  enum Kind {
    NAME,
    QUOTED,
    NUMBER,
    TEXT,
    SIGN,
    END
  }

  /// A word. Names are in lower case and interned.
  record Word(Kind kind, String text) {
    boolean is(String sign) {
      return (kind == Kind.SIGN || kind == Kind.NAME) && text.equals(sign);
    }
  }

  private static final List<String> LONG_SIGNS = List.of("::", "<>", "<=", ">=", "||", "!~", "<<");

  private final String text;
  private int at;

  private SqlScanner(String text) {
    this.text = text;
  }

  static List<Word> scan(String text) {
    SqlScanner scanner = new SqlScanner(text);
    List<Word> words = new ArrayList<>();
    while (scanner.skipsSpace()) {
      words.add(scanner.next());
    }
    words.add(new Word(Kind.END, ""));
    return words;
  }

  private boolean skipsSpace() {
    while (at < text.length()) {
      if (Character.isWhitespace(text.charAt(at))) {
        at++;
      } else if (text.startsWith("--", at)) {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else {
        return true;
      }
    }
    return false;
  }

  private Word next() {
    char first = text.charAt(at);
    if (Character.isLetter(first) || first == '_') {
      int from = at;
      while (at < text.length() && isPart(text.charAt(at))) {
        at++;
      }
      return new Word(Kind.NAME, text.substring(from, at).toLowerCase(Locale.ROOT).intern());
    }
    if (Character.isDigit(first)) {
      int from = at;
      while (at < text.length() && (Character.isDigit(text.charAt(at)) || text.charAt(at) == '.')) {
        at++;
      }
      return new Word(Kind.NUMBER, text.substring(from, at));
    }
    if (first == '\'' || first == '"') {
      return quoted(first);
    }
    if (text.startsWith("$$", at)) {
      int end = text.indexOf("$$", at + 2);
      String body = text.substring(at + 2, end);
      at = end + 2;
      return new Word(Kind.TEXT, body);
    }
    for (String sign : LONG_SIGNS) {
      if (text.startsWith(sign, at)) {
        at += sign.length();
        return new Word(Kind.SIGN, sign);
      }
    }
    at++;
    return new Word(Kind.SIGN, String.valueOf(first).intern());
  }

  private static boolean isPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_';
  }

  private Word quoted(char quote) {
    StringBuilder value = new StringBuilder();
    at++;
    while (true) {
      char c = text.charAt(at++);
      if (c != quote) {
        value.append(c);
      } else if (at < text.length() && text.charAt(at) == quote) {
        value.append(c);
        at++;
      } else {
        break;
      }
    }
    return new Word(quote == '"' ? Kind.QUOTED : Kind.TEXT, value.toString().intern());
  }
}
