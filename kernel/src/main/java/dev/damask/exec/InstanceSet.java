package dev.damask.exec;

import dev.damask.task.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// What one activation of a set of instances has got so far.
final class InstanceSet {
  int made;

  /// The contexts of completed instances, by instance number.
  final TreeMap<Integer, Context> got = new TreeMap<>();

  int dead;
  boolean fired;

  /// Whether no further instance may be added.
  boolean sealed;

  /// How many must complete; -1 when all must, or a condition decides.
  long need = -1;

  int alive() {
    return made - got.size() - dead;
  }

  List<Context> results() {
    return new ArrayList<>(got.values());
  }
}
