package dev.damask.verify;

import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.term.InstancePolicy;
import dev.damask.term.WorkflowDefinition;
import dev.damask.verify.Verdict.Statistics;
import dev.damask.verify.pnml.PetriNet;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Checks the possible behaviour of a workflow before it runs.
///
/// The search runs the real machine over all choices, or a packed form of it if the workflow is
/// plain; tests compare the two.
public final class Verifier {
  /// The maximum number of states to find a counterexample on the machine after a packed search.
  private static final long STATES = 200_000;

  private Verifier() {}

  /// Checks a program with the default options.
  public static Verdict check(Program program) {
    return check(program, Options.DEFAULT);
  }

  /// Checks soundness, then the assertions. Assertions need every order of the steps; soundness
  /// does not.
  ///
  /// A set that is open until it is closed is made to be added to, so at least one instance is.
  public static Verdict check(Program program, Options given) {
    boolean adds =
        Arrays.stream(program.pools().instances())
            .anyMatch(each -> each.policy().open() == InstancePolicy.Open.UNTIL_CLOSED);
    Options options =
        adds && given.addedMax() == 0 ? given.withInstances(given.instancesMax(), 1) : given;
    Verdict sound = withinMemory(options, () -> soundness(program, options.watching(List.of())));
    return options.assertions().isEmpty()
        ? sound
        : AssertionCheck.check(
            options, sound, part -> withinMemory(part, () -> MachineCheck.check(program, part)));
  }

  private static Verdict soundness(Program program, Options options) {
    // Steps of the packed form differ from those of the machine, so it has no comparable depth.
    Optional<Verdict> packed =
        options.isDepthBounded() ? Optional.empty() : PackedCheck.check(program, options);
    if (packed.isEmpty()) {
      return MachineCheck.check(program, options);
    }
    // The counterexample is found again on the machine, so that the machine can replay it.
    if (packed.get() instanceof Verdict.Refuted
        && MachineCheck.check(program, options.withStates(Math.min(STATES, options.statesMax())))
            instanceof Verdict.Refuted told) {
      return told;
    }
    return packed.get();
  }

  /// Checks a workflow with the default options.
  public static Verdict check(WorkflowDefinition workflow) {
    return check(workflow, Options.DEFAULT);
  }

  /// Checks a workflow. Throws like the compiler if it is not well formed.
  public static Verdict check(WorkflowDefinition workflow, Options options) {
    return check(Compiler.compile(workflow), options);
  }

  /// Checks a workflow net with the default options.
  public static Verdict check(PetriNet net) {
    return check(net, Options.DEFAULT);
  }

  /// Checks a workflow net: a final marking is reachable from every reachable marking, and no place
  /// ever has two tokens.
  public static Verdict check(PetriNet net, Options options) {
    return withinMemory(options, () -> NetCheck.check(net, options));
  }

  /// Runs a search and returns an unknown verdict if the heap is exhausted. A search keeps its
  /// states in a few long arrays, which are released then.
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
