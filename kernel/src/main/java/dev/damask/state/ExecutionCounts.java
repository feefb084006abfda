package dev.damask.state;

import dev.damask.event.Mapping;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// How often each task of a case has waited for an effect, per instance: the `2` of `A[3]#2`.
///
/// A state has counts only if its program can execute a task twice in one instance, or if it was
/// migrated from such a program. In every other state each number is 1.
///
/// Counts of one task are kept by the last number of the instance's label, for each text before
/// that number; the number is 0 outside of instances.
public final class ExecutionCounts {
  /// How many instances are counted; each execution in a further one is number 1.
  private static final int INSTANCES_MAX = 1 << 20;

  private static final int FEW = 2;
  private static final int[] NONE = {};

  /// The counts of so many consecutive instances are stored together.
  private static final int CHUNK = 16;

  private static final int CHUNK_BITS = 20;

  private final TreeMap<String, TreeMap<String, Cells>> counts = new TreeMap<>();

  /// All cells by their ordinals.
  private final List<Cells> all = new ArrayList<>();

  /// The counts of one task and one text before the last number.
  private static final class Cells {
    final String task;
    final String prefix;
    int ordinal;
    int[] numbers = NONE;

    Cells(String task, String prefix) {
      this.task = task;
      this.prefix = prefix;
    }
  }

  private Cells cells(String task, String prefix) {
    return counts
        .computeIfAbsent(task, _ -> new TreeMap<>())
        .computeIfAbsent(
            prefix,
            _ -> {
              Cells made = new Cells(task, prefix);
              made.ordinal = all.size();
              all.add(made);
              return made;
            });
  }

  /// At most how many counts there are.
  private int known;

  /// Whether a task can be executed more than once in one instance.
  public static boolean canRepeat(Program program) {
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
  public int next(PartMarks marks, String task, String label) {
    int dot = label.lastIndexOf('.');
    String last = label.substring(dot + 1);
    int number = last.isEmpty() ? 0 : Integer.parseInt(last);
    if (number >= INSTANCES_MAX - known) {
      return 1;
    }
    Cells cells = cells(task, label.substring(0, dot + 1));
    if (number >= cells.numbers.length) {
      known += number + 1 - cells.numbers.length;
      cells.numbers = Arrays.copyOf(cells.numbers, number < FEW ? FEW : 2 * number);
    }
    if (marks.isOn()) {
      long entry = (long) cells.ordinal << CHUNK_BITS | number / CHUNK;
      marks.ofCase().touch(PartMarks.Entries.key(PartMarks.Entries.COUNT, entry));
    }
    return ++cells.numbers[number];
  }

  /// The numbers of the chunks that are not empty, in order.
  public List<Long> entries() {
    List<Long> entries = new ArrayList<>();
    for (Cells cells : all) {
      for (int i = 0; i < cells.numbers.length; i++) {
        long entry = (long) cells.ordinal << CHUNK_BITS | i / CHUNK;
        if (cells.numbers[i] != 0 && (entries.isEmpty() || entries.getLast() != entry)) {
          entries.add(entry);
        }
      }
    }
    return entries;
  }

  /// Writes one chunk; false when all its counts are zero.
  public boolean write(long entry, Encoder out) {
    Cells cells = all.get((int) (entry >>> CHUNK_BITS));
    int from = (int) (entry & ((1 << CHUNK_BITS) - 1)) * CHUNK;
    int to = Math.min(from + CHUNK, cells.numbers.length);
    int[] numbers = from < to ? Arrays.copyOfRange(cells.numbers, from, to) : NONE;
    if (Arrays.stream(numbers).allMatch(each -> each == 0)) {
      return false;
    }
    out.text(cells.task);
    out.text(cells.prefix);
    runs(numbers, out);
    return true;
  }

  /// Reads what [#write(long, Encoder)] wrote.
  public void read(long entry, Decoder in) {
    Cells cells = cells(in.text(), in.text());
    int from = (int) (entry & ((1 << CHUNK_BITS) - 1)) * CHUNK;
    int[] numbers = Arrays.copyOf(runs(in), CHUNK);
    if (from > INSTANCES_MAX) {
      throw in.damaged("an instance has too large a number");
    }
    if (from + numbers.length > cells.numbers.length) {
      cells.numbers = Arrays.copyOf(cells.numbers, from + numbers.length);
    }
    System.arraycopy(numbers, 0, cells.numbers, from, numbers.length);
    cells.ordinal = (int) (entry >>> CHUNK_BITS);
  }

  /// Gives the cells the ordinals that others of the same names have.
  public void renumber(ExecutionCounts stored) {
    Cells[] ordered = new Cells[all.size()];
    for (Cells cells : stored.all) {
      TreeMap<String, Cells> ofTask = counts.get(cells.task);
      Cells own = ofTask == null ? null : ofTask.get(cells.prefix);
      if (own == null || cells.ordinal >= ordered.length || ordered[cells.ordinal] != null) {
        throw new Decoder.DamagedBytes("corrupt bytes: the execution counts do not match");
      }
      own.ordinal = cells.ordinal;
      ordered[cells.ordinal] = own;
    }
    all.clear();
    for (Cells cells : ordered) {
      if (cells == null) {
        throw new Decoder.DamagedBytes("corrupt bytes: an execution count is missing");
      }
      all.add(cells);
    }
  }

  /// The same counts under the names of another program.
  public ExecutionCounts renamed(SortedMap<String, String> tasks) {
    if (tasks.isEmpty()) {
      return this;
    }
    ExecutionCounts renamed = new ExecutionCounts();
    for (Cells cells : all) {
      Cells copy = renamed.cells(Mapping.renamed(tasks, cells.task), cells.prefix);
      copy.numbers = larger(copy.numbers, cells.numbers);
    }
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
  public void write(Encoder out) {
    out.natural(counts.size());
    counts.forEach((task, ofTask) -> {
      out.text(task);
      out.natural(ofTask.size());
      ofTask.forEach((prefix, cells) -> {
        out.text(prefix);
        runs(cells.numbers, out);
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
  public static ExecutionCounts read(Decoder in, int tasks) {
    ExecutionCounts read = new ExecutionCounts();
    for (int i = 0; i < tasks; i++) {
      String task = in.text();
      if (read.counts.containsKey(task)) {
        throw in.damaged("a task is counted twice");
      }
      for (int left = in.count(); left > 0; left--) {
        Cells cells = read.cells(task, in.text());
        cells.numbers = read.runs(in);
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
}
