package dev.damask.cases;

import dev.damask.event.Failure;
import dev.damask.event.Outcome;
import dev.damask.value.Context;
import java.util.List;

/// How a case ended, or why it cannot.
public sealed interface CaseResult {
  /// The case completed with this context.
  record Completed(Context context) implements CaseResult {}

  /// The case failed.
  record Failed(Failure error) implements CaseResult {}

  /// It was cancelled by a caller or by the workflow itself, or nothing of it was left.
  ///
  /// @param scope the scope, set of instances or task whose cancellation ended the case; `case` for
  ///   the whole
  /// @param reason what the caller of `cancel` gave, or `requested`; a short word and its detail if
  ///   the workflow ended itself, such as `kill`; empty if an older version cancelled the case
  record Cancelled(String scope, String reason) implements CaseResult {
    static Cancelled of(Outcome.Cancelled outcome) {
      String detail = outcome.detail();
      String reason = outcome.reason() + (detail.isEmpty() ? "" : ": " + detail);
      return new Cancelled(outcome.scope(), reason);
    }
  }

  /// It will not end by itself.
  record Stuck(Report report) implements CaseResult {}

  /// Why a case is stuck and what is known about it.
  record Report(Reason reason, List<String> lines) {
    public Report {
      lines = List.copyOf(lines);
    }
  }

  /// Why a case is stuck.
  enum Reason {
    /// Nothing can move it on.
    DEADLOCKED,
    /// It broke the engine; `retry` releases it.
    QUARANTINED,
    /// Its program is not registered; open the engine with it.
    PROGRAM_MISSING,
    /// What the store has of it cannot be read; restore a backup, or salvage the case.
    CORRUPT
  }
}
