package dev.damask.orchestration;

import dev.damask.orchestration.Json.Spot;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// Writes a graph document in its canonical form: one spelling for everything.
final class GraphWriter {
  private GraphWriter() {}

  static Json json(GraphDocument document) {
    Map<String, Json> steps = new TreeMap<>();
    document.steps().forEach((id, step) -> steps.put(id, step(step)));
    return fields(Map.of("id", text(document.id()), "structure", fields(steps)));
  }

  private static Json step(GraphDocument.Step step) {
    Map<String, Json> entries = new TreeMap<>();
    entries.put("rule", text(step.rule()));
    if (!step.onValid().isLeaf()) {
      entries.put("onValid", branch(step.onValid()));
    }
    if (!step.onInvalid().isLeaf()) {
      entries.put("onInvalid", branch(step.onInvalid()));
    }
    return fields(entries);
  }

  private static Json branch(GraphDocument.Branch branch) {
    Map<String, Json> entries = new TreeMap<>();
    if (!branch.spawns().isEmpty()) {
      entries.put("spawns", items(branch.spawns().stream().map(GraphWriter::text).toList()));
    }
    if (branch.join() != null) {
      entries.put("join", join(branch.join()));
    }
    return fields(entries);
  }

  private static Json join(GraphDocument.Join join) {
    Map<String, Json> entries = new TreeMap<>();
    entries.put("joinid", text(join.target()));
    entries.put("mode", word(join.mode()));
    if (join.mode() == GraphDocument.Mode.KOFN) {
      entries.put("k", new Json.Numeral(Spot.NOWHERE, Integer.toString(join.k())));
    }
    entries.put("waitonjoin", word(join.rest()));
    entries.put(
        "from",
        items(
            join.from().stream()
                .map(from -> fields(Map.of("node", text(from.node()), "when", word(from.when()))))
                .toList()));
    return fields(entries);
  }

  private static Json word(Enum<?> constant) {
    return text(constant.name().toLowerCase(Locale.ROOT));
  }

  private static Json text(String value) {
    return new Json.Text(Spot.NOWHERE, value);
  }

  private static Json items(List<Json> items) {
    return new Json.Items(Spot.NOWHERE, items);
  }

  private static Json fields(Map<String, Json> entries) {
    return new Json.Fields(Spot.NOWHERE, entries);
  }
}
