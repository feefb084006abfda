package dev.damask.graph;

import dev.damask.check.Diagnostic;
import dev.damask.graph.GraphDocument.Branch;
import dev.damask.graph.GraphDocument.Join;
import dev.damask.graph.GraphDocument.Source;
import dev.damask.graph.GraphDocument.When;
import dev.damask.json.Position;
import dev.damask.rule.RuleDocument;
import dev.damask.source.DiagnosticCode;
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

/// Computes the keys that every step receives on all paths, and its required inputs that are not
/// among them.
final class PayloadFlow {
  private final GraphDocument graph;
  private final OrchestrationCheck.Setting setting;

  /// For each reachable step, the keys that arrive on every path.
  private final Map<String, Set<String>> sure = new LinkedHashMap<>();

  /// Steps that wait on some path before they begin. A wake-up may supply their missing keys.
  private final Set<String> waits = new TreeSet<>();

  private final Deque<String> open = new ArrayDeque<>();

  PayloadFlow(GraphDocument graph, OrchestrationCheck.Setting setting) {
    this.graph = graph;
    this.setting = setting;
  }

  List<Diagnostic> diagnostics() {
    List<Diagnostic> diagnostics = new ArrayList<>();
    String entry = setting.entry();
    if (entry != null) {
      Set<String> given = setting.given();
      if (given != null) {
        require(diagnostics, DiagnosticCode.ENTRY_INPUT_MISSING, entry, given);
      }
      open.add(entry);
    } else {
      open.addAll(graph.steps().keySet());
    }
    while (!open.isEmpty()) {
      follow(open.remove());
    }
    sure.forEach((step, keys) ->
        require(diagnostics, DiagnosticCode.REQUIRED_INPUT_NOT_PROVIDED, step, keys));
    return diagnostics;
  }

  /// Visits a step. The payload of an invalid step depends on its input, so the step is visited
  /// again whenever its set of keys shrinks.
  private void follow(String id) {
    GraphDocument.Step step = graph.steps().get(id);
    RuleDocument rule = step == null ? null : setting.rules().apply(step.rule());
    if (step == null || rule == null) {
      return;
    }
    for (Map.Entry<Boolean, Branch> entry : OrchestrationCheck.branches(step)) {
      if (!rule.canBe(entry.getKey())) {
        continue;
      }
      RuleDocument.Branch own = entry.getKey() ? rule.onValid() : rule.onInvalid();
      boolean delayed = own.waitSec() != null || own.waitUntilMillis() != null;
      Set<String> keys = new TreeSet<>(own.payload().keySet());
      if (!entry.getKey()) {
        keys.addAll(inputs(id, rule)); // an invalid step keeps its input
      }
      entry.getValue().spawns().forEach(spawn -> arrive(spawn, keys, delayed));
      Join join = entry.getValue().join();
      if (join != null) {
        Set<String> merged = new TreeSet<>(keys);
        merged.addAll(delivered(join));
        arrive(join.target(), merged, delayed);
      }
    }
  }

  /// The keys that a step always receives. If they are unknown, the keys that it declares.
  private Set<String> inputs(String id, RuleDocument rule) {
    Set<String> first = rule.payload().keySet();
    if (id.equals(setting.entry()) && setting.given() != null) {
      first = setting.given();
    }
    Set<String> keys = new TreeSet<>(sure.getOrDefault(id, first));
    if (id.equals(setting.entry())) {
      keys.retainAll(first);
    }
    return keys;
  }

  private void arrive(String step, Set<String> keys, boolean delayed) {
    Set<String> before = sure.get(step);
    Set<String> after = new TreeSet<>(keys);
    if (before != null) {
      after.retainAll(before);
    }
    if (delayed) {
      waits.add(step);
    }
    if (!after.equals(before)) {
      sure.put(step, after);
      open.add(step);
    }
  }

  /// The keys that every sufficient set of sources delivers.
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

  private void require(
      List<Diagnostic> diagnostics, DiagnosticCode code, String id, Set<String> keys) {
    GraphDocument.Step step = graph.steps().get(id);
    @Nullable RuleDocument rule = step == null ? null : setting.rules().apply(step.rule());
    if (rule == null) {
      return;
    }
    rule.payload()
        .forEach((name, field) -> {
          if (field.fallback() == null && !keys.contains(name) && !name.startsWith("__")) {
            String path = "structure." + id;
            String sentence = "the required input '" + name + "' is not provided on every path";
            String woken = waits.contains(id) ? " unless a wake-up provides it" : "";
            diagnostics.add(
                code == DiagnosticCode.ENTRY_INPUT_MISSING
                    ? code.error(path, Position.NONE, sentence)
                    : code.warning(path, Position.NONE, sentence + woken));
          }
        });
  }
}
