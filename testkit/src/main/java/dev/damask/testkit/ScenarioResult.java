package dev.damask.testkit;

import java.util.List;

/// How a scenario went.
///
/// @param trace the whole trace, one aligned line an event
public record ScenarioResult(String scenario, List<Mismatch> failures, String trace) {
  /// Something that was not as expected.
  ///
  /// @param step the number of the step from one; 0 for the end of the scenario
  public record Mismatch(int step, String expected, String actual) {
    @Override
    public String toString() {
      String where = step == 0 ? "at the end" : "step " + step;
      return where + ": expected " + expected + ", actual " + actual;
    }
  }

  public ScenarioResult {
    failures = List.copyOf(failures);
  }

  public boolean passes() {
    return failures.isEmpty();
  }

  /// What went wrong, with the trace.
  public String describe() {
    StringBuilder text = new StringBuilder("scenario " + scenario);
    failures.forEach(failure -> text.append("\n  ").append(failure));
    return text.append("\n").append(trace).toString();
  }
}
