package dev.damask.event;

import java.util.List;

/// A choice and the set it is taken from.
///
/// @param options token ids in ascending order, or branch numbers from zero
public record Choice(Kind kind, List<Integer> options) {
  /// What is chosen.
  public enum Kind {
    /// Which ready token moves next.
    TOKEN,
    /// Which branch of an unguarded `xor` is taken.
    BRANCH
  }

  public Choice {
    options = List.copyOf(options);
  }
}
