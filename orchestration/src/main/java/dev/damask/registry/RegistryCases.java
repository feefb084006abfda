package dev.damask.registry;

import dev.damask.compile.Compiler;
import dev.damask.exec.Machine;
import dev.damask.ops.KeptCases;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.store.Store;
import dev.damask.term.Flow;
import dev.damask.term.Limits;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;

/// Reads the registry of a store of format 4, in which each change of an entry is a completed case.
final class RegistryCases {
  private static final int CONTEXT_BYTES = 1_048_576;

  private RegistryCases() {}

  /// The workflow of these cases. Its program must not change, or they cannot be read.
  private static WorkflowDefinition workflow() {
    Limits usual = Limits.DEFAULT;
    return Flow.workflow("registry", Flow.task("keep", context -> context))
        .withLimits(
            new Limits(
                usual.nodes(),
                usual.branches(),
                usual.callDepth(),
                usual.instances(),
                usual.openEffects(),
                usual.placeTokens(),
                CONTEXT_BYTES,
                usual.steps()));
  }

  /// Returns all changes of the registry cases of a store; empty if it has none.
  static List<RegistryTable.Change> load(Store store) {
    List<String> ids = store.ids(KeptCases.REGISTRY);
    if (ids.isEmpty()) {
      return List.of();
    }
    Program program = Compiler.compile(workflow());
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    List<RegistryTable.Change> changes = new ArrayList<>();
    for (String id : ids) {
      store
          .load(id)
          .ifPresent(loaded -> {
            Context context = loaded.record().decode(machine).result();
            long number = Long.parseLong(id.substring(id.lastIndexOf(':') + 1));
            changes.add(new RegistryTable.Change(number, RegistryEntry.from(context)));
          });
    }
    return changes;
  }
}
