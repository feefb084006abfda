package dev.damask.term;

import dev.damask.task.MergeFunction;
import java.util.Locale;

/// How the contexts that meet at a join become one.
public sealed interface Merge {
  enum Standard implements Merge {
    /// On conflict the branch latest in branch order wins.
    LAST,
    /// On conflict the branch earliest in branch order wins.
    FIRST,
    /// A conflict fails the case with `merge_conflict`.
    FAIL,
    /// A conflict becomes the list of the values in branch order.
    COLLECT,
    /// Whole contexts are laid over each other in branch order.
    OVERLAY,
    /// Graphs only: the newest write of each key wins.
    NEWEST;

    @Override
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// A function of the user settles conflicts. The name stands for it in the program hash.
  record Custom(String name, MergeFunction function) implements Merge {
    public Custom {
      Names.require("merge function", name);
    }

    @Override
    public String text() {
      return "function " + name;
    }
  }

  /// The word for it in documents and listings.
  String text();
}
