package dev.damask.cases;

import dev.damask.exec.Failure;
import dev.damask.task.Context;
import java.util.List;

/// How a case ended, or why it cannot.
public sealed interface CaseResult {
  record Completed(Context context) implements CaseResult {}

  record Failed(Failure error) implements CaseResult {}

  /// It was withdrawn from outside or by itself.
  ///
  /// @param scope what was cancelled; `case` for the whole
  record Cancelled(String scope) implements CaseResult {}

  /// It will not end by itself.
  record Stuck(Report report) implements CaseResult {}

  /// Why a case is stuck and what is known about it.
  record Report(Reason reason, List<String> lines) {
    public Report {
      lines = List.copyOf(lines);
    }
  }

  enum Reason {
    /// Nothing can move it on.
    DEADLOCKED,
    /// It broke the engine; `retry` releases it.
    QUARANTINED,
    /// Its program is not registered; open the engine with it.
    PROGRAM_MISSING
  }
}
