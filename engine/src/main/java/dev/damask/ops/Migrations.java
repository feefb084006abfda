package dev.damask.ops;

import dev.damask.caller.MigrationResult;
import dev.damask.event.Mapping;
import dev.damask.program.Program;
import dev.damask.store.Store;
import dev.damask.term.Workflow;
import java.util.concurrent.CompletableFuture;

/// Moves the waiting cases of one version of a workflow to another one, all of them. Every method
/// may be called from any thread.
public final class Migrations {
  /// Performs what a plan asks for.
  public interface Mover {
    /// Registers a workflow and returns its program.
    Program program(Workflow<?, ?> workflow);

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

  /// Compares two versions of a workflow, in which nothing was renamed. Registers both.
  public MigrationPlan plan(Workflow<?, ?> from, Workflow<?, ?> to) {
    return plan(from, to, Mapping.NONE);
  }

  /// Compares two versions of a workflow. Registers both. Throws `IllegalArgumentException` if they
  /// are the same, or if the mapping names something that one of them does not have.
  ///
  /// @param mapping the new names of what was renamed
  public MigrationPlan plan(Workflow<?, ?> from, Workflow<?, ?> to, Mapping mapping) {
    return new MigrationPlan(store, mover, mover.program(from), mover.program(to), mapping);
  }
}
