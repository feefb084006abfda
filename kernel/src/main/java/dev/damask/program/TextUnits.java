package dev.damask.program;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/// Which activations the kills and emissions of a program can address, as far as its text says: a
/// kill ends what is open in its own instance or call where that contains a region of the name, and
/// an addition from inside a set goes to the own activation.
public final class TextUnits {
  /// Any open activation of the name.
  public static final int ANY = -1;

  private final Program program;
  private final int[] code;
  private final Program.Pools pools;

  /// For each set of instances the unit it is in.
  private final int[] outer;

  private final int[] unitOfTask;

  /// Which tasks stand in a scope that undoes, or in a definition, which may be called in one.
  private final boolean[] undone;

  private final int[] unitOfKill;
  private final boolean[] own;

  /// Which names some kill of the program addresses.
  private final boolean[] killed;

  public TextUnits(Program program) {
    this.program = program;
    this.code = program.raw().code();
    this.pools = program.pools();
    this.outer = new int[pools.instances().length];
    this.unitOfTask = new int[pools.tasks().length];
    this.undone = new boolean[pools.tasks().length];
    this.unitOfKill = new int[pools.kills().length];
    this.own = new boolean[pools.emissions().length];
    this.killed = new boolean[pools.names().length];
    Arrays.fill(unitOfKill, ANY);
    read();
    readUndone();
  }

  /// The set (by its index) or definition (by its index after those of the sets) whose innermost
  /// activation around the token a kill is confined to, or [#ANY].
  public int unitOfKill(int kill) {
    return unitOfKill[kill];
  }

  /// Whether the undo term of a task may run after the task has completed.
  public boolean isUndone(int task) {
    return undone[task];
  }

  /// Whether an emission to a set of instances is inside a set of that name.
  public boolean isOwn(int emission) {
    return own[emission];
  }

  /// Whether some kill of the program names a region.
  public boolean isKilled(int name) {
    return killed[name];
  }

  /// Returns the unit of a definition: its index after those of the sets.
  public int unitOfDefinition(int definition) {
    return definition + outer.length;
  }

  private void read() {
    Map<Integer, Integer> definitions = new HashMap<>();
    for (int i = 0; i < pools.entries().length; i++) {
      definitions.put(pools.entries()[i].address(), i);
    }
    Map<Integer, Integer> undos = new HashMap<>();
    for (int i = 0; i < pools.tasks().length; i++) {
      undos.put(pools.tasks()[i].undo(), i);
    }
    int unit = ANY;
    Deque<Integer> open = new ArrayDeque<>();
    for (int at = 0; at < code.length; at += Code.length(code[at])) {
      Integer definition = definitions.get(at);
      Integer undone = undos.get(at);
      if (definition != null) {
        unit = outer.length + definition;
      } else if (undone != null) {
        unit = unitOfTask[undone]; // the undo terms stand after everything they undo
      }
      while (!open.isEmpty() && pools.instances()[open.peek()].continuation() <= at) {
        unit = outer[open.pop()];
      }
      note(at, unit);
      if (code[at] == Code.MI_SPAWN) {
        outer[code[at + 1]] = unit;
        unit = code[at + 1];
        open.push(unit);
      }
    }
  }

  /// The body of a scope ends before its continuation; definitions and undo terms stand after the
  /// text of the workflow.
  private void readUndone() {
    if (Arrays.stream(pools.regions()).noneMatch(Pool.Region::undo)) {
      return;
    }
    int text = code.length;
    for (Pool.Entry entry : pools.entries()) {
      text = Math.min(text, entry.address());
    }
    for (Pool.Task task : pools.tasks()) {
      text = task.undo() < 0 ? text : Math.min(text, task.undo());
    }
    int end = 0;
    for (int at = 0; at < code.length; at += Code.length(code[at])) {
      if (code[at] == Code.CANCEL_SCOPE && code[at + 1] == Code.ENTER) {
        Pool.Region region = pools.regions()[code[at + 2]];
        end = region.undo() ? Math.max(end, region.continuation()) : end;
      } else if (code[at] == Code.TASK_EXEC || code[at] == Code.EFFECT_YIELD) {
        undone[code[at + 1]] = at < end || at >= text;
      }
    }
  }

  private void note(int at, int unit) {
    switch (code[at]) {
      case Code.TASK_EXEC, Code.EFFECT_YIELD -> unitOfTask[code[at + 1]] = unit;
      case Code.KILL -> {
        int name = pools.kills()[code[at + 1]].name();
        if (name >= 0) {
          killed[name] = true;
          unitOfKill[code[at + 1]] = confined(name, unit);
        }
      }
      case Code.EMIT -> {
        Pool.Emission emission = pools.emissions()[code[at + 1]];
        if (emission.kind() != Pool.EmissionKind.PLACE) {
          own[code[at + 1]] = isInside(emission.target(), unit);
        }
      }
      default -> {}
    }
  }

  private int confined(int name, int from) {
    int unit = from;
    while (unit >= 0 && unit < outer.length) {
      if (program.unitContains(pools.instances()[unit].unit(), name)) {
        return unit;
      }
      unit = outer[unit];
    }
    boolean contains =
        unit >= 0 && program.unitContains(pools.entries()[unit - outer.length].unit(), name);
    return contains ? unit : ANY;
  }

  private boolean isInside(int name, int from) {
    for (int unit = from; unit >= 0 && unit < outer.length; unit = outer[unit]) {
      if (pools.instances()[unit].name() == name) {
        return true;
      }
    }
    return false;
  }
}
