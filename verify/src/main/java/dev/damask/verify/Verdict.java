package dev.damask.verify;

import java.util.List;

/// The result of a check. Only [Proved] means that there is no violation.
public sealed interface Verdict {
  /// Returns the statistics of the check.
  Statistics statistics();

  /// Returns the ways in which the workflow itself can end a case with a status other than
  /// completed.
  default Endings endings() {
    return statistics().endings();
  }

  /// The whole state space was searched without a violation.
  record Proved(Scope scope, Statistics statistics) implements Verdict {}

  /// There is a violation. If guards were treated as free choices, it occurs if the data make the
  /// guards choose this path.
  record Refuted(List<Violation> violations, Scope scope, Statistics statistics)
      implements Verdict {
    public Refuted {
      violations = List.copyOf(violations);
      if (violations.isEmpty()) {
        throw new IllegalArgumentException("a refutation must have a violation");
      }
    }
  }

  /// There is no violation within a bound. Beyond it the search is incomplete.
  record Bounded(String why, Statistics statistics) implements Verdict {}

  /// The search was stopped, or cannot decide this workflow.
  record GaveUp(String why, Statistics statistics) implements Verdict {}

  /// The coverage of a verdict.
  enum Scope {
    /// The workflow does not depend on data.
    FULL,
    /// Guards and counts that depend on data were treated as free choices.
    CONTROL_FLOW
  }

  /// The work of a check and its observations.
  ///
  /// @param isReduced whether partial-order reduction was used
  /// @param engine `machine` or `packed`
  /// @param endings the ways in which the workflow itself can end a case with a status other than
  ///   completed
  record Statistics(
      long states, long edges, long millis, boolean isReduced, String engine, Endings endings) {
    /// Creates statistics without endings.
    public Statistics(long states, long edges, long millis, boolean isReduced, String engine) {
      this(states, edges, millis, isReduced, engine, Endings.NONE);
    }

    Statistics with(Endings found) {
      return new Statistics(states, edges, millis, isReduced, engine, found);
    }
  }

  /// Returns whether the verdict is a proof.
  default boolean isProved() {
    return this instanceof Proved;
  }

  /// Returns the word of the command line: sound, unsound or unknown.
  default String word() {
    return switch (this) {
      case Proved proved -> "sound";
      case Refuted refuted -> "unsound";
      case Bounded bounded -> "unknown";
      case GaveUp gaveUp -> "unknown";
    };
  }

  /// Returns the exit code of the command line.
  default int exitCode() {
    return switch (this) {
      case Proved proved -> 0;
      case Refuted refuted -> 1;
      case Bounded bounded -> 3;
      case GaveUp gaveUp -> 3;
    };
  }
}
