package dev.damask.ops;

import dev.damask.store.RowChange;
import dev.damask.store.TableRow;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What schedules need of an engine.
public interface ScheduledStarts {
  /// The time of the engine's clock, in milliseconds.
  long now();

  /// Whether this engine starts the cases of a schedule; another node does otherwise.
  boolean owns(String schedule);

  /// Makes a workflow known. Durable when it returns.
  void register(Workflow<?, ?> workflow);

  /// Throws `IllegalArgumentException` if a workflow does not accept the input of a schedule.
  void requireInput(String schedule, Workflow<?, ?> workflow, Context input);

  /// Whether the engine can start cases of a workflow.
  boolean isKnown(String workflow);

  /// Starts a case and writes rows in the same commit. Completes when that is durable, with whether
  /// the case is new; the rows of one that exists are not written.
  CompletableFuture<Boolean> start(
      String workflow, String caseId, Context input, List<RowChange> rows);

  /// Writes the rows of a schedule. Completes when they are durable, exceptionally with a
  /// [dev.damask.store.RowChangedException] if another node has changed the schedule.
  ///
  /// @param old the schedule as it was read; null if there was none
  CompletableFuture<Void> write(String schedule, @Nullable TableRow old, List<RowChange> rows);

  /// Whether a case has ended or does not exist.
  boolean hasEnded(String caseId);

  /// Runs an action when a case has ended.
  void whenEnded(String caseId, Runnable action);

  /// Cancels a case. Completes when that is durable.
  CompletableFuture<?> cancel(String caseId, String reason);
}
