package dev.damask.cli.check;

import dev.damask.verify.Options;
import dev.damask.verify.Verdict;
import dev.damask.verify.Verdict.Statistics;
import dev.damask.verify.Verifier;
import dev.damask.verify.Violation;
import dev.damask.verify.pnml.PetriNet;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The check of a file with nets. Several nets are sound if all of them are.
final class NetFiles {
  private NetFiles() {}

  static Checked check(Path file, List<PetriNet> nets, Options options) {
    Verdict verdict = Verifier.check(nets.getFirst(), options);
    for (PetriNet net : nets.subList(1, nets.size())) {
      verdict = both(verdict, Verifier.check(net, options));
    }
    return new Checked.Judged(file, null, SourcePositions.NET, verdict);
  }

  private static Verdict both(Verdict one, Verdict other) {
    Statistics statistics =
        new Statistics(
            one.statistics().states() + other.statistics().states(),
            one.statistics().edges() + other.statistics().edges(),
            one.statistics().millis() + other.statistics().millis(),
            one.statistics().isReduced() || other.statistics().isReduced(),
            one.statistics().engine());
    List<Violation> violations = new ArrayList<>();
    for (Verdict each : List.of(one, other)) {
      if (each instanceof Verdict.Refuted refuted) {
        violations.addAll(refuted.violations());
      }
    }
    if (!violations.isEmpty()) {
      return new Verdict.Refuted(violations, Verdict.Scope.FULL, statistics);
    }
    return switch (one.isProved() ? other : one) {
      case Verdict.Proved(var scope, var work) -> new Verdict.Proved(scope, statistics);
      case Verdict.Refuted refuted -> refuted;
      case Verdict.Bounded(var why, var work) -> new Verdict.Bounded(why, statistics);
      case Verdict.GaveUp(var why, var work) -> new Verdict.GaveUp(why, statistics);
    };
  }
}
