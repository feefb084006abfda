package dev.damask.program;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.function.IntConsumer;

/// Which instructions follow which: the flow graph of a program.
public final class Reach {
  private Reach() {}

  /// The addresses of the fast code that can be reached from the start, in ascending order.
  static int[] addresses(Program program) {
    return addresses(program.fast()).stream().toArray();
  }

  /// The addresses of an image that can be reached from its start.
  public static BitSet addresses(Program.Image image) {
    BitSet seen = new BitSet(image.code().length);
    Deque<Integer> open = new ArrayDeque<>();
    open.push(image.entry());
    seen.set(image.entry());
    while (!open.isEmpty()) {
      successors(
          image.code(),
          open.pop(),
          image.pools(),
          next -> {
            if (!seen.get(next)) {
              seen.set(next);
              open.push(next);
            }
          });
    }
    return seen;
  }

  /// Shows every address a token at an instruction can be at next, and every address at which the
  /// instruction can start a token now or later. Where a frame ends is not followed: the
  /// continuation is a successor of the instruction that opened the frame.
  public static void successors(int[] code, int at, Program.Pools pools, IntConsumer action) {
    int next = at + Code.length(code[at]);
    switch (code[at]) {
      case Code.SEQ_NEXT, Code.LOOP_BACK -> action.accept(code[at + 1]);
      case Code.TASK_EXEC, Code.EFFECT_YIELD -> {
        action.accept(next);
        optional(pools.tasks()[code[at + 1]].undo(), action);
      }
      case Code.PAR_FORK -> {
        Pool.Fork fork = pools.forks()[code[at + 1]];
        all(fork.targets(), action);
        optional(fork.continuation(), action);
      }
      case Code.XOR_CHOOSE -> all(pools.choices()[code[at + 1]].targets(), action);
      case Code.LOOP_CHECK -> {
        action.accept(next);
        action.accept(code[at + 4]);
      }
      case Code.CANCEL_SCOPE -> {
        action.accept(next);
        Pool.Region region = pools.regions()[code[at + 2]];
        if (code[at + 1] == Code.ENTER) {
          action.accept(region.continuation());
          optional(region.handler(), action);
          optional(region.onTimeout(), action);
        }
      }
      case Code.MI_SPAWN -> {
        Pool.Instances instances = pools.instances()[code[at + 1]];
        action.accept(instances.body());
        action.accept(instances.continuation());
      }
      case Code.AWAIT -> {
        for (Pool.Alternative alternative : pools.awaits()[code[at + 1]].alternatives()) {
          action.accept(alternative.target());
        }
      }
      case Code.CALL -> {
        action.accept(pools.entries()[code[at + 1]].address());
        action.accept(next);
      }
      case Code.NET_ENTER -> {
        action.accept(next);
        action.accept(pools.nets()[code[at + 1]].continuation());
      }
      case Code.ARRIVE -> {
        Pool.Net net = pools.nets()[code[at + 1]];
        action.accept(net.nodes()[net.arcs()[code[at + 2]].target()].body());
      }
      case Code.GROUP_ENTER -> {
        Pool.Processes processes = pools.processes()[code[at + 1]];
        for (Pool.Step step : processes.steps()) {
          action.accept(step.gate());
        }
        action.accept(processes.continuation());
      }
      case Code.SPAWN -> spawn(pools.processes()[code[at + 1]], code[at + 2], action);
      case Code.TASK_RUN -> {
        Pool.Run run = pools.runs()[code[at + 1]];
        action.accept(run.next());
        for (int task : run.tasks()) {
          optional(pools.tasks()[task].undo(), action);
        }
      }
      case Code.RET, Code.DONE -> {}
      default -> action.accept(next);
    }
  }

  /// Back to its own task, to the children of either branch, and to the targets of their joins.
  private static void spawn(Pool.Processes processes, int index, IntConsumer action) {
    Pool.Step step = processes.steps()[index];
    action.accept(step.gate() + Code.length(Code.STEP_GATE));
    for (Pool.Branch branch : new Pool.Branch[] {step.valid(), step.invalid()}) {
      for (int spawn : branch.spawns()) {
        action.accept(processes.steps()[spawn].gate());
      }
      if (branch.join() >= 0) {
        action.accept(processes.steps()[processes.joins()[branch.join()].target()].gate());
      }
    }
  }

  private static void all(int[] targets, IntConsumer action) {
    for (int target : targets) {
      action.accept(target);
    }
  }

  private static void optional(int address, IntConsumer action) {
    if (address >= 0) {
      action.accept(address);
    }
  }
}
