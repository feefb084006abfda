package dev.damask.ops;

import dev.damask.caller.MigrationResult;
import dev.damask.event.Mapping;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.Store;
import dev.damask.term.Workflow;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// Moves the waiting cases of one version of a workflow to another one, all of them. Every method
/// may be called from any thread.
public final class Migrations {
  /// Performs what a plan asks for.
  public interface Mover {
    /// Registers a workflow and returns its program. A workflow that was read from its description
    /// is compiled and not registered.
    Program program(Workflow<?, ?> workflow);

    /// Returns a program that the engine can run; empty if it does not have the code.
    Optional<Program> code(ProgramHash program);

    /// Returns a program as its description shows it; empty if the store has none.
    default Optional<Program> described(ProgramHash program) {
      return Optional.empty();
    }

    /// Returns what [#move] would return, and changes nothing.
    CompletableFuture<MigrationResult> attempt(String caseId, Program target, Mapping mapping);

    /// Moves a case; completes when that is durable.
    CompletableFuture<MigrationResult> move(String caseId, Program target, Mapping mapping);
  }

  private final Store store;
  private final Mover mover;

  /// Creates the migrations of an engine; the engine does.
  public Migrations(Store store, Mover mover) {
    this.store = store;
    this.mover = mover;
  }

  /// Compares two versions of a workflow, in which nothing was renamed. Registers both, except one
  /// that was read from its description.
  public MigrationPlan plan(Workflow<?, ?> from, Workflow<?, ?> to) {
    return plan(from, to, Mapping.NONE);
  }

  /// Compares two versions of a workflow. Registers both, except one that was read from its
  /// description. Throws `IllegalArgumentException` if they are the same, or if the mapping names
  /// something that one of them does not have.
  ///
  /// @param mapping the new names of what was renamed
  public MigrationPlan plan(Workflow<?, ?> from, Workflow<?, ?> to, Mapping mapping) {
    return new MigrationPlan(store, mover, mover.program(from), mover.program(to), mapping);
  }

  /// Compares two versions that the store knows and registers nothing. A version whose code the
  /// engine does not have is read from its description; cases can be moved from it and not to it.
  /// Throws `IllegalStateException` if the store has neither, and `IllegalArgumentException` as
  /// above.
  public MigrationPlan plan(ProgramHash from, ProgramHash to, Mapping mapping) {
    return new MigrationPlan(store, mover, known(from), known(to), mapping);
  }

  /// Migrates one waiting case to a version that the engine can run, as `Engine.migrate` does, and
  /// registers nothing. Throws `IllegalStateException` if the engine does not have its code.
  public MigrationResult move(String caseId, ProgramHash to, Mapping mapping) {
    try {
      return mover.move(caseId, runnable(mover, to), mapping).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException broken ? broken : e;
    }
  }

  private Program known(ProgramHash hash) {
    return mover
        .code(hash)
        .or(() -> mover.described(hash))
        .orElseThrow(() ->
            new IllegalStateException(
                "the store has no description of program " + hash + "; register its workflow"));
  }

  static Program runnable(Mover mover, ProgramHash hash) {
    return mover
        .code(hash)
        .orElseThrow(() ->
            new IllegalStateException(
                "the code of program "
                    + hash
                    + " is missing; register its workflow before cases are moved to it"));
  }
}
