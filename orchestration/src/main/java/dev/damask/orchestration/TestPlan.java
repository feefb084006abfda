package dev.damask.orchestration;

import dev.damask.document.CanonicalJson;
import dev.damask.document.ContextReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A test of a graph as a document: what is started, what happens, what the outside answers, and
/// which steps must and must not occur. It runs in memory on a clock of its own; nobody is called.
public final class TestPlan {
  private static final String SUFFIX = ".json";

  private final String name;
  private final String title;
  private final Orchestration orchestration;
  private final PlanStubs stubs;
  private final List<PlanStep> steps;
  private final PlanExpectation expectation;

  private TestPlan(PlanFields fields, Orchestration orchestration) {
    this.name = fields.text("scenario");
    this.title = fields.text("title", "");
    this.orchestration = orchestration;
    PlanReferences references = PlanReferences.read(fields, orchestration.rules().keySet());
    PlanReader reader = new PlanReader(orchestration.steps(), references);
    this.stubs = PlanStubs.read(fields.child("stubs"));
    this.steps = reader.steps(fields);
    this.expectation = reader.expectation(fields.child("expectations"), "");
  }

  /// Reads a plan and the graph and rules it names, which stand where it says, seen from where it
  /// stands itself. Throws [Rejected] when something is wrong with any of them.
  public static TestPlan read(Path file) {
    Map<String, @Nullable Object> map = new ContextReader().read(file).toMap();
    PlanFields fields = PlanFields.of(file.toString(), "", map);
    fields.requireOnly(
        "scenario",
        "title",
        "graph",
        "rules",
        "actors",
        "contracts",
        "stubs",
        "runtime",
        "steps",
        "expectations");
    Orchestration orchestration = new Orchestration(graph(fields, file), rules(fields, file));
    List<Notice> errors = orchestration.check(null, null);
    if (errors.stream().anyMatch(Notice::isError)) {
      throw new Rejected(file + ": its graph", errors);
    }
    return new TestPlan(fields, orchestration);
  }

  private static String graph(PlanFields fields, Path file) {
    if (fields.fields().get("graph") instanceof Map<?, ?> graph) {
      return CanonicalJson.text(graph);
    }
    Path graph = file.resolveSibling(fields.text("graph"));
    try {
      return Files.readString(graph);
    } catch (IOException e) {
      throw fields.wrong("graph", "cannot read " + graph);
    }
  }

  private static Map<String, String> rules(PlanFields fields, Path file) {
    Map<String, String> texts = new TreeMap<>();
    if (fields.fields().get("rules") instanceof Map<?, ?> rules) {
      rules.forEach((key, rule) -> texts.put(String.valueOf(key), CanonicalJson.text(rule)));
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

  Orchestration orchestration() {
    return orchestration;
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

  /// Runs the plan; a step that cannot be done is a failure like any other and ends it.
  public PlanResult run() throws InterruptedException {
    try (PlanRun run = new PlanRun(this)) {
      return run.run();
    }
  }
}
