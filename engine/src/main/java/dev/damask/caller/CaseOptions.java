package dev.damask.caller;

import dev.damask.effect.Traceparent;
import dev.damask.term.Limits;
import dev.damask.trace.TraceLevel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// The options of one case. They are stored with the case and hold after every restart.
///
/// @param seed the seed of random free choices; without it the first option is taken
/// @param quantum steps before another case gets its turn; without it the engine's
/// @param trace how much is written down; without it the engine's level
/// @param deadline how long after its start the case fails with `deadline`
/// @param limits instead of those of its program
/// @param allow the effect types it may use, beside what its scopes allow; without it all of them
/// @param traceparent the tracing context that the effects of the case continue
public record CaseOptions(
    OptionalLong seed,
    OptionalInt quantum,
    Optional<TraceLevel> trace,
    Optional<Duration> deadline,
    Optional<Limits> limits,
    Optional<List<String>> allow,
    CaseBudget budget,
    Optional<String> traceparent) {
  /// The options of a case for which nothing special is agreed.
  public static final CaseOptions DEFAULT =
      new CaseOptions(
          OptionalLong.empty(),
          OptionalInt.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          CaseBudget.NONE,
          Optional.empty());

  public CaseOptions {
    traceparent.ifPresent(Traceparent::require);
    allow = allow.map(List::copyOf);
    if (quantum.isPresent() && (quantum.getAsInt() < 1 || quantum.getAsInt() > 1_000_000)) {
      throw new IllegalArgumentException(
          "quantum must be between 1 and 1000000, got " + quantum.getAsInt());
    }
    if (deadline.isPresent() && !deadline.get().isPositive()) {
      throw new IllegalArgumentException("deadline must be positive, got " + deadline.get());
    }
  }

  /// Returns these options with a seed for random free choices.
  public CaseOptions withSeed(long value) {
    return new CaseOptions(
        OptionalLong.of(value), quantum, trace, deadline, limits, allow, budget, traceparent);
  }

  /// Returns these options with another quantum. Throws `IllegalArgumentException` unless it is
  /// between 1 and 1000000.
  public CaseOptions withQuantum(int value) {
    return new CaseOptions(
        seed, OptionalInt.of(value), trace, deadline, limits, allow, budget, traceparent);
  }

  /// Returns these options with another trace level.
  public CaseOptions withTrace(TraceLevel value) {
    return new CaseOptions(
        seed, quantum, Optional.of(value), deadline, limits, allow, budget, traceparent);
  }

  /// Returns these options with a deadline, counted from the start of the case. Throws
  /// `IllegalArgumentException` unless it is positive.
  public CaseOptions withDeadline(Duration value) {
    return new CaseOptions(
        seed, quantum, trace, Optional.of(value), limits, allow, budget, traceparent);
  }

  /// Returns these options with limits that replace those of the program.
  public CaseOptions withLimits(Limits value) {
    return new CaseOptions(
        seed, quantum, trace, deadline, Optional.of(value), allow, budget, traceparent);
  }

  /// Returns these options with the effect types that the case may use.
  public CaseOptions withAllow(String... types) {
    Optional<List<String>> allowed = Optional.of(List.of(types));
    return new CaseOptions(seed, quantum, trace, deadline, limits, allowed, budget, traceparent);
  }

  /// Returns these options with another budget.
  public CaseOptions withBudget(CaseBudget value) {
    return new CaseOptions(seed, quantum, trace, deadline, limits, allow, value, traceparent);
  }

  /// Returns these options with a tracing context, which is stored with the case and passed to its
  /// effects. Throws `IllegalArgumentException` if it is not a W3C traceparent.
  public CaseOptions withTraceparent(String value) {
    return new CaseOptions(
        seed, quantum, trace, deadline, limits, allow, budget, Optional.of(value));
  }
}
