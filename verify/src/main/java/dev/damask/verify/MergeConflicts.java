package dev.damask.verify;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.program.Reach;
import dev.damask.task.Expression;
import dev.damask.task.ExpressionParts;
import dev.damask.task.KnownWrites;
import dev.damask.task.TaskFunction;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Merge;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Finds joins with `merge: fail` whose branches can write the same key, from the program text.
///
/// A branch writes the keys of its `set`, the keys of results and collections, and all keys of
/// results without a key, of payloads and of Java functions. Two branches certainly conflict if
/// both run straight to their ends and set one key to different constants.
final class MergeConflicts {
  private final Program program;
  private final int[] code;

  private MergeConflicts(Program program) {
    this.program = program;
    this.code = program.raw().code();
  }

  /// A possible conflict at a join.
  ///
  /// @param isCertain whether every run of the two branches conflicts
  /// @param data the keys as a phrase
  record Conflict(boolean isCertain, String data) {}

  /// Returns the possible conflicts by the index of the fork.
  static Map<Integer, Conflict> of(Program program) {
    MergeConflicts conflicts = new MergeConflicts(program);
    Map<Integer, Conflict> found = new HashMap<>();
    Pool.Fork[] forks = program.pools().forks();
    for (int i = 0; i < forks.length; i++) {
      Pool.Fork fork = forks[i];
      if (fork.policy() != null
          && fork.policy().merge() == Merge.Standard.FAIL
          && !isAlone(fork.policy())) {
        Conflict conflict = conflicts.find(fork);
        if (conflict != null) {
          found.put(i, conflict);
        }
      }
    }
    return found;
  }

  /// Returns whether a join merges at most one branch.
  private static boolean isAlone(JoinPolicy policy) {
    return policy.need() instanceof JoinPolicy.Need.Count(var count) && count <= 1;
  }

  /// The writes of a branch: known keys, and sources with unknown keys.
  private record Writes(Set<String> keys, Set<String> unknown) {}

  /// Returns the conflict of a fork, or null if its branches cannot write the same key.
  private @Nullable Conflict find(Pool.Fork fork) {
    List<Writes> writes = new ArrayList<>();
    List<Map<String, List<@Nullable Object>>> constants = new ArrayList<>();
    for (int target : fork.targets()) {
      writes.add(writes(target));
      constants.add(constants(target));
    }
    Set<String> keys = new TreeSet<>();
    Set<String> unknown = new TreeSet<>();
    Set<String> certain = new TreeSet<>();
    for (int i = 0; i < writes.size(); i++) {
      for (int j = i + 1; j < writes.size(); j++) {
        pair(writes.get(i), writes.get(j), keys, unknown);
        different(constants.get(i), constants.get(j), certain);
        settled(constants.get(i), constants.get(j), keys);
      }
    }
    if (!certain.isEmpty() && !fork.isGuarded()) {
      return new Conflict(true, "of " + named("key", certain));
    }
    keys.addAll(certain);
    if (keys.isEmpty() && unknown.isEmpty()) {
      return null;
    }
    String what = keys.isEmpty() ? "" : "of " + named("key", keys);
    String rest =
        unknown.isEmpty() ? "" : "of a key that " + String.join(" and ", unknown) + " write";
    return new Conflict(false, what + (what.isEmpty() || rest.isEmpty() ? "" : " or ") + rest);
  }

  private static void pair(Writes one, Writes two, Set<String> keys, Set<String> unknown) {
    one.keys().stream().filter(two.keys()::contains).forEach(keys::add);
    boolean both = !one.unknown().isEmpty() && !two.unknown().isEmpty();
    boolean either = !one.unknown().isEmpty() || !two.unknown().isEmpty();
    if (both) {
      unknown.addAll(one.unknown());
      unknown.addAll(two.unknown());
    } else if (either) {
      keys.addAll(one.unknown().isEmpty() ? one.keys() : two.keys());
    }
  }

  private static void different(
      Map<String, List<@Nullable Object>> one,
      Map<String, List<@Nullable Object>> two,
      Set<String> certain) {
    one.forEach((key, value) -> {
      List<@Nullable Object> other = two.get(key);
      if (other != null && !other.equals(value)) {
        certain.add(key);
      }
    });
  }

  /// Removes keys that two branches set to the same constant.
  private static void settled(
      Map<String, List<@Nullable Object>> one,
      Map<String, List<@Nullable Object>> two,
      Set<String> keys) {
    one.forEach((key, value) -> {
      if (value.equals(two.get(key))) {
        keys.remove(key);
      }
    });
  }

  static String named(String what, Set<String> names) {
    List<String> quoted = names.stream().map(each -> "'" + each + "'").toList();
    return what + (names.size() == 1 ? " " : "s ") + String.join(", ", quoted);
  }

  private Writes writes(int target) {
    Writes writes = new Writes(new TreeSet<>(), new TreeSet<>());
    BitSet seen = new BitSet();
    Deque<Integer> open = new ArrayDeque<>(List.of(target));
    while (!open.isEmpty()) {
      int at = open.pop();
      if (!seen.get(at)) {
        seen.set(at);
        note(at, writes);
        if (code[at] == Code.MI_SPAWN) {
          // What instances write stays in them, but for what is collected.
          open.push(program.pools().instances()[code[at + 1]].continuation());
        } else if (code[at] == Code.CALL && result(at) != null) {
          // What the definition writes stays in it, but for the whole result.
          open.push(at + Code.length(Code.CALL));
        } else {
          Reach.successors(code, at, program.pools(), open::push);
        }
      }
    }
    return writes;
  }

  /// Returns the key that receives the whole result of a call; null if there is none.
  private @Nullable String result(int at) {
    Pool.Passing passing = program.pools().passings().get(at);
    return passing == null ? null : passing.result();
  }

  private void note(int at, Writes writes) {
    switch (code[at]) {
      case Code.CALL -> {
        String result = result(at);
        if (result != null) {
          writes.keys().add(result);
        }
      }
      case Code.TASK_EXEC, Code.EFFECT_YIELD -> {
        Pool.Task task = program.pools().tasks()[code[at + 1]];
        String result = task.options().result();
        TaskFunction function = task.function();
        if (function instanceof KnownWrites known) {
          writes.keys().addAll(known.writes().keySet());
        } else if (function == null && result != null) {
          writes.keys().add(result);
        } else if (function == null || !task.name().isEmpty()) {
          writes.unknown().add("task " + task.name());
        }
      }
      case Code.MI_SPAWN -> {
        String collect = program.pools().instances()[code[at + 1]].policy().collect();
        if (collect != null) {
          writes.keys().add(collect + "_all");
        }
      }
      case Code.AWAIT -> {
        for (Pool.Alternative each : program.pools().awaits()[code[at + 1]].alternatives()) {
          if (each.kind() == Pool.AlternativeKind.TAKE) {
            Arrays.stream(each.places()).forEach(place -> payload(place, writes));
          }
        }
      }
      default -> {}
    }
  }

  /// Adds the payload of a token taken from a place: that of any signal or emission to it.
  private void payload(int place, Writes writes) {
    if (program.pools().places()[place].place().external()) {
      writes.unknown().add("signal " + program.pools().places()[place].place().name());
    }
    for (Pool.Emission emission : program.pools().emissions()) {
      if (emission.kind() == Pool.EmissionKind.PLACE && emission.target() == place) {
        writes.keys().addAll(List.of(emission.keys()));
      }
    }
  }

  /// Returns the constants that a branch sets if it runs straight to its end, each as a list of
  /// one; empty for other branches.
  private Map<String, List<@Nullable Object>> constants(int target) {
    Map<String, List<@Nullable Object>> constants = new TreeMap<>();
    int at = target;
    for (int hops = 0; hops < code.length; hops++) {
      switch (code[at]) {
        case Code.SEQ_ENTER -> at++;
        case Code.SEQ_NEXT -> at = code[at + 1];
        case Code.TASK_EXEC, Code.EFFECT_YIELD -> {
          Pool.Task task = program.pools().tasks()[code[at + 1]];
          if (task.function() instanceof KnownWrites known) {
            known.writes().forEach((key, value) -> constant(constants, key, value));
          } else if (task.options().result() != null) {
            constants.remove(task.options().result());
          } else if (!task.name().isEmpty()) {
            constants.clear();
          }
          at += Code.length(code[at]);
        }
        case Code.DONE, Code.JOIN_WAIT -> {
          return constants;
        }
        default -> {
          return Map.of();
        }
      }
    }
    return Map.of();
  }

  private static void constant(
      Map<String, List<@Nullable Object>> constants, String key, Expression value) {
    ExpressionParts parts = value.folded().parts();
    if (parts.isLiteral()) {
      constants.put(key, parts.constants());
    } else {
      constants.remove(key);
    }
  }
}
