package dev.damask.exec;

import dev.damask.event.Mapping;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.Arrays;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/// How often each task of a case has waited for an effect, per instance: the `2` of `A[3]#2`.
///
/// A state has counts only if its program can execute a task twice in one instance, or if it was
/// migrated from such a program. In every other state each number is 1.
///
/// Counts of one task are kept by the last number of the instance's label, for each text before
/// that number; the number is 0 outside of instances.
final class ExecutionCounts {
  /// How many instances are counted; each execution in a further one is number 1.
  private static final int INSTANCES_MAX = 1 << 20;

  private static final int FEW = 2;
  private static final int[] NONE = {};

  private final TreeMap<String, TreeMap<String, int[]>> counts = new TreeMap<>();

  /// At most how many counts there are.
  private int known;

  /// Whether a task can be executed more than once in one instance.
  static boolean canRepeat(Program program) {
    Program.Pools pools = program.pools();
    if (pools.nets().length > 0 || pools.processes().length > 0 || pools.entries().length > 0) {
      return true;
    }
    for (Pool.Fork fork : pools.forks()) {
      if (fork.policy() == null) {
        return true;
      }
    }
    TreeMap<String, Integer> names = new TreeMap<>();
    for (Pool.Task task : pools.tasks()) {
      if (task.undo() >= 0
          || (!task.name().isEmpty() && names.merge(task.name(), 1, Integer::sum) > 1)) {
        return true;
      }
    }
    int[] code = program.raw().code();
    for (int ip = 0; ip < code.length; ip += Code.length(code[ip])) {
      if (code[ip] == Code.LOOP_CHECK || code[ip] == Code.LOOP_BACK) {
        return true;
      }
    }
    return false;
  }

  /// The number of an execution that starts now.
  static int next(Machine machine, ExecState state, Token token, String task) {
    if (state.executions == null) {
      if (!machine.repeats()) {
        return 1;
      }
      state.executions = new ExecutionCounts();
    }
    return state.executions.next(task, token.frame.label());
  }

  private int next(String task, String label) {
    int dot = label.lastIndexOf('.');
    String last = label.substring(dot + 1);
    int number = last.isEmpty() ? 0 : Integer.parseInt(last);
    if (number >= INSTANCES_MAX - known) {
      return 1;
    }
    TreeMap<String, int[]> ofTask = counts.computeIfAbsent(task, _ -> new TreeMap<>());
    String prefix = label.substring(0, dot + 1);
    int[] found = ofTask.getOrDefault(prefix, NONE);
    if (number >= found.length) {
      known += number + 1 - found.length;
      found = Arrays.copyOf(found, number < FEW ? FEW : 2 * number);
      ofTask.put(prefix, found);
    }
    return ++found[number];
  }

  /// The same counts under the names of another program.
  ExecutionCounts renamed(SortedMap<String, String> tasks) {
    if (tasks.isEmpty()) {
      return this;
    }
    ExecutionCounts renamed = new ExecutionCounts();
    counts.forEach((task, ofTask) -> {
      TreeMap<String, int[]> copy =
          renamed.counts.computeIfAbsent(Mapping.renamed(tasks, task), _ -> new TreeMap<>());
      ofTask.forEach(
          (prefix, numbers) -> copy.merge(prefix, numbers.clone(), ExecutionCounts::larger));
    });
    return renamed;
  }

  private static int[] larger(int[] one, int[] other) {
    int[] larger = Arrays.copyOf(one, Math.max(one.length, other.length));
    for (int i = 0; i < other.length; i++) {
      larger[i] = Math.max(larger[i], other[i]);
    }
    return larger;
  }

  /// Writes the counts, equal ones of consecutive instances as one.
  void write(Encoder out) {
    out.natural(counts.size());
    counts.forEach((task, ofTask) -> {
      out.text(task);
      out.natural(ofTask.size());
      ofTask.forEach((prefix, numbers) -> {
        out.text(prefix);
        runs(numbers, out);
      });
    });
  }

  private static void runs(int[] numbers, Encoder out) {
    int end = numbers.length;
    while (end > 0 && numbers[end - 1] == 0) {
      end--;
    }
    int from = 0;
    while (from < end) {
      int to = from + 1;
      while (to < end && numbers[to] == numbers[from]) {
        to++;
      }
      out.natural(to - from);
      out.natural(numbers[from]);
      from = to;
    }
    out.natural(0);
  }

  /// Reads what [#write] wrote.
  static ExecutionCounts read(Decoder in, int tasks) {
    ExecutionCounts read = new ExecutionCounts();
    for (int i = 0; i < tasks; i++) {
      TreeMap<String, int[]> ofTask = new TreeMap<>();
      if (read.counts.put(in.text(), ofTask) != null) {
        throw in.damaged("a task is counted twice");
      }
      for (int left = in.count(); left > 0; left--) {
        ofTask.put(in.text(), read.runs(in));
      }
    }
    return read;
  }

  private int[] runs(Decoder in) {
    int[] numbers = new int[FEW];
    int end = 0;
    for (int length = in.below(INSTANCES_MAX); length > 0; length = in.below(INSTANCES_MAX)) {
      int count = in.below(Integer.MAX_VALUE);
      known += length;
      if (known > INSTANCES_MAX) {
        throw in.damaged("too many instances are counted");
      }
      if (end + length > numbers.length) {
        numbers = Arrays.copyOf(numbers, Math.max(end + length, 2 * numbers.length));
      }
      Arrays.fill(numbers, end, end + length, count);
      end += length;
    }
    return numbers;
  }

  /// Numbers the executions that wait in a state that was stored without counts.
  static void assume(Machine machine, ExecState state) {
    if (state.effects != null && machine.repeats()) {
      for (Token token : state.effects.inOrder()) {
        Objects.requireNonNull(token.wait).execution =
            next(machine, state, token, token.task(state.program).name());
      }
    }
  }
}
