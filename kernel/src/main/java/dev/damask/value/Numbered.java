package dev.damask.value;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// An enum constant that is stored by a fixed number. The names and the order of the constants may
/// change; the numbers are part of the stored formats and never change.
public interface Numbered {
  /// Returns the number that stands for the constant in stored bytes.
  int number();

  /// Returns the constants of an enum in the order of their numbers. Throws `IllegalStateException`
  /// unless the numbers are 0, 1, 2 and so on.
  static <E extends Numbered> List<E> ordered(E[] constants) {
    List<E> all = Stream.of(constants).sorted(Comparator.comparingInt(Numbered::number)).toList();
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).number() != i) {
        throw new IllegalStateException("expected number " + i + " for " + all.get(i));
      }
    }
    return all;
  }
}
