package dev.damask.drawing;

import java.util.ArrayList;
import java.util.List;

/// A text as it is shown, with its width.
///
/// The reader's fonts are unknown, so widths are estimated generously.
///
/// @param shown the text, shortened if it is too long
/// @param full the whole text
record Label(String shown, String full, int width) {
  static final Label NONE = new Label("", "", 0);

  static final int WIDTH_MAX = 240;

  private static final String NARROW = "fijlrtI.,:;'|!()[]{}/ -";
  private static final String WIDE = "mwMW@%";

  /// The fonts: for names, small print, expressions and headings.
  enum Font {
    NAME(13, false),
    SMALL(11, false),
    CODE(11, true),
    TITLE(19, false);

    final int size;
    final boolean isMono;

    Font(int size, boolean isMono) {
      this.size = size;
      this.isMono = isMono;
    }
  }

  static Label of(String text, Font font) {
    return of(text, font, WIDTH_MAX);
  }

  static Label of(String text, Font font, int widthMax) {
    StringBuilder shown = new StringBuilder();
    double width = 0;
    int lastFit = 0;
    double ellipsis = em(0x2026, font) * font.size;
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      i += Character.charCount(point);
      width += em(point, font) * font.size;
      if (width > widthMax) {
        shown.setLength(lastFit);
        return new Label(shown.toString().strip() + "…", text, widthMax);
      }
      shown.appendCodePoint(point);
      if (width <= widthMax - ellipsis) {
        lastFit = shown.length();
      }
    }
    return new Label(text, text, (int) Math.ceil(width));
  }

  /// Splits a string into lines of a maximum width, between words if possible.
  static List<Label> lines(String text, Font font, int widthMax) {
    List<Label> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.strip().split("\\s+", -1)) {
      String longer = line.isEmpty() ? word : line + " " + word;
      if (width(longer, font) <= widthMax || line.isEmpty()) {
        line.setLength(0);
        line.append(longer);
      } else {
        lines.add(of(line.toString(), font, WIDTH_MAX));
        line.setLength(0);
        line.append(word);
      }
    }
    lines.add(of(line.toString(), font, WIDTH_MAX));
    return lines;
  }

  private static double width(String text, Font font) {
    return text.codePoints().mapToDouble(point -> em(point, font) * font.size).sum();
  }

  boolean isEmpty() {
    return shown.isEmpty();
  }

  private static double em(int point, Font font) {
    if (point >= 0x1100) {
      return point < 0x2e80 ? 1.0 : 1.2;
    }
    if (font.isMono) {
      return 0.62;
    }
    if (point > 0x7f) {
      return 0.75;
    }
    if (NARROW.indexOf(point) >= 0) {
      return 0.4;
    }
    if (WIDE.indexOf(point) >= 0) {
      return 1.0;
    }
    return point >= 'A' && point <= 'Z' ? 0.72 : 0.63;
  }
}
