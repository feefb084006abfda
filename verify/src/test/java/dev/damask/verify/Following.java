package dev.damask.verify;

import dev.damask.program.Program;
import java.util.List;
import java.util.Locale;

/// Lets the machine as it really runs follow a counterexample, and compares where both end.
final class Following {
  private Following() {}

  /// Refuses a trace that ends elsewhere; says whether there was a trace of the machine at all.
  static boolean confirm(Program program, Options options, Violation violation) {
    Counterexample trace = violation.counterexample();
    if (trace.status().isEmpty() || violation.sentence().contains("merge_conflict")) {
      return false; // only data conflict, and here there are none
    }
    var state = CounterexampleReplay.follow(program, options, trace).state();
    List<String> stands = Sites.standing(program, state);
    String status = state.status().name().toLowerCase(Locale.ROOT);
    if (!status.equals(trace.status()) || !stands.equals(trace.stands())) {
      throw new AssertionError(
          "the machine is %s at %s after%n%s".formatted(status, stands, violation));
    }
    return true;
  }
}
