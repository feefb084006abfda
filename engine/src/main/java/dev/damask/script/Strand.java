package dev.damask.script;

import dev.damask.effect.ScriptUnwound;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A part of a script that runs in order: the script itself, or one item of an `all`. Its steps are
/// counted by name.
final class Strand {
  final String path;

  /// Whether it only repeats what is recorded: another item of its `all` has failed.
  final boolean isClosed;

  private final Map<String, Integer> counts = new HashMap<>();

  /// Why it ended before its code; null until then. Used by the strand's thread only.
  @Nullable ScriptUnwound left;

  /// Whether the function of a step runs on the strand's thread.
  boolean isInStep;

  Strand(String path, boolean isClosed) {
    this.path = path;
    this.isClosed = isClosed;
  }

  /// The label of the next step of a name.
  String next(String name) {
    int count = counts.merge(name, 1, Integer::sum);
    return path + "/" + (count == 1 ? name : name + "#" + count);
  }

  /// Takes back the last label of a name: the step was not taken.
  void undoNext(String name) {
    counts.merge(name, -1, Integer::sum);
  }
}
