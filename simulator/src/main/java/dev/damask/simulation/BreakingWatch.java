package dev.damask.simulation;

import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.history.CaseObserver;
import dev.damask.program.Program;
import dev.damask.value.Context;

/// Breaks random moves while they run, and passes every event on to another observer.
final class BreakingWatch implements CaseObserver {
  private final Simulation simulation;
  private final CaseObserver next;

  BreakingWatch(Simulation simulation, CaseObserver next) {
    this.simulation = simulation;
    this.next = next;
  }

  private void breaks(String caseId) {
    if (simulation.moveBreaks()) {
      throw new BrokenMove(caseId);
    }
  }

  @Override
  public void started(String caseId, Context context, long now) {
    next.started(caseId, context, now);
  }

  @Override
  public void applied(String caseId, Input input) {
    next.applied(caseId, input);
    breaks(caseId);
  }

  @Override
  public void ran(String caseId, int quantum) {
    next.ran(caseId, quantum);
    breaks(caseId);
  }

  @Override
  public void migrated(String caseId, Program target, Mapping mapping) {
    next.migrated(caseId, target, mapping);
    breaks(caseId);
  }

  @Override
  public void committed(String caseId, long revision) {
    next.committed(caseId, revision);
  }

  @Override
  public void dropped(String caseId) {
    next.dropped(caseId);
  }
}
