package dev.damask.verify;

import dev.damask.verify.Verdict.Scope;
import dev.damask.verify.Verdict.Statistics;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// Checks assertions and combines the result with the soundness verdict.
final class AssertionCheck {
  private AssertionCheck() {}

  /// Checks the assertions in groups of as many as one search can watch.
  static Verdict check(Options options, Verdict sound, Function<Options, Verdict> search) {
    Verdict result = sound;
    List<Assertion> all = options.assertions();
    for (int from = 0; from < all.size(); from += Monitor.MAX) {
      int to = Math.min(all.size(), from + Monitor.MAX);
      result = both(result, search.apply(options.watching(all.subList(from, to))));
    }
    return result;
  }

  /// Combines two verdicts: a violation in either is a violation, an open question in either stays
  /// open.
  private static Verdict both(Verdict known, Verdict found) {
    Statistics statistics = sum(known.statistics(), found.statistics());
    List<Violation> violations = new ArrayList<>(violations(known));
    for (Violation each : violations(found)) {
      if (each.property() == Property.ASSERTION || violations.isEmpty()) {
        violations.add(each);
      }
    }
    if (!violations.isEmpty()) {
      return new Verdict.Refuted(violations, wider(known, found), statistics);
    }
    return switch (known.isProved() ? found : known) {
      case Verdict.Proved proved -> new Verdict.Proved(wider(known, found), statistics);
      case Verdict.Bounded(var why, var work) -> new Verdict.Bounded(why, statistics);
      case Verdict.GaveUp(var why, var work) -> new Verdict.GaveUp(why, statistics);
      case Verdict.Refuted refuted -> refuted;
    };
  }

  private static List<Violation> violations(Verdict verdict) {
    return verdict instanceof Verdict.Refuted refuted ? refuted.violations() : List.of();
  }

  /// Returns the scope of both. It is control flow only if one of them ignores data.
  private static Scope wider(Verdict known, Verdict found) {
    return isFlowOnly(known) || isFlowOnly(found) ? Scope.CONTROL_FLOW : Scope.FULL;
  }

  private static boolean isFlowOnly(Verdict verdict) {
    return switch (verdict) {
      case Verdict.Proved proved -> proved.scope() == Scope.CONTROL_FLOW;
      case Verdict.Refuted refuted -> refuted.scope() == Scope.CONTROL_FLOW;
      case Verdict.Bounded bounded -> false;
      case Verdict.GaveUp gaveUp -> false;
    };
  }

  private static Statistics sum(Statistics one, Statistics other) {
    return new Statistics(
        one.states() + other.states(),
        one.edges() + other.edges(),
        one.millis() + other.millis(),
        one.isReduced(),
        other.engine(),
        one.endings().and(other.endings()));
  }
}
