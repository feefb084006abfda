package dev.damask.plan;

import java.util.List;

/// The result of a plan.
///
/// @param story the evaluated steps in order, such as `main: 1:2 Decide valid`
public record PlanResult(
    String scenario, String title, List<Mismatch> failures, List<String> story) {
  /// An expectation that was not met.
  ///
  /// @param step the step of the plan, from 1; 0 for the expectations at the end
  public record Mismatch(int step, String expected, String actual) {
    @Override
    public String toString() {
      return (step == 0 ? "at the end" : "step " + step)
          + ": expected "
          + expected
          + ", found "
          + actual;
    }
  }

  public PlanResult {
    failures = List.copyOf(failures);
    story = List.copyOf(story);
  }

  public boolean passes() {
    return failures.isEmpty();
  }
}
