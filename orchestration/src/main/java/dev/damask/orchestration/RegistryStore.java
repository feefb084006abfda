package dev.damask.orchestration;

import dev.damask.cases.Engine;
import dev.damask.cases.KeptCases;
import dev.damask.compile.Compiler;
import dev.damask.exec.Machine;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.store.Store;
import dev.damask.term.Flow;
import dev.damask.term.Limits;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;

/// Keeps every state of every registry entry in the store of the engine.
///
/// Each change is a case of its own that completes at once, numbered within its entry. Starting a
/// case is durable and refuses a second one of the same id, which is all a registry needs; nothing
/// is ever overwritten, so a running session finds the graph it is pinned to.
final class RegistryStore {
  private static final int CONTEXT_BYTES = 1_048_576;

  static final WorkflowDefinition WORKFLOW =
      Flow.workflow("registry", Flow.task("keep", context -> context)).withLimits(limits());

  private final Store store;
  private final Machine machine;

  RegistryStore(Store store) {
    Program program = Compiler.compile(WORKFLOW);
    this.store = store;
    this.machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
  }

  private static Limits limits() {
    Limits usual = Limits.DEFAULT;
    return new Limits(
        usual.nodes(),
        usual.branches(),
        usual.callDepth(),
        usual.instances(),
        usual.openEffects(),
        usual.placeTokens(),
        CONTEXT_BYTES,
        usual.steps());
  }

  static String caseId(RegistryEntry.Kind kind, String key, long change) {
    return KeptCases.REGISTRY + kind.name() + ":" + Hash.of(key) + ":" + change;
  }

  /// A change and its number within its entry.
  record Change(long number, RegistryEntry entry) {}

  /// Every change there has been.
  List<Change> load() {
    List<Change> changes = new ArrayList<>();
    for (String id : store.ids(KeptCases.REGISTRY)) {
      store
          .record(id)
          .ifPresent(record -> {
            Context context = record.decode(machine).result();
            long number = Long.parseLong(id.substring(id.lastIndexOf(':') + 1));
            changes.add(new Change(number, RegistryEntry.from(context)));
          });
    }
    changes.sort(java.util.Comparator.comparingLong(Change::number));
    return changes;
  }

  /// Makes a change durable; it is the engine's to write.
  static void write(Engine engine, RegistryEntry entry, long number) {
    engine.start(WORKFLOW, caseId(entry.kind(), entry.key(), number), entry.toContext());
  }
}
