package dev.damask.history;

import dev.damask.event.EffectRequest;
import dev.damask.event.StateView;
import java.util.List;
import java.util.Optional;

/// A state of a case at a position of its history, or of a fork.
///
/// @param position where it is in the history; for a fork, where the fork begins
/// @param view tokens, contexts, scopes, joins, places and timers
/// @param effects the tasks that wait for a result
/// @param waits what the case waits for, or how it ended, one sentence each
/// @param divergence set if the machine did something else this time than it did then
public record PastState(
    HistoryPosition position,
    StateView view,
    List<EffectRequest> effects,
    List<String> waits,
    Optional<Divergence> divergence) {
  public PastState {
    effects = List.copyOf(effects);
    waits = List.copyOf(waits);
  }

  /// The first difference between a case and its repetition.
  ///
  /// @param revision the commit before which they differ
  /// @param entry the number of the last input of that commit that both have taken, from 1; 0 if
  ///   they differ before the first
  /// @param place the paths of the tokens of the repetition
  public record Divergence(long revision, int entry, String sentence, List<String> place) {
    public Divergence {
      place = List.copyOf(place);
    }
  }
}
