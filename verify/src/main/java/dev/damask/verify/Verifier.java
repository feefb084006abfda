package dev.damask.verify;

import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.term.Workflow;
import dev.damask.verify.Verdict.Statistics;
import dev.damask.verify.pnml.PetriNet;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Finds out what a workflow can do before it runs.
///
/// The search drives the real machine over all choices, or a packed form of it where the workflow
/// is plain enough; tests keep the two identical.
public final class Verifier {
  /// How far the machine goes to tell what a packed search has found.
  private static final long STATES = 200_000;

  private Verifier() {}

  public static Verdict check(Program program) {
    return check(program, Options.DEFAULT);
  }

  /// Checks soundness, and after it the assertions: they need every order of the steps, soundness
  /// does not.
  public static Verdict check(Program program, Options options) {
    Verdict sound =
        withinMemory(options, () -> soundness(program, options.withAssertions(List.of())));
    return options.assertions().isEmpty()
        ? sound
        : AssertionCheck.check(
            options, sound, part -> withinMemory(part, () -> MachineCheck.check(program, part)));
  }

  private static Verdict soundness(Program program, Options options) {
    Optional<Verdict> packed = PackedCheck.check(program, options);
    if (packed.isEmpty()) {
      return MachineCheck.check(program, options);
    }
    // A refutation is told by the machine, so that the machine can follow it.
    if (packed.get() instanceof Verdict.Refuted
        && MachineCheck.check(program, options.withStates(Math.min(STATES, options.statesMax())))
            instanceof Verdict.Refuted told) {
      return told;
    }
    return packed.get();
  }

  public static Verdict check(Workflow workflow) {
    return check(workflow, Options.DEFAULT);
  }

  /// Checks a workflow that is well formed; one that is not is refused like by the compiler.
  public static Verdict check(Workflow workflow, Options options) {
    return check(Compiler.compile(workflow), options);
  }

  public static Verdict check(PetriNet net) {
    return check(net, Options.DEFAULT);
  }

  /// Checks a workflow net: from every reachable marking a final one can be reached, and no place
  /// ever holds two tokens.
  public static Verdict check(PetriNet net, Options options) {
    return withinMemory(options, () -> NetCheck.check(net, options));
  }

  /// A search keeps its states in a few long arrays. Where the next one does not fit, all of them
  /// are let go, and the caller has its memory back.
  private static Verdict withinMemory(Options options, Supplier<Verdict> search) {
    Meter meter = new Meter(options);
    try {
      return search.get();
    } catch (OutOfMemoryError e) {
      long megabytes = Runtime.getRuntime().maxMemory() >> 20;
      return new Verdict.GaveUp(
          "the states do not fit into the %d MB of this process".formatted(megabytes),
          new Statistics(0, 0, meter.millis(), false, "none"));
    }
  }
}
