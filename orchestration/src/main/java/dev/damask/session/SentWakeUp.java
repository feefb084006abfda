package dev.damask.session;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A wake-up that a rule of a session has sent, and what came of it.
///
/// @param iteration the process that sent it
/// @param step the step of that process
/// @param session the session that was meant
/// @param target the step that was meant
/// @param woken how many processes were waiting there and were woken
public record SentWakeUp(
    long iteration, String step, SessionKey session, String target, long woken) {
  static SentWakeUp of(long iteration, String step, Map<?, ?> line) {
    return new SentWakeUp(
        iteration,
        step,
        SessionKey.of(String.valueOf(line.get("runner")), (long) number(line.get("sessionId"))),
        String.valueOf(line.get("stepId")),
        (long) number(line.get("woken")));
  }

  private static double number(@Nullable Object value) {
    return value instanceof Number number ? number.doubleValue() : 0;
  }

  /// Whether it woke no process.
  public boolean isLost() {
    return woken == 0;
  }

  @Override
  public String toString() {
    return "step %s: the wake-up of session %s step %s woke %s"
        .formatted(step, session, target, isLost() ? "no process" : woken);
  }
}
