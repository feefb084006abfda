package dev.damask.graph;

import dev.damask.json.JsonWriter;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// Writes a graph document in its canonical form.
public final class GraphWriter {
  private GraphWriter() {}

  public static String canonical(GraphDocument document) {
    Map<String, Object> steps = new TreeMap<>();
    document.steps().forEach((id, step) -> steps.put(id, step(step)));
    return JsonWriter.canonical(Map.of("id", document.id(), "structure", steps));
  }

  private static Map<String, Object> step(GraphDocument.Step step) {
    Map<String, Object> entries = new TreeMap<>();
    entries.put("rule", step.rule());
    if (!step.onValid().isLeaf()) {
      entries.put("onValid", branch(step.onValid()));
    }
    if (!step.onInvalid().isLeaf()) {
      entries.put("onInvalid", branch(step.onInvalid()));
    }
    return entries;
  }

  private static Map<String, Object> branch(GraphDocument.Branch branch) {
    Map<String, Object> entries = new TreeMap<>();
    if (!branch.spawns().isEmpty()) {
      entries.put("spawns", branch.spawns());
    }
    if (branch.join() != null) {
      entries.put("join", join(branch.join()));
    }
    return entries;
  }

  private static Map<String, Object> join(GraphDocument.Join join) {
    Map<String, Object> entries = new TreeMap<>();
    entries.put("joinid", join.target());
    entries.put("mode", word(join.mode()));
    if (join.mode() == GraphDocument.Mode.KOFN) {
      entries.put("k", join.k());
    }
    entries.put("waitonjoin", word(join.rest()));
    entries.put(
        "from",
        join.from().stream()
            .map(from -> Map.of("node", from.node(), "when", word(from.when())))
            .toList());
    return entries;
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
