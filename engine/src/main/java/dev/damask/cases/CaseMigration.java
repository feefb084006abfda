package dev.damask.cases;

import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.exec.Machine;
import dev.damask.exec.Migration;
import dev.damask.program.Program;

/// Moves a case to another program.
final class CaseMigration {
  private final CaseRunner runner;
  private final Machines machines;
  private final EngineOptions options;

  CaseMigration(CaseRunner runner, Machines machines, EngineOptions options) {
    this.runner = runner;
    this.machines = machines;
    this.options = options;
  }

  MigrationResult run(LiveCase live, Program target, Mapping mapping, long now) {
    Machine machine = machines.machine(live.id, target, live.terms.options(), live.revision());
    return switch (Migration.plan(live.state, machine, mapping)) {
      case Migration.Refused(var reasons) -> new MigrationResult.Refused(reasons, 0);
      case Migration.Migrated(var state) -> {
        live.machine = machine;
        live.state = state;
        live.workflow = target.name();
        options.watch().migrated(live.id, target, mapping);
        runner.apply(live, new Input.Advance(now), now); // the new version settles what it can
        yield new MigrationResult.Moved(0);
      }
    };
  }
}
