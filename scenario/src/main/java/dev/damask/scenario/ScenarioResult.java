package dev.damask.scenario;

import java.util.List;

/// The result of a scenario.
///
/// @param trace the whole trace, one aligned line per event
public record ScenarioResult(String scenario, List<Mismatch> failures, String trace) {
  /// A difference between the scenario and the case.
  ///
  /// @param step the number of the step, from one; 0 for the end of the scenario
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

  /// Returns whether there is no difference.
  public boolean passes() {
    return failures.isEmpty();
  }

  /// Returns all differences, with the trace.
  public String describe() {
    StringBuilder text = new StringBuilder("scenario " + scenario);
    failures.forEach(failure -> text.append("\n  ").append(failure));
    return text.append("\n").append(trace).toString();
  }
}
