package dev.damask.verify;

import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.term.Workflow;
import dev.damask.verify.pnml.PetriNet;
import java.util.Optional;

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

  public static Verdict check(Program program, Options options) {
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
    return NetCheck.check(net, options);
  }
}
