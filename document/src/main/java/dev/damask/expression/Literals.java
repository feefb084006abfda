package dev.damask.expression;

import dev.damask.value.Bytes;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/// Reads a string or bytes literal: with single or triple quotes, raw or with escapes.
final class Literals {
  private static final int HEX = 16;
  private static final int OCTAL = 8;

  private final Source source;
  private final String text;
  private final int start;
  private final String quote;
  private final boolean isRaw;
  private final boolean isBytes;
  private final int end;
  private final StringBuilder characters = new StringBuilder();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private int at;

  /// @param start where its prefix begins
  /// @param prefix how many letters come before its quotes
  Literals(Source source, int start, int prefix) {
    this.source = source;
    this.text = source.text();
    this.start = start;
    String letters = text.substring(start, start + prefix);
    this.isRaw = letters.indexOf('r') >= 0 || letters.indexOf('R') >= 0;
    this.isBytes = letters.indexOf('b') >= 0 || letters.indexOf('B') >= 0;
    this.at = start + prefix;
    String one = text.substring(at, at + 1);
    this.quote = text.startsWith(one.repeat(3), at) ? one.repeat(3) : one;
    at += quote.length();
    read();
    this.end = at + quote.length();
  }

  /// Returns the number of letters before the quotes of a literal at this position: `r`, `b` or
  /// `br`; -1 if there is no literal.
  static int prefix(String text, int at) {
    int letters = 0;
    letters += isOneOf(text, at + letters, "bB") ? 1 : 0;
    letters += isOneOf(text, at + letters, "rR") ? 1 : 0;
    return isOneOf(text, at + letters, "'\"") ? letters : -1;
  }

  private static boolean isOneOf(String text, int at, String characters) {
    return at < text.length() && characters.indexOf(text.charAt(at)) >= 0;
  }

  /// Returns the offset after the last quote.
  int end() {
    return end;
  }

  Object value() {
    return isBytes ? Bytes.of(bytes.toByteArray()) : characters.toString();
  }

  private void read() {
    boolean isLong = quote.length() > 1;
    while (!text.startsWith(quote, at)) {
      if (at >= text.length() || (!isLong && isOneOf(text, at, "\r\n"))) {
        throw source.invalid(start, "the string is not terminated");
      }
      char c = text.charAt(at);
      if (c == '\\') {
        escape();
      } else if (c == '\r') {
        // Every line end becomes one character, so that files from all systems have the same value.
        at += isOneOf(text, at + 1, "\n") ? 2 : 1;
        add('\n');
      } else {
        int point = text.codePointAt(at);
        at += Character.charCount(point);
        add(point);
      }
    }
  }

  private void add(int point) {
    if (isBytes) {
      bytes.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
    } else {
      characters.appendCodePoint(point);
    }
  }

  private void escape() {
    int sequence = at++;
    if (isRaw) {
      raw(sequence);
      return;
    }
    char c = at < text.length() ? text.charAt(at) : '\0';
    at++;
    switch (c) {
      case 'a' -> add('\u0007');
      case 'b' -> add('\b');
      case 'f' -> add('\f');
      case 'n' -> add('\n');
      case 'r' -> add('\r');
      case 't' -> add('\t');
      case 'v' -> add('\u000b');
      case '"', '\'', '\\', '?', '`' -> add(c);
      case '0', '1', '2', '3' -> {
        at--;
        unit(number(sequence, 3, OCTAL));
      }
      case 'x', 'X' -> unit(number(sequence, 2, HEX));
      case 'u' -> point(sequence, number(sequence, 4, HEX));
      case 'U' -> point(sequence, number(sequence, 8, HEX));
      default -> throw source.invalid(sequence, "'\\" + c + "' is not an escape sequence");
    }
  }

  /// Reads a backslash of a raw string, which is kept together with the next character.
  private void raw(int sequence) {
    if (at >= text.length() || text.startsWith(quote, at)) {
      throw source.invalid(sequence, "a raw string must not end with a backslash");
    }
    add('\\');
    int point = text.codePointAt(at);
    if (quote.length() == 1 && (point == '\n' || point == '\r')) {
      throw source.invalid(start, "the string is not terminated");
    }
    at += Character.charCount(point);
    add(point);
  }

  private long number(int sequence, int digits, int base) {
    long number = 0;
    for (int i = 0; i < digits; i++) {
      char c = at < text.length() ? text.charAt(at) : '\0';
      int digit = c < 128 ? Character.digit(c, base) : -1;
      if (digit < 0) {
        throw source.invalid(sequence, "incomplete escape sequence");
      }
      number = number * base + digit;
      at++;
    }
    return number;
  }

  /// Appends one byte, or the character with this number in a string.
  private void unit(long number) {
    if (isBytes) {
      bytes.write((int) number);
    } else {
      characters.append((char) number);
    }
  }

  private void point(int sequence, long number) {
    if (isBytes) {
      throw source.invalid(sequence, "bytes cannot contain an escape sequence for characters");
    }
    boolean isSurrogate = number >= Character.MIN_SURROGATE && number <= Character.MAX_SURROGATE;
    if (number > Character.MAX_CODE_POINT || isSurrogate) {
      throw source.invalid(sequence, "the escape sequence is not a valid character");
    }
    add((int) number);
  }
}
