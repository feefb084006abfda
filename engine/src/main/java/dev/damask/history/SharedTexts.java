package dev.damask.history;

import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.List;

/// Texts that come again and again in one byte sequence, or are empty: each is written once, and
/// then referred to by its position.
final class SharedTexts {
  private static final int KNOWN_MAX = 64;

  private final List<String> known = new ArrayList<>();
  private int last = -1;

  /// The number 0 is the empty text, others are places from 1 on, and the one behind them is new.
  void write(String text, Encoder out) {
    if (text.isEmpty()) {
      out.octet(0);
      return;
    }
    if (last < 0 || known.get(last) != text) { // mostly the one before, and the same object
      last = known.indexOf(text);
    }
    if (last >= 0) {
      out.natural(last + 1);
    } else {
      out.natural(known.size() + 1);
      out.text(text);
      add(text);
    }
  }

  String read(Decoder in) {
    int place = in.below(known.size() + 2);
    if (place == 0) {
      return "";
    }
    if (place <= known.size()) {
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
