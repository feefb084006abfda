package dev.damask.drawing;

/// Escapes text for XML elements and attributes.
final class XmlText {
  private static final int REPLACEMENT = 0xfffd;

  private XmlText() {}

  /// Appends a string. Characters that XML does not allow, and those that change the reading
  /// direction, become the replacement character.
  static void escape(StringBuilder out, String text) {
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      i += Character.charCount(point);
      switch (point) {
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '&' -> out.append("&amp;");
        case '"' -> out.append("&quot;");
        case '\'' -> out.append("&#39;");
        case '\n', '\r', '\t' -> out.append(' ');
        default -> out.appendCodePoint(isAllowed(point) ? point : REPLACEMENT);
      }
    }
  }

  private static boolean isAllowed(int point) {
    boolean isControl = point < 0x20 || (point >= 0x7f && point <= 0x9f);
    boolean isSurrogate = point >= 0xd800 && point <= 0xdfff;
    boolean turns =
        (point >= 0x202a && point <= 0x202e)
            || (point >= 0x2066 && point <= 0x2069)
            || point == 0x200e
            || point == 0x200f
            || point == 0x061c;
    return !isControl && !isSurrogate && !turns && (point & 0xfffe) != 0xfffe;
  }
}
