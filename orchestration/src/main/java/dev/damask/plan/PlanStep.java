package dev.damask.plan;

import dev.damask.session.ProcessInstance;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An action on the sessions of a plan. Sessions have names within the plan.
sealed interface PlanStep {
  /// Starts a session.
  ///
  /// @param name the name of the graph in the plan
  /// @param graph the id that the graph must have; null for any
  /// @param hash the hash that the graph must have; null for any
  record Start(
      String session,
      String name,
      String owner,
      String step,
      Map<String, @Nullable Object> payload,
      @Nullable String graph,
      @Nullable String hash,
      long costMax)
      implements PlanStep {}

  /// Waits until a process is at a step, at most for a duration on the plan's clock.
  record WaitForStep(String session, String step, ProcessInstance.Status status, long timeoutMillis)
      implements PlanStep {}

  /// Wakes the processes that wait at a step.
  ///
  /// @param count how many processes must be woken; [#DENIED] if the wake-up must be denied
  record Wake(
      String session, String caller, String step, Map<String, @Nullable Object> payload, int count)
      implements PlanStep {
    static final int DENIED = -1;
  }

  /// Advances the clock.
  record Advance(long millis) implements PlanStep {}

  record Pause(String session) implements PlanStep {}

  record Resume(String session) implements PlanStep {}

  record Kill(String session) implements PlanStep {}

  /// Checks expectations at this point.
  record AssertSession(String session, PlanExpectation expectation) implements PlanStep {}
}
