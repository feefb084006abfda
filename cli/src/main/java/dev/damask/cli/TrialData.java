package dev.damask.cli;

import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.task.Context;
import dev.damask.task.Guard;
import dev.damask.term.InstancePolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Data worth trying: the variables that the expressions of a program read, and values near those
/// they are compared with.
final class TrialData {
  private static final Pattern WORD =
      Pattern.compile(
          "\"([^\"]*)\"|'([^']*)'|([0-9]{1,15})|([A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*)*)(\\()?");

  private static final Set<String> RESERVED = Set.of("true", "false", "null", "in", "ctx");
  private static final int VALUES_MAX = 200;

  private final List<List<String>> variables = new ArrayList<>();
  private final List<Object> values;

  private TrialData(Set<String> names, Set<Object> values) {
    names.forEach(name -> variables.add(List.of(name.split("\\."))));
    this.values = List.copyOf(values);
  }

  static TrialData of(Program program) {
    Set<String> names = new TreeSet<>();
    Set<Object> values = new LinkedHashSet<>(List.of(true, false, 0L, 1L, ""));
    texts(program).forEach(text -> collect(text, names, values));
    values.addAll(List.of(List.of(), List.of(1L), List.of(1L, 2L)));
    return new TrialData(names, values);
  }

  private static List<String> texts(Program program) {
    List<String> texts = new ArrayList<>();
    Program.Pools pools = program.pools();
    guards(pools.guards(), texts);
    for (Pool.Choice choice : pools.choices()) {
      guards(choice.guards(), texts);
    }
    for (Pool.Fork fork : pools.forks()) {
      guards(fork.guards(), texts);
    }
    Arrays.stream(pools.expressions()).forEach(each -> texts.add(each.text()));
    for (Pool.Instances each : pools.instances()) {
      texts.add(each.policy().count().text());
      if (each.policy().need() instanceof InstancePolicy.Need.Count(var count)) {
        texts.add(count.text());
      }
    }
    return texts;
  }

  private static void guards(@Nullable Guard[] guards, List<String> texts) {
    for (Guard guard : guards) {
      if (guard != null) {
        texts.add(guard.text());
      }
    }
  }

  private static void collect(String text, Set<String> names, Set<Object> values) {
    Matcher words = WORD.matcher(text);
    while (words.find() && values.size() < VALUES_MAX) {
      String quoted = words.group(1) == null ? words.group(2) : words.group(1);
      if (quoted != null) {
        values.add(quoted);
      } else if (words.group(3) != null) {
        long number = Long.parseLong(words.group(3));
        values.addAll(List.of(number, number + 1, number - 1));
      } else {
        String name = variable(words.group(4), words.group(5) != null);
        if (!name.isEmpty() && !RESERVED.contains(name)) {
          names.add(name);
        }
      }
    }
  }

  /// The variable in a chain of names; the last of them is a function when it is called.
  private static String variable(String chain, boolean called) {
    String name = chain;
    if (called) {
      name = name.substring(0, Math.max(0, name.lastIndexOf('.')));
    }
    return name.startsWith("ctx.") ? name.substring("ctx.".length()) : name;
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

    /// Leaves out whatever makes no difference.
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
