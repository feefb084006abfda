package dev.damask.cases;

import dev.damask.event.Mapping;
import dev.damask.exec.Machine;
import dev.damask.exec.Migration;
import dev.damask.program.Program;

/// Moves the state of a case to another version of its workflow.
final class CaseMigration {
  private CaseMigration() {}

  /// Moves all of the state, or nothing with the reasons.
  static MigrationResult move(LiveCase live, Machines machines, Program target, Mapping mapping) {
    Machine machine = machines.machine(live.id, target, live.terms.options(), live.revision());
    return switch (Migration.plan(live.state, machine, mapping)) {
      case Migration.Refused(var reasons) -> new MigrationResult.Refused(reasons, 0);
      case Migration.Migrated(var state) -> {
        live.machine = machine;
        live.state = state;
        live.workflow = target.name();
        yield new MigrationResult.Moved(0);
      }
    };
  }
}
