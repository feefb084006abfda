package dev.damask.plan;

import dev.damask.session.ProcessInstance;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Something that happens to the sessions of a plan. Sessions have names within the plan.
sealed interface PlanStep {
  /// Starts a session.
  ///
  /// @param name of the graph in the plan
  /// @param graph the id the graph must have; null for whatever it is
  /// @param hash what the graph is pinned to; null for whatever it is
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

  /// Waits until a process stands at a step, for so much of the plan's own time.
  record WaitForStep(String session, String step, ProcessInstance.Status status, long timeoutMillis)
      implements PlanStep {}

  /// Wakes what waits at a step.
  ///
  /// @param count how many that must be; [#DENIED] when the caller must not be allowed to
  record Wake(
      String session, String caller, String step, Map<String, @Nullable Object> payload, int count)
      implements PlanStep {
    static final int DENIED = -1;
  }

  /// Lets time pass.
  record Advance(long millis) implements PlanStep {}

  record Pause(String session) implements PlanStep {}

  record Resume(String session) implements PlanStep {}

  record Kill(String session) implements PlanStep {}

  /// Says what must be so by now.
  record AssertSession(String session, PlanExpectation expectation) implements PlanStep {}
}
