package dev.damask.cases;

import dev.damask.task.Decoder;
import dev.damask.task.Encoder;
import java.util.ArrayList;
import java.util.List;

/// Texts that come again and again in one run of bytes: each is written once, and then told by its
/// place.
final class SharedTexts {
  private static final int KNOWN_MAX = 64;

  private final List<String> known = new ArrayList<>();
  private int last = -1;

  void write(String text, Encoder out) {
    if (last < 0 || known.get(last) != text) { // mostly the one before
      last = known.size() - 1;
      while (last >= 0 && known.get(last) != text) { // few, and always the same objects
        last--;
      }
    }
    out.natural(last + 1);
    if (last < 0) {
      out.text(text);
      add(text);
    }
  }

  String read(Decoder in) {
    int place = in.below(known.size() + 1);
    if (place > 0) {
      return known.get(place - 1);
    }
    String text = in.text();
    add(text);
    return text;
  }

  private void add(String text) {
    if (known.size() < KNOWN_MAX) {
      last = known.size();
      known.add(text);
    }
  }
}
