package dev.damask.verify;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.program.Reach;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

/// Tasks that no run ever starts.
///
/// Tasks that only a failure leads to are left out: those that run in the machine may fail in ways
/// no search sees. So are tasks behind a time-out when timers do not fire.
final class DeadTasks {
  private DeadTasks() {}

  static List<Violation> find(Program program, Options options, BitSet executed) {
    List<Violation> violations = new ArrayList<>();
    BitSet expected = expected(program, options);
    boolean isStep = program.pools().processes().length > 0;
    for (int address : Abstraction.taskAddresses(program)) {
      if (expected.get(address) && !executed.get(address)) {
        Pool.Task task = program.pools().tasks()[program.raw().code()[address + 1]];
        violations.add(
            new Violation(
                Property.NO_DEAD_TASKS,
                program.source().at(address).toString(),
                (isStep ? "step " : "task ") + task.name() + " can never run",
                new Counterexample(List.of(), List.of("no run leads to it"), true)));
      }
    }
    return violations;
  }

  /// The addresses that can be reached without a failure, and in time if timers may fire.
  private static BitSet expected(Program program, Options options) {
    int[] code = program.raw().code();
    BitSet seen = new BitSet();
    Deque<Integer> open = new ArrayDeque<>();
    open.push(program.raw().entry());
    while (!open.isEmpty()) {
      int at = open.pop();
      if (seen.get(at)) {
        continue;
      }
      seen.set(at);
      BitSet excluded = excluded(program, options, at);
      Reach.successors(
          code,
          at,
          program.pools(),
          next -> {
            if (!excluded.get(next)) {
              open.push(next);
            }
          });
    }
    return seen;
  }

  private static BitSet excluded(Program program, Options options, int at) {
    int[] code = program.raw().code();
    BitSet excluded = new BitSet();
    if (code[at] == Code.TASK_EXEC || code[at] == Code.EFFECT_YIELD) {
      exclude(excluded, program.pools().tasks()[code[at + 1]].undo());
    } else if (code[at] == Code.CANCEL_SCOPE) {
      Pool.Region region = program.pools().regions()[code[at + 2]];
      exclude(excluded, region.handler());
      if (!options.timers()) {
        exclude(excluded, region.onTimeout());
      }
    }
    return excluded;
  }

  private static void exclude(BitSet excluded, int address) {
    if (address >= 0) {
      excluded.set(address);
    }
  }
}
