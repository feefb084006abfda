package dev.damask.simulation;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.store.CaseQuery;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.task.Context;
import java.util.List;
import java.util.function.Consumer;

/// What some mutants do instead of the right thing.
final class Mutations {
  private Mutations() {}

  /// The receipt is written although nothing has happened, and often nothing ever will.
  static void reportAtOnce(
      Simulation run, EffectCall call, int life, Consumer<EffectResult> report) {
    run.later(0, life, "result", () -> report.accept(new EffectResult.Ok(Context.empty())));
    run.later(2_000, life, "world", () -> run.world.apply(call));
  }

  /// A record that cannot be read ends the reading, and what stood behind it is gone.
  static MemoryStore truncated(MemoryStore disk) {
    var cases = disk.list(CaseQuery.ALL).cases();
    if (cases.size() > 1) {
      String last = cases.getLast().caseId();
      disk.commit(new CommitBatch(List.of(), List.of(), List.of(last))).join();
    }
    return disk.reopened();
  }
}
