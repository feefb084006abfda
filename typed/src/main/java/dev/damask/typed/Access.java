package dev.damask.typed;

import java.util.List;

/// The keys that a typed leaf reads and writes.
interface Access {
  /// The leaf as messages show it.
  String label();

  /// The keys that must exist.
  List<BoundKey<?>> reads();

  /// The keys that it writes whenever it completes.
  List<BoundKey<?>> writes();

  /// The keys as the program hash and listings show them: `typed order, approved -> parcel`.
  static String text(String word, List<BoundKey<?>> reads, List<BoundKey<?>> writes) {
    StringBuilder text = new StringBuilder(word);
    String comma = " ";
    for (BoundKey<?> each : reads) {
      text.append(comma).append(each.key().name());
      comma = ", ";
    }
    for (BoundKey<?> each : writes) {
      text.append(" -> ").append(each.key().name());
    }
    return text.toString();
  }
}
