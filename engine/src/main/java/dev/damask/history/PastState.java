package dev.damask.history;

import dev.damask.event.EffectRequest;
import dev.damask.event.Outcome;
import dev.damask.event.Reply;
import dev.damask.event.StateView;
import dev.damask.exec.ExecState;
import java.util.List;
import java.util.Optional;

/// A state of a case at a position of its history, or of a fork.
///
/// @param position where it is in the history; for a fork, where the fork begins
/// @param view tokens, contexts, scopes, joins, places and timers
/// @param effects the tasks that wait for a result
/// @param waits what the case waits for, or how it ended, one sentence each
/// @param divergence set if the machine did something else this time than it did then
/// @param replies for a fork, what the case replies to each input; an input that is refused or late
///   changes nothing
public record PastState(
    HistoryPosition position,
    StateView view,
    List<EffectRequest> effects,
    List<String> waits,
    Optional<Divergence> divergence,
    List<Reply> replies) {
  PastState(
      HistoryPosition position,
      StateView view,
      List<EffectRequest> effects,
      List<String> waits,
      Optional<Divergence> divergence) {
    this(position, view, effects, waits, divergence, List.of());
  }

  public PastState {
    replies = List.copyOf(replies);
    effects = List.copyOf(effects);
    waits = List.copyOf(waits);
  }

  PastState withReplies(List<Reply> all) {
    return new PastState(position, view, effects, waits, divergence, all);
  }

  /// Returns the state of a machine that no store has, such as a trial.
  ///
  /// @param outcome why the machine stopped
  @SuppressWarnings("exports") // the state is for our own modules
  public static PastState of(HistoryPosition position, ExecState state, Outcome outcome) {
    return new PastState(
        position, state.view(), state.pendingEffects(), Causes.waits(outcome), Optional.empty());
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
