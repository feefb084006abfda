package dev.damask.exec;

import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// The values of a case that are stored under their hashes: those that are stored, and those that
/// the record which is being written refers to.
final class SharedValues {
  /// A value that a record refers to, encoded.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Use(Sum hash, byte[] bytes) {}

  private final Set<Sum> stored = new HashSet<>();
  private final TreeSet<Sum> used = new TreeSet<>();
  private final List<SharedValue> added = new ArrayList<>();

  /// The record refers to a value.
  void use(Use value) {
    used.add(value.hash());
    if (stored.add(value.hash())) {
      added.add(new SharedValue(value.hash(), value.bytes()));
    }
  }

  /// A record that was read refers to a value.
  void known(Sum hash) {
    stored.add(hash);
  }

  /// The values that were used since this was last called, in order.
  List<Sum> takeUsed() {
    List<Sum> taken = List.copyOf(used);
    used.clear();
    return taken;
  }

  /// The values that must be stored with the record.
  List<SharedValue> takeAdded() {
    List<SharedValue> taken = List.copyOf(added);
    added.clear();
    return taken;
  }

  /// Keeps only the values that a base refers to; gives the others.
  List<Sum> keepOnly(List<Sum> kept) {
    TreeSet<Sum> dropped = new TreeSet<>(stored);
    kept.forEach(dropped::remove);
    stored.clear();
    stored.addAll(kept);
    return List.copyOf(dropped);
  }
}
