package dev.damask.cli.command;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;

/// Writes control characters as escapes such as `\u001b`, so that no name, payload or message can
/// move the cursor, recolour the terminal or turn the reading direction. In JSON the escape stands
/// for the same character. Line breaks and tabs are written as they are.
final class SafeWriter extends FilterWriter {
  private SafeWriter(Writer out) {
    super(out);
  }

  static PrintWriter over(PrintWriter out) {
    return new PrintWriter(new SafeWriter(out), true);
  }

  @Override
  public void write(int c) throws IOException {
    if (isUnsafe((char) c)) {
      out.write("\\u%04x".formatted(c));
    } else {
      out.write(c);
    }
  }

  @Override
  public void write(char[] buffer, int offset, int length) throws IOException {
    write(new String(buffer, offset, length), 0, length);
  }

  @Override
  public void write(String text, int offset, int length) throws IOException {
    int from = offset;
    for (int i = offset; i < offset + length; i++) {
      if (isUnsafe(text.charAt(i))) {
        out.write(text, from, i - from);
        write(text.charAt(i));
        from = i + 1;
      }
    }
    out.write(text, from, offset + length - from);
  }

  /// Control characters, and the format characters that change the direction or begin a line.
  private static boolean isUnsafe(char c) {
    if (c == '\n' || c == '\t' || (c == '\r' && System.lineSeparator().length() > 1)) {
      return false;
    }
    return c < 0x20
        || (c >= 0x7f && c <= 0x9f)
        || c == 0x061c
        || c == 0x200e
        || c == 0x200f
        || (c >= 0x2028 && c <= 0x202e)
        || (c >= 0x2066 && c <= 0x2069)
        || c == 0xfeff;
  }
}
