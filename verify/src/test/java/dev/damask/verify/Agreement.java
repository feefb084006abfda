package dev.damask.verify;

import dev.damask.check.Diagnostic;
import dev.damask.check.TermCheck;
import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.term.WorkflowDefinition;
import java.util.Optional;

/// Compares what the engines say about one workflow.
final class Agreement {
  static final Options OPTIONS =
      Options.DEFAULT
          .withInstances(2, 0)
          .withStates(400)
          .withTokens(10)
          .withReduction(Reduction.NONE);

  private Agreement() {}

  /// What came of a comparison; a difference is a text.
  enum Kind {
    SKIPPED,
    PROVED,
    REFUTED,
    PACKED_PROVED,
    PACKED_REFUTED
  }

  static Kind compare(String what, WorkflowDefinition workflow) {
    if (TermCheck.check(workflow).stream().anyMatch(Diagnostic::isError)) {
      return Kind.SKIPPED;
    }
    Program program = Compiler.compile(workflow);
    Verdict full = MachineCheck.check(program, OPTIONS);
    if (full.word().equals("unknown")) {
      return Kind.SKIPPED;
    }
    Verdict reduced =
        MachineCheck.check(program, OPTIONS.withReduction(Reduction.ALWAYS).withStates(5_000));
    require(what, program, "reduced machine", full, reduced);
    follow(program, full);
    follow(program, reduced);
    Options wide = OPTIONS.withStates(100_000);
    Optional<Verdict> packed = PackedCheck.check(program, wide);
    if (packed.isEmpty()) {
      return full.isProved() ? Kind.PROVED : Kind.REFUTED;
    }
    require(what, program, "packed", full, packed.get());
    Verdict both = PackedCheck.check(program, wide.withReduction(Reduction.ALWAYS)).orElseThrow();
    require(what, program, "reduced packed", full, both);
    return full.isProved() ? Kind.PACKED_PROVED : Kind.PACKED_REFUTED;
  }

  /// The machine as it really runs comes to where every trace says.
  private static void follow(Program program, Verdict verdict) {
    if (verdict instanceof Verdict.Refuted refuted) {
      refuted.violations().forEach(each -> Following.confirm(program, OPTIONS, each));
    }
  }

  /// A reduced search may leave the bound of the tokens of a graph open, and a search that stops
  /// where tokens pile up may not have seen what else is wrong; everything else is equal.
  private static void require(
      String what, Program program, String engine, Verdict full, Verdict other) {
    boolean open =
        full.isProved()
            && other instanceof Verdict.Bounded(var why, var statistics)
            && why.startsWith("it can always complete");
    boolean both = full instanceof Verdict.Refuted && other instanceof Verdict.Refuted;
    boolean grows = describe(full).contains("bounded") || describe(other).contains("bounded");
    if (!open
        && !(both && grows)
        && !describe(full).equals(describe(other))
        && !(both && isCut(program, full) && hasFirst(full, other))) {
      throw new AssertionError(
          "%s: machine says %s, %s says %s%n%s%n%s%n%s"
              .formatted(
                  what,
                  describe(full),
                  engine,
                  describe(other),
                  dev.damask.program.Listing.raw(program),
                  full,
                  other));
    }
  }

  /// Whether a search with wider bounds sees more.
  private static boolean isCut(Program program, Verdict full) {
    Options wide = OPTIONS.withStates(4 * OPTIONS.statesMax()).withTokens(15);
    return MachineCheck.check(program, wide).statistics().states() > full.statistics().states();
  }

  /// Whether what a search that was cut has found first is found by the other too.
  private static boolean hasFirst(Verdict cut, Verdict other) {
    return cut instanceof Verdict.Refuted one
        && other instanceof Verdict.Refuted two
        && two.violations().stream()
            .anyMatch(each -> each.property() == one.violations().getFirst().property());
  }

  static String describe(Verdict verdict) {
    return switch (verdict) {
      case Verdict.Proved(var scope, var statistics) -> "proved";
      case Verdict.Refuted(var violations, var scope, var statistics) ->
          "refuted " + violations.getFirst().property();
      case Verdict.Bounded(var why, var statistics) -> "bounded: " + why;
      case Verdict.GaveUp(var why, var statistics) -> "gave up: " + why;
    };
  }
}
