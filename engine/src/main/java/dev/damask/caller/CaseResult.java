package dev.damask.caller;

import dev.damask.event.Failure;
import dev.damask.event.Outcome;
import java.util.List;
import java.util.function.Function;

/// How a case ended, or why it cannot.
///
/// @param <O> the type of the result of a case that completed
public sealed interface CaseResult<O> {
  /// It completed with this result.
  record Completed<O>(O result) implements CaseResult<O> {}

  /// It failed.
  record Failed<O>(Failure error) implements CaseResult<O> {}

  /// It was cancelled by a caller or by the workflow itself, or nothing of it was left.
  ///
  /// @param scope the scope, set of instances or task whose cancellation ended the case; `case` for
  ///   the whole
  /// @param reason the reason of the caller of `cancel`, or `requested`; a short word and its
  ///   detail if the workflow ended itself, such as `kill`; empty if an older version cancelled the
  ///   case
  record Cancelled<O>(String scope, String reason) implements CaseResult<O> {
    /// Returns the result of a case whose machine was cancelled.
    public static <O> Cancelled<O> of(Outcome.Cancelled outcome) {
      String detail = outcome.detail();
      String reason = outcome.reason() + (detail.isEmpty() ? "" : ": " + detail);
      return new Cancelled<>(outcome.scope(), reason);
    }
  }

  /// It will not end by itself.
  record Stuck<O>(Report report) implements CaseResult<O> {}

  /// This end with another form of the result.
  default <P> CaseResult<P> map(Function<? super O, ? extends P> function) {
    return switch (this) {
      case Completed<O>(var result) -> new Completed<>(function.apply(result));
      case Failed<O>(var error) -> new Failed<>(error);
      case Cancelled<O>(var scope, var reason) -> new Cancelled<>(scope, reason);
      case Stuck<O>(var report) -> new Stuck<>(report);
    };
  }

  /// The result of a case that completed. Throws [CaseFailedException], [CaseCancelledException] or
  /// [CaseStuckException] for any other end.
  default O orElseThrow(String caseId) {
    return switch (this) {
      case Completed<O>(var result) -> result;
      case Failed<O>(var error) -> throw new CaseFailedException(caseId, error);
      case Cancelled<O>(var scope, var reason) ->
          throw new CaseCancelledException(caseId, scope, reason);
      case Stuck<O>(var report) -> throw new CaseStuckException(caseId, report);
    };
  }

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
