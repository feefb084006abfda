package dev.damask.linear;

import java.util.List;

/// What an object does when one call follows the other. States and answers are values: they are
/// compared with `equals`.
///
/// @param <S> a state
/// @param <C> a call
/// @param <A> an answer
public interface SequentialModel<S, C, A> {
  /// Returns the state before the first call.
  S initial();

  /// What may happen when a call is performed in a state. Several steps are several possibilities;
  /// none means that the call cannot be performed now and has to wait.
  List<Step<S, A>> steps(S state, C call);

  /// One possibility.
  record Step<S, A>(S after, A answer) {}
}
