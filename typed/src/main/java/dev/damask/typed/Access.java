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

  /// The keys with their types, for people: `(order: Order) -> (parcel: Parcel)`.
  static String signature(List<BoundKey<?>> reads, List<BoundKey<?>> writes) {
    return "(" + typed(reads) + ") -> (" + typed(writes) + ")";
  }

  private static String typed(List<BoundKey<?>> keys) {
    return String.join(", ", keys.stream().map(key -> key.entry() + ": " + key.type()).toList());
  }
}
