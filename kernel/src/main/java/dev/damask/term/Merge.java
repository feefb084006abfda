package dev.damask.term;

import dev.damask.task.MergeFunction;
import java.util.List;
import java.util.Locale;

/// How the contexts that meet at a join become one.
public sealed interface Merge {
  /// The merges without parameters.
  enum Standard implements Merge {
    /// On conflict the branch latest in branch order wins.
    LAST,
    /// On conflict the branch earliest in branch order wins.
    FIRST,
    /// A conflict fails the case with `merge_conflict`.
    FAIL,
    /// A key that two branches wrote becomes the list of the values in branch order.
    COLLECT,
    /// Whole contexts are merged in branch order; later branches override existing keys.
    OVERLAY,
    /// Graphs only: the newest write of each key wins.
    NEWEST;

    @Override
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// Named keys always become the list of the values of the branches that wrote them, in branch
  /// order; for other keys the branch latest in branch order wins.
  record Collect(List<String> keys) implements Merge {
    public Collect {
      keys = List.copyOf(keys);
      keys.forEach(key -> Names.require("merge collect", key));
      if (keys.isEmpty() || keys.stream().distinct().count() != keys.size()) {
        throw new IllegalArgumentException("merge collect needs distinct keys, got " + keys);
      }
    }

    @Override
    public String text() {
      return "collect " + keys;
    }
  }

  /// Returns the merge that collects the values of some keys.
  static Merge collect(String... keys) {
    return new Collect(List.of(keys));
  }

  /// A function of the user settles keys that several branches wrote. The name stands for it in the
  /// program hash.
  record Custom(String name, MergeFunction function) implements Merge {
    public Custom {
      Names.require("merge function", name);
    }

    @Override
    public String text() {
      return "function " + name;
    }
  }

  /// Returns the name of the merge in documents and listings.
  String text();
}
