package dev.damask.compile;

import dev.damask.program.Code;
import dev.damask.program.ConstructTree;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.program.SourceMap;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/// Collects code and pools. Entries that hold labels are created when all labels have been placed.
final class Emitter {
  private int[] code = new int[64];
  private int length;
  private final List<Patch> patches = new ArrayList<>();
  private int[] starts = new int[32];
  private final List<TermPath> paths = new ArrayList<>();
  final ConstructTree.Builder constructs = new ConstructTree.Builder();

  final List<Supplier<Pool.Task>> tasks = new ArrayList<>();
  final List<Supplier<Pool.Fork>> forks = new ArrayList<>();
  final List<Supplier<Pool.Choice>> choices = new ArrayList<>();
  final List<Guard> guards = new ArrayList<>();
  final List<Expression> expressions = new ArrayList<>();
  final List<Supplier<Pool.Region>> regions = new ArrayList<>();
  final List<Supplier<Pool.Instances>> instances = new ArrayList<>();
  final List<Supplier<Pool.Await>> awaits = new ArrayList<>();
  final List<Pool.Emission> emissions = new ArrayList<>();
  final List<Pool.Kill> kills = new ArrayList<>();
  final List<Supplier<Pool.Entry>> entries = new ArrayList<>();
  final Map<Integer, Pool.Passing> passings = new HashMap<>();
  final List<Supplier<Pool.Net>> nets = new ArrayList<>();
  final List<Supplier<Pool.Processes>> processes = new ArrayList<>();

  private record Patch(int position, JumpTarget label) {}

  int here() {
    return length;
  }

  void place(JumpTarget label) {
    label.place(length);
  }

  /// Adds one instruction.
  void emit(TermPath path, int operation, int... operands) {
    if (paths.size() == starts.length) {
      starts = Arrays.copyOf(starts, starts.length * 2);
    }
    starts[paths.size()] = length;
    paths.add(path);
    constructs.add(path, length, operation, operands);
    append(operation);
    for (int operand : operands) {
      append(operand);
    }
  }

  /// Adds a call and what it passes.
  void call(TermPath path, Term.Call call, int entry) {
    if (call.isSeparate()) {
      passings.put(length, Pool.Passing.of(call));
    }
    emit(path, Code.CALL, entry);
  }

  /// Adds one instruction whose last operand is an address known later.
  void emitTo(TermPath path, JumpTarget target, int operation, int... operands) {
    emit(path, operation, operands);
    patches.add(new Patch(length, target));
    append(-1);
  }

  private void append(int word) {
    if (length == code.length) {
      code = Arrays.copyOf(code, length * 2);
    }
    code[length++] = word;
  }

  int[] code() {
    int[] finished = Arrays.copyOf(code, length);
    for (Patch patch : patches) {
      finished[patch.position()] = patch.label().address();
    }
    return finished;
  }

  SourceMap source() {
    return new SourceMap(Arrays.copyOf(starts, paths.size()), paths);
  }

  static <T> int add(List<T> pool, T entry) {
    pool.add(entry);
    return pool.size() - 1;
  }

  Program.Pools pools(Symbols symbols, int loopSlots, boolean stamps) {
    return new Program.Pools(
        made(tasks, Pool.Task[]::new),
        made(forks, Pool.Fork[]::new),
        made(choices, Pool.Choice[]::new),
        guards.toArray(Guard[]::new),
        expressions.toArray(Expression[]::new),
        made(regions, Pool.Region[]::new),
        made(instances, Pool.Instances[]::new),
        made(awaits, Pool.Await[]::new),
        emissions.toArray(Pool.Emission[]::new),
        kills.toArray(Pool.Kill[]::new),
        made(entries, Pool.Entry[]::new),
        made(nets, Pool.Net[]::new),
        made(processes, Pool.Processes[]::new),
        new Pool.Run[0],
        symbols.places(),
        symbols.names(),
        symbols.unitEnds(),
        symbols.unitsOfName(),
        loopSlots,
        stamps,
        passings);
  }

  private static <T> T[] made(List<Supplier<T>> suppliers, IntFunction<T[]> array) {
    return suppliers.stream().map(Supplier::get).toArray(array);
  }
}
