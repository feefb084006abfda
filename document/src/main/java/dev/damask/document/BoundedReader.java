package dev.damask.document;

import dev.damask.json.JsonLimits;
import java.io.Reader;

/// Passes a string to a parser and stops the parser when it reads too much without producing a
/// token, because the YAML parser's time and memory for one token grow faster than the token.
final class BoundedReader extends Reader {
  /// The maximum number of characters that an escape sequence needs per byte.
  private static final int ESCAPE_CHARACTERS = 10;

  private static final int SLACK = 64 * 1_024;

  private final String text;
  private final int max;
  private int position;
  private int bound;

  BoundedReader(String text, JsonLimits limits) {
    this.text = text;
    this.max = limits.textBytes() * ESCAPE_CHARACTERS + SLACK;
    this.bound = max;
  }

  /// Thrown when the parser reads more than any token may have.
  static final class TooLong extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLong() {
      super(null, null, false, false);
    }
  }

  int max() {
    return max;
  }

  /// Returns whether the last characters that the parser read are a long sequence of digits.
  boolean isInNumber(int digits) {
    return position >= digits
        && text.substring(position - digits, position).chars().allMatch(c -> c >= '0' && c <= '9');
  }

  /// Resets the limit after the parser has produced a token.
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
