package dev.damask.encoding;

import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// The values of a case that are stored under their hashes: those that are stored, and those that
/// the record which is being written refers to.
public final class SharedValues {
  /// A value that a record refers to, encoded.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Use(Sum hash, byte[] bytes) {}

  // Most cases have no large values, so these are created when there is one.
  private Set<Sum> stored = Collections.emptySet();
  private Set<Sum> used = Collections.emptySet();
  private List<SharedValue> added = List.of();

  /// The record refers to a value.
  public void use(Use value) {
    used = used.isEmpty() ? new TreeSet<>() : used;
    used.add(value.hash());
    if (isNew(value.hash())) {
      added = added.isEmpty() ? new ArrayList<>() : added;
      added.add(new SharedValue(value.hash(), value.bytes()));
    }
  }

  /// A record that was read refers to a value.
  public void known(Sum hash) {
    isNew(hash);
  }

  private boolean isNew(Sum hash) {
    stored = stored.isEmpty() ? new HashSet<>() : stored;
    return stored.add(hash);
  }

  /// The hashes of the values that are stored, in order.
  public List<Sum> stored() {
    return stored.isEmpty() ? List.of() : List.copyOf(new TreeSet<>(stored));
  }

  /// The values that were used since this was last called, in order.
  public List<Sum> takeUsed() {
    List<Sum> taken = List.copyOf(used);
    used = Collections.emptySet();
    return taken;
  }

  /// The values that must be stored with the record.
  public List<SharedValue> takeAdded() {
    List<SharedValue> taken = List.copyOf(added);
    added = List.of();
    return taken;
  }

  /// Keeps only the values that a base refers to; returns the others.
  public List<Sum> keepOnly(List<Sum> kept) {
    TreeSet<Sum> dropped = new TreeSet<>(stored);
    kept.forEach(dropped::remove);
    stored = kept.isEmpty() ? Collections.emptySet() : new HashSet<>(kept);
    return List.copyOf(dropped);
  }
}
