package dev.damask.document;

import java.io.Reader;

/// Hands a text to a parser and stops it when it swallows too much without coming up with anything:
/// the time and the memory the YAML parser needs for one token grow faster than the token.
final class BoundedReader extends Reader {
  /// An escape makes one byte of a text take up to ten characters.
  private static final int ESCAPE_CHARACTERS = 10;

  private static final int SLACK = 64 * 1_024;

  private final String text;
  private final int max;
  private int position;
  private int bound;

  BoundedReader(String text, DocumentLimits limits) {
    this.text = text;
    this.max = limits.textBytes() * ESCAPE_CHARACTERS + SLACK;
    this.bound = max;
  }

  /// The parser asked for more than any token may have.
  static final class TooLong extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLong() {
      super(null, null, false, false);
    }
  }

  int max() {
    return max;
  }

  /// Whether the last thing the parser swallowed was a long row of digits.
  boolean isInNumber(int digits) {
    return position >= digits
        && text.substring(position - digits, position).chars().allMatch(c -> c >= '0' && c <= '9');
  }

  /// The parser has come up with something; the next token may be as long again.
  void restart() {
    bound = position > Integer.MAX_VALUE - max ? Integer.MAX_VALUE : position + max;
  }

  @Override
  public int read(char[] target, int offset, int length) {
    if (position == text.length()) {
      return -1;
    }
    if (position >= bound) {
      throw new TooLong();
    }
    int count = Math.min(length, text.length() - position);
    text.getChars(position, position + count, target, offset);
    position += count;
    return count;
  }

  @Override
  public void close() {}
}
