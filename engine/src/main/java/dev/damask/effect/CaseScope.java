package dev.damask.effect;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The case and task that the current thread runs a handler or the code of a script for, for
/// adapters of logging libraries: they add the ids to the lines that this code logs. It is bound to
/// the thread of the handler, of the script and of each item of an `all`; threads that they start
/// do not have it.
///
/// @param caseId the id of the case
/// @param task the name of the task
/// @param type the type of the effect
/// @param attempt the number of the attempt, from 1
public record CaseScope(String caseId, String task, String type, int attempt) {
  private static final ScopedValue<CaseScope> CURRENT = ScopedValue.newInstance();

  /// Returns the scope of the current thread; empty outside of a handler or a script.
  public static Optional<CaseScope> current() {
    return CURRENT.isBound() ? Optional.of(CURRENT.get()) : Optional.empty();
  }

  /// Runs an action in the scope of a call. The engine does so for handlers and scripts.
  public static <T extends @Nullable Object> T in(
      EffectCall call, ScopedValue.CallableOp<T, RuntimeException> action) {
    CaseScope scope = new CaseScope(call.caseId(), call.task(), call.type(), call.attempt());
    return ScopedValue.where(CURRENT, scope).call(action);
  }
}
