package dev.damask.compile;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.term.GroupReach;
import dev.damask.term.StepNode;
import dev.damask.term.TermPath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Emits process instances: for each step a gate, its task, and what ends the process.
final class GroupBuilder {
  private final Emitter emitter;
  private final TermPath path;
  private final List<StepNode> steps;
  private final Map<String, Integer> stepIndex = new HashMap<>();
  private final List<Pool.GroupJoin> joins = new ArrayList<>();
  private final JumpTarget[] gates;
  private final JumpTarget continuation = new JumpTarget();

  GroupBuilder(Emitter emitter, TermPath path, List<StepNode> steps) {
    this.emitter = emitter;
    this.path = path;
    this.steps = steps;
    steps.forEach(step -> stepIndex.put(step.id(), stepIndex.size()));
    gates = new JumpTarget[steps.size()];
    Arrays.setAll(gates, i -> new JumpTarget());
  }

  void emit() {
    int index = Emitter.add(emitter.processes, this::finish);
    emitter.emit(path, Code.GROUP_ENTER, index);
    for (int i = 0; i < gates.length; i++) {
      StepNode step = steps.get(i);
      TermPath here = path.then(".steps." + step.id());
      emitter.place(gates[i]);
      emitter.emit(here, Code.STEP_GATE, index, i);
      int task = Emitter.add(emitter.tasks, () -> Compiler.taskEntry(step.task(), -1));
      emitter.emit(here, Code.TASK_EXEC, task);
      emitter.emit(here, Code.SPAWN, index, i);
    }
    emitter.place(continuation);
  }

  private Pool.Processes finish() {
    Pool.Step[] made = new Pool.Step[gates.length];
    for (int i = 0; i < made.length; i++) {
      StepNode step = steps.get(i);
      made[i] =
          new Pool.Step(
              step.id(), gates[i].address(), branch(step.onValid()), branch(step.onInvalid()));
    }
    return new Pool.Processes(
        made,
        joins.toArray(Pool.GroupJoin[]::new),
        new GroupReach(steps).steps(),
        continuation.address(),
        null);
  }

  private Pool.Branch branch(StepNode.Branch branch) {
    int[] spawns = branch.spawns().stream().mapToInt(this::at).toArray();
    StepNode.GroupJoin join = branch.join();
    if (join == null) {
      return new Pool.Branch(spawns, -1);
    }
    joins.add(
        new Pool.GroupJoin(
            at(join.target()),
            join.need(),
            join.kills(),
            join.from().stream().mapToInt(from -> at(from.step())).toArray(),
            join.from().stream().map(StepNode.Source::when).toArray(StepNode.When[]::new)));
    return new Pool.Branch(spawns, joins.size() - 1);
  }

  private int at(String step) {
    return Objects.requireNonNull(stepIndex.get(step));
  }
}
