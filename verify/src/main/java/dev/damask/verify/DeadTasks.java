package dev.damask.verify;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.program.Reach;
import dev.damask.term.TermPath;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.function.IntFunction;

/// Finds tasks that no run starts, such as those of graph nodes without incoming arcs and those
/// after guards that are always false.
///
/// Tasks that are reachable only through a failure are omitted, because tasks that run in the
/// machine may fail in ways that the search does not see. Tasks after a timeout are omitted if
/// timers do not fire.
final class DeadTasks {
  private DeadTasks() {}

  static List<Violation> find(Program program, Options options, BitSet executed) {
    List<Violation> violations = new ArrayList<>();
    BitSet expected = expected(program, options);
    BitSet reached = reach(program, at -> new BitSet());
    boolean isStep = program.pools().processes().length > 0;
    for (int address : Abstraction.taskAddresses(program)) {
      boolean counts =
          expected.get(address)
              || (!reached.get(address) && !isUncalled(program, reached, address));
      if (counts && !executed.get(address)) {
        Pool.Task task = program.pools().tasks()[program.raw().code()[address + 1]];
        violations.add(
            new Violation(
                Property.NO_DEAD_TASKS,
                program.source().at(address).toString(),
                (isStep ? "step " : "task ") + task.name() + " can never run",
                new Counterexample(List.of(), List.of("no run reaches it"), true)));
      }
    }
    return violations;
  }

  /// Returns whether an address belongs to a definition that is never called, which is a separate
  /// warning.
  private static boolean isUncalled(Program program, BitSet reached, int address) {
    String path = program.source().at(address).toString();
    for (Pool.Entry entry : program.pools().entries()) {
      String body = TermPath.definition(entry.name()).toString();
      boolean within =
          path.startsWith(body)
              && (path.length() == body.length() || ".[".indexOf(path.charAt(body.length())) >= 0);
      if (within && !reached.get(entry.address())) {
        return true;
      }
    }
    return false;
  }

  /// Returns the addresses that are reachable without a failure, and through timers if they may
  /// fire.
  private static BitSet expected(Program program, Options options) {
    return reach(program, at -> excluded(program, options, at));
  }

  private static BitSet reach(Program program, IntFunction<BitSet> without) {
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
      BitSet excluded = without.apply(at);
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
