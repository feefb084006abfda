package dev.damask.verify;

import java.util.List;

/// What a check has found out. Only [Proved] means that nothing bad can happen.
public sealed interface Verdict {
  Statistics statistics();

  /// Everything that can happen was looked at, and all of it is good.
  record Proved(Scope scope, Statistics statistics) implements Verdict {}

  /// Something bad can happen. Where guards were taken as free choices, it can happen if the data
  /// are such that the guards go this way.
  record Refuted(List<Violation> violations, Scope scope, Statistics statistics)
      implements Verdict {
    public Refuted {
      violations = List.copyOf(violations);
      if (violations.isEmpty()) {
        throw new IllegalArgumentException("a refutation names a violation");
      }
    }
  }

  /// Nothing bad was found within a bound, beyond which nobody has looked.
  record Bounded(String why, Statistics statistics) implements Verdict {}

  /// The search was stopped, or cannot decide this workflow.
  record GaveUp(String why, Statistics statistics) implements Verdict {}

  /// How much a verdict covers.
  enum Scope {
    /// Nothing in the workflow depends on data.
    FULL,
    /// Guards and counts that depend on data were taken as free choices.
    CONTROL_FLOW
  }

  /// How much work it was.
  ///
  /// @param isReduced whether orders of steps were left out
  /// @param engine `machine` or `packed`
  record Statistics(long states, long edges, long millis, boolean isReduced, String engine) {}

  default boolean isProved() {
    return this instanceof Proved;
  }

  /// The word of the command line: sound, unsound or unknown.
  default String word() {
    return switch (this) {
      case Proved proved -> "sound";
      case Refuted refuted -> "unsound";
      case Bounded bounded -> "unknown";
      case GaveUp gaveUp -> "unknown";
    };
  }

  /// The exit code of the command line.
  default int exitCode() {
    return switch (this) {
      case Proved proved -> 0;
      case Refuted refuted -> 1;
      case Bounded bounded -> 3;
      case GaveUp gaveUp -> 3;
    };
  }
}
