package dev.damask.plan;

import dev.damask.check.Diagnostic;
import dev.damask.document.ContextReader;
import dev.damask.json.JsonWriter;
import dev.damask.registry.Bundle;
import dev.damask.registry.Orchestration;
import dev.damask.source.Rejected;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A test of a graph as a document: the sessions to start, the actions, the responses of external
/// services, and the steps that must and must not occur. It runs in memory on a virtual clock and
/// calls no external service.
public final class TestPlan {
  private static final String SUFFIX = ".json";

  private final String name;
  private final String title;
  private final Map<String, Orchestration> graphs;
  private final PlanStubs stubs;
  private final List<PlanStep> steps;
  private final PlanExpectation expectation;

  /// Creates a plan from its fields.
  ///
  /// @param graphs by the names that the plan uses for them
  TestPlan(PlanFields fields, Map<String, Orchestration> graphs) {
    this.name = fields.text("scenario");
    this.title = fields.text("title", "");
    this.graphs = separated(graphs);
    for (Orchestration each : this.graphs.values()) {
      List<Diagnostic> errors = each.obstacles(null, null);
      if (!errors.isEmpty()) {
        throw new Rejected(fields.file() + ": its graph " + each.id(), errors);
      }
    }
    PlanReferences references = PlanReferences.read(fields, this.graphs);
    PlanReader reader = new PlanReader(this.graphs, references);
    this.stubs = PlanStubs.read(fields.child("stubs"));
    this.steps = reader.steps(fields);
    this.expectation = reader.expectation(fields.child("expectations"), "");
  }

  /// Gives different rules with the same key different keys.
  private static Map<String, Orchestration> separated(Map<String, Orchestration> graphs) {
    Map<String, String> texts = new TreeMap<>();
    Map<String, Orchestration> separate = new TreeMap<>();
    graphs.forEach((name, each) -> {
      boolean collides =
          each.rules().entrySet().stream()
              .anyMatch(rule ->
                  !rule.getValue().equals(texts.getOrDefault(rule.getKey(), rule.getValue())));
      Orchestration own = collides ? each.prefixed(name + ":") : each;
      texts.putAll(own.rules());
      separate.put(name, own);
    });
    return Collections.unmodifiableMap(separate);
  }

  /// Reads a plan and the graphs and rules that it names, with paths relative to the plan. Throws
  /// [Rejected] if one of them has errors.
  public static TestPlan read(Path file) {
    List<TestPlan> plans = readAll(file, null);
    if (plans.size() != 1) {
      throw PlanFields.of(file.toString(), "", Map.of()).wrong("", "the file has several plans");
    }
    return plans.getFirst();
  }

  /// Whether a file holds published test plans or scenarios.
  public static boolean isPublished(Path file) {
    try {
      return PublishedPlans.isPublished(Files.readString(file));
    } catch (IOException e) {
      return false;
    }
  }

  /// Reads every plan of a file: one [TestPlan], or published plans.
  ///
  /// @param stubs a document with responses for plans without stubs; null for none
  public static List<TestPlan> readAll(Path file, @Nullable Path stubs) {
    Map<String, @Nullable Object> map = new ContextReader().read(file).toMap();
    Map<String, @Nullable Object> answers =
        stubs == null ? Map.of() : new ContextReader().read(stubs).toMap();
    if (isPublished(file)) {
      return new PublishedPlans(file.toString(), answers).read(map);
    }
    PlanFields fields = PlanFields.of(file.toString(), "", map);
    fields.requireOnly(
        "scenario",
        "title",
        "graph",
        "graphs",
        "rules",
        "actors",
        "contracts",
        "stubs",
        "runtime",
        "steps",
        "expectations");
    if (!answers.isEmpty() && !fields.has("stubs")) {
      fields.fields().put("stubs", answers);
    }
    return List.of(new TestPlan(fields, graphs(fields, file)));
  }

  /// One graph, those of a bundle, or several graphs by name.
  private static Map<String, Orchestration> graphs(PlanFields fields, Path file) {
    Map<String, Orchestration> graphs = new TreeMap<>();
    if (fields.has("graphs")) {
      PlanFields named = fields.child("graphs");
      for (String each : named.fields().keySet()) {
        Path graph = file.resolveSibling(named.text(each));
        String text = text(named, each, graph);
        Map<String, Orchestration> inside =
            Bundle.isBundle(text)
                ? Bundle.read(text).orchestrations()
                : Map.of(each, new Orchestration(text, folder(named, each, graph)));
        inside.forEach((id, one) -> graphs.put(inside.size() == 1 ? each : id, one));
      }
      return graphs;
    }
    if (fields.fields().get("graph") instanceof Map<?, ?> graph) {
      graphs.put("", new Orchestration(JsonWriter.canonical(graph), rules(fields, file)));
      return graphs;
    }
    String text = text(fields, "graph", file.resolveSibling(fields.text("graph")));
    if (Bundle.isBundle(text)) {
      return Bundle.read(text).orchestrations();
    }
    graphs.put("", new Orchestration(text, rules(fields, file)));
    return graphs;
  }

  private static String text(PlanFields fields, String field, Path graph) {
    try {
      return Files.readString(graph);
    } catch (IOException e) {
      throw fields.wrong(field, "cannot read " + graph);
    }
  }

  private static Map<String, String> folder(PlanFields fields, String field, Path graph) {
    Path folder = graph.resolveSibling("rules");
    try {
      return texts(folder);
    } catch (IOException e) {
      throw fields.wrong(field, "cannot read the rules in " + folder);
    }
  }

  private static Map<String, String> rules(PlanFields fields, Path file) {
    Map<String, String> texts = new TreeMap<>();
    if (fields.fields().get("rules") instanceof Map<?, ?> rules) {
      rules.forEach((key, rule) -> texts.put(String.valueOf(key), JsonWriter.canonical(rule)));
      return texts;
    }
    String graph = fields.fields().get("graph") instanceof String name ? name : "";
    Path folder =
        fields.has("rules")
            ? file.resolveSibling(fields.text("rules"))
            : file.resolveSibling(graph).resolveSibling("rules");
    try {
      return texts(folder);
    } catch (IOException e) {
      throw fields.wrong("rules", "cannot read the rules in " + folder);
    }
  }

  private static Map<String, String> texts(Path folder) throws IOException {
    Map<String, String> texts = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        String key = String.valueOf(file.getFileName());
        if (key.endsWith(SUFFIX)) {
          texts.put(key.substring(0, key.length() - SUFFIX.length()), Files.readString(file));
        }
      }
    }
    return Collections.unmodifiableMap(texts);
  }

  public String name() {
    return name;
  }

  public String title() {
    return title;
  }

  Map<String, Orchestration> graphs() {
    return graphs;
  }

  PlanStubs stubs() {
    return stubs;
  }

  List<PlanStep> steps() {
    return steps;
  }

  PlanExpectation expectation() {
    return expectation;
  }

  /// Runs the plan. A step that cannot be executed is reported as a failure and ends the run.
  public PlanResult run() throws InterruptedException {
    try (PlanRun run = new PlanRun(this)) {
      return run.run();
    }
  }
}
