package dev.damask.cli.check;

import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.task.ExpressionParts;
import dev.damask.task.Guard;
import dev.damask.term.InstancePolicy;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Data worth trying: the variables that the expressions of a program read, and values near those
/// they are compared with.
final class TrialData {
  private static final int VALUES_MAX = 200;

  private final List<List<String>> variables = new ArrayList<>();
  private final List<Object> values;

  private TrialData(Map<String, List<String>> names, Set<Object> values) {
    variables.addAll(names.values());
    this.values = List.copyOf(values);
  }

  static TrialData of(Program program) {
    Map<String, List<String>> names = new TreeMap<>();
    Set<Object> values = new LinkedHashSet<>(List.of(true, false, 0L, 1L, ""));
    for (ExpressionParts parts : parts(program)) {
      parts.names().forEach(name -> names.put(String.join(".", name), name));
      parts.constants().forEach(constant -> collect(constant, values));
    }
    values.addAll(List.of(List.of(), List.of(1L), List.of(1L, 2L)));
    return new TrialData(names, values);
  }

  private static List<ExpressionParts> parts(Program program) {
    List<ExpressionParts> parts = new ArrayList<>();
    Program.Pools pools = program.pools();
    guards(pools.guards(), parts);
    for (Pool.Choice choice : pools.choices()) {
      guards(choice.guards(), parts);
    }
    for (Pool.Fork fork : pools.forks()) {
      guards(fork.guards(), parts);
    }
    Arrays.stream(pools.expressions()).forEach(each -> parts.add(each.parts()));
    for (Pool.Instances each : pools.instances()) {
      parts.add(each.policy().count().parts());
      if (each.policy().need() instanceof InstancePolicy.Need.Count(var count)) {
        parts.add(count.parts());
      }
    }
    return parts;
  }

  private static void guards(@Nullable Guard[] guards, List<ExpressionParts> parts) {
    for (Guard guard : guards) {
      if (guard != null) {
        parts.add(guard.parts());
      }
    }
  }

  /// A constant, and the numbers beside it.
  private static void collect(@Nullable Object constant, Set<Object> values) {
    if (values.size() >= VALUES_MAX) {
      return;
    }
    switch (constant) {
      case Long number -> values.addAll(List.of(number, number + 1, number - 1));
      case Double number -> values.addAll(List.of(number, number + 1, number - 1));
      case String text -> values.add(text);
      case null, default -> {}
    }
  }

  boolean isEmpty() {
    return variables.isEmpty();
  }

  /// Data for one try: the first has none, then the caller brings some, then the events do too.
  Draft draft(SplittableRandom random, int number, int events) {
    Map<Integer, Map<List<String>, Object>> entries = new TreeMap<>();
    for (List<String> variable : number == 0 ? List.<List<String>>of() : variables) {
      entries
          .computeIfAbsent(0, key -> new java.util.LinkedHashMap<>())
          .put(variable, value(random));
      for (int event = 1; event < events && number % 2 == 0; event++) {
        if (random.nextInt(3) == 0) {
          entries
              .computeIfAbsent(event, key -> new java.util.LinkedHashMap<>())
              .put(variable, value(random));
        }
      }
    }
    return new Draft(entries);
  }

  private Object value(SplittableRandom random) {
    return values.get(random.nextInt(values.size()));
  }

  /// The data of one try, by event; event 0 is the start.
  record Draft(Map<Integer, Map<List<String>, Object>> entries) {
    Context context(int event) {
      return Context.from(map(event));
    }

    Map<String, Object> map(int event) {
      Map<String, Object> map = new TreeMap<>();
      entries.getOrDefault(event, Map.of()).forEach((path, value) -> put(map, path, value));
      return map;
    }

    private static void put(Map<String, Object> map, List<String> path, Object value) {
      String key = path.getFirst();
      if (path.size() == 1) {
        map.putIfAbsent(key, value);
        return;
      }
      Map<String, Object> inner = new TreeMap<>();
      if (map.get(key) instanceof Map<?, ?> known) {
        known.forEach((name, each) -> inner.put(String.valueOf(name), each));
      }
      put(inner, path.subList(1, path.size()), value);
      map.put(key, inner);
    }

    /// Removes data that do not change the result.
    Draft shrunk(Predicate<Draft> stillWorks) {
      Draft best = this;
      for (Integer event : entries.keySet().stream().sorted().toList().reversed()) {
        for (List<String> path : List.copyOf(entries.getOrDefault(event, Map.of()).keySet())) {
          Draft smaller = best.without(event, path);
          best = stillWorks.test(smaller) ? smaller : best;
        }
      }
      return best;
    }

    private Draft without(Integer event, List<String> path) {
      Map<Integer, Map<List<String>, Object>> copy = new TreeMap<>(entries);
      Map<List<String>, Object> inner =
          new java.util.LinkedHashMap<>(entries.getOrDefault(event, Map.of()));
      inner.remove(path);
      copy.put(event, inner);
      return new Draft(copy);
    }
  }
}
