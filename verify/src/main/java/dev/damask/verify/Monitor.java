package dev.damask.verify;

import dev.damask.event.EffectRequest;
import dev.damask.event.TraceEvent;
import dev.damask.exec.ExecState;
import java.util.List;

/// Watches assertions along the moves of a case. It needs one bit of state per assertion.
final class Monitor {
  /// The maximum number of assertions that one search can watch.
  static final int MAX = 24;

  private final List<Assertion> assertions;

  Monitor(List<Assertion> assertions) {
    if (assertions.size() > MAX) {
      throw new IllegalArgumentException(
          "expected at most " + MAX + " assertions, got " + assertions.size());
    }
    this.assertions = assertions;
  }

  /// Returns the bits after an event.
  int after(int bits, TraceEvent event) {
    int result = bits;
    for (int i = 0; i < assertions.size(); i++) {
      int bit = 1 << i;
      switch (assertions.get(i)) {
        case Assertion.NeverBefore(var task, var before) ->
            result |= completes(event, before) ? bit : 0;
        case Assertion.AtMostOnce(var task) -> result |= starts(event, task) ? bit : 0;
        case Assertion.LeadsTo(var task, var then) -> {
          result = completes(event, task) ? result | bit : result;
          result = completes(event, then) ? result & ~bit : result;
        }
        case Assertion.NeverTogether together -> {}
        case Assertion.MayEnd mayEnd -> {}
      }
    }
    return result;
  }

  /// Returns the first assertion that an event violates, or -1.
  int violated(int bits, TraceEvent event) {
    for (int i = 0; i < assertions.size(); i++) {
      boolean set = (bits >> i & 1) != 0;
      boolean bad =
          switch (assertions.get(i)) {
            case Assertion.NeverBefore(var task, var before) -> !set && starts(event, task);
            case Assertion.AtMostOnce(var task) -> set && starts(event, task);
            case Assertion.LeadsTo leads -> false;
            case Assertion.NeverTogether together -> false;
            case Assertion.MayEnd mayEnd -> false;
          };
      if (bad) {
        return i;
      }
    }
    return -1;
  }

  /// Returns the first assertion that a state violates, or -1.
  int violatedBy(ExecState state) {
    for (int i = 0; i < assertions.size(); i++) {
      if (assertions.get(i) instanceof Assertion.NeverTogether(var task, var other)) {
        int one = running(state, task);
        int two = running(state, other);
        if (task.equals(other) ? one > 1 : one > 0 && two > 0) {
          return i;
        }
      }
    }
    return -1;
  }

  private static int running(ExecState state, String task) {
    int count = 0;
    for (EffectRequest request : state.pendingEffects()) {
      count += request.task().name().equals(task) ? 1 : 0;
    }
    return count;
  }

  private static boolean starts(TraceEvent event, String task) {
    boolean begins = event.kind() == TraceEvent.Kind.STARTED || event.kind() == TraceEvent.Kind.RAN;
    return begins && event.subject().equals(task);
  }

  private static boolean completes(TraceEvent event, String task) {
    boolean ends = event.kind() == TraceEvent.Kind.COMPLETED || event.kind() == TraceEvent.Kind.RAN;
    return ends && event.subject().equals(task);
  }

  List<Assertion> assertions() {
    return assertions;
  }
}
