package dev.damask.effect;

import java.util.Optional;

/// The case and task that the current thread runs a handler for, for adapters of logging libraries:
/// they add the ids to the lines that a handler logs. It is bound to the thread of the handler;
/// threads that the handler starts do not have it.
///
/// @param caseId the id of the case
/// @param task the name of the task
/// @param type the type of the effect
/// @param attempt the number of the attempt, from 1
public record CaseScope(String caseId, String task, String type, int attempt) {
  private static final ScopedValue<CaseScope> CURRENT = ScopedValue.newInstance();

  /// Returns the scope of the current thread; empty outside of a handler.
  public static Optional<CaseScope> current() {
    return CURRENT.isBound() ? Optional.of(CURRENT.get()) : Optional.empty();
  }

  /// Runs an action in the scope of a call.
  static <T> T in(EffectCall call, ScopedValue.CallableOp<T, RuntimeException> action) {
    CaseScope scope = new CaseScope(call.caseId(), call.task(), call.type(), call.attempt());
    return ScopedValue.where(CURRENT, scope).call(action);
  }
}
