package dev.damask.orchestration;

import dev.damask.orchestration.GraphDocument.Branch;
import dev.damask.orchestration.GraphDocument.Join;
import dev.damask.orchestration.GraphDocument.Source;
import dev.damask.orchestration.GraphDocument.When;
import dev.damask.orchestration.Json.Spot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Which keys every step is sure to receive, whatever way it is reached; and which of its required
/// inputs are not among them.
final class PayloadFlow {
  private final GraphDocument graph;
  private final GraphCheck.Setting setting;

  /// For each step that can be reached, the keys that come along every way to it.
  private final Map<String, Set<String>> sure = new LinkedHashMap<>();

  /// Steps that wait before they begin on some way: what is missing there a wake-up may bring.
  private final Set<String> waits = new TreeSet<>();

  private final Deque<String> open = new ArrayDeque<>();

  PayloadFlow(GraphDocument graph, GraphCheck.Setting setting) {
    this.graph = graph;
    this.setting = setting;
  }

  List<Notice> notices() {
    List<Notice> notices = new ArrayList<>();
    String entry = setting.entry();
    if (entry != null) {
      Set<String> given = setting.given();
      if (given != null) {
        require(notices, NoticeCode.ENTRY_INPUT_MISSING, entry, given);
      }
      open.add(entry);
    } else {
      open.addAll(graph.steps().keySet());
    }
    Set<String> seen = new TreeSet<>();
    while (!open.isEmpty()) {
      String step = open.remove();
      if (seen.add(step)) {
        follow(step);
      }
    }
    sure.forEach(
        (step, keys) -> require(notices, NoticeCode.REQUIRED_INPUT_NOT_PROVIDED, step, keys));
    return notices;
  }

  /// What a step gives on depends on its rule alone, so each step is followed once.
  private void follow(String id) {
    GraphDocument.Step step = graph.steps().get(id);
    RuleDocument rule = step == null ? null : setting.rules().apply(step.rule());
    if (step == null || rule == null) {
      return;
    }
    for (Map.Entry<Boolean, Branch> entry : GraphCheck.branches(step)) {
      RuleDocument.Branch own = entry.getKey() ? rule.onValid() : rule.onInvalid();
      boolean delayed = own.waitSec() != null || own.waitUntilMillis() != null;
      Set<String> keys = new TreeSet<>(own.payload().keySet());
      entry.getValue().spawns().forEach(spawn -> arrive(spawn, keys, delayed));
      Join join = entry.getValue().join();
      if (join != null) {
        Set<String> merged = new TreeSet<>(keys);
        merged.addAll(delivered(join));
        arrive(join.target(), merged, delayed);
      }
    }
  }

  private void arrive(String step, Set<String> keys, boolean delayed) {
    sure.merge(
        step,
        keys,
        (one, other) -> {
          Set<String> both = new TreeSet<>(one);
          both.retainAll(other);
          return both;
        });
    if (delayed) {
      waits.add(step);
    }
    open.add(step);
  }

  /// The keys that any choice of enough sources brings along.
  private Set<String> delivered(Join join) {
    Map<String, Integer> count = new TreeMap<>();
    for (Source source : join.from()) {
      outputs(source).forEach(key -> count.merge(key, 1, Integer::sum));
    }
    int spare = join.from().size() - join.k();
    count.values().removeIf(times -> times <= spare);
    return count.keySet();
  }

  private Set<String> outputs(Source source) {
    GraphDocument.Step step = graph.steps().get(source.node());
    RuleDocument rule = step == null ? null : setting.rules().apply(step.rule());
    if (rule == null) {
      return Set.of();
    }
    Set<String> keys = new TreeSet<>(rule.onValid().payload().keySet());
    if (source.when() == When.INVALID) {
      return rule.onInvalid().payload().keySet();
    }
    if (source.when() == When.ANY) {
      keys.retainAll(rule.onInvalid().payload().keySet());
    }
    return keys;
  }

  private void require(List<Notice> notices, NoticeCode code, String id, Set<String> keys) {
    GraphDocument.Step step = graph.steps().get(id);
    @Nullable RuleDocument rule = step == null ? null : setting.rules().apply(step.rule());
    if (rule == null) {
      return;
    }
    rule.payload()
        .forEach((name, field) -> {
          if (field.fallback() == null && !keys.contains(name) && !name.startsWith("__")) {
            String path = "structure." + id;
            String sentence = "the required input '" + name + "' is not sure to come";
            notices.add(
                waits.contains(id)
                    ? Notice.warning(
                        code, path, Spot.NOWHERE, sentence + " unless it is woken with it")
                    : Notice.error(code, path, Spot.NOWHERE, sentence));
          }
        });
  }
}
