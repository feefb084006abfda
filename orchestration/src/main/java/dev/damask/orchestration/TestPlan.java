package dev.damask.orchestration;

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
    PlanReader reader = new PlanReader(orchestration.steps());
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
        "scenario", "title", "graph", "rules", "stubs", "runtime", "steps", "expectations");
    Path graph = file.resolveSibling(fields.text("graph"));
    Path rules = graph.resolveSibling("rules");
    if (fields.has("rules")) {
      rules = file.resolveSibling(fields.text("rules"));
    }
    try {
      Orchestration orchestration = new Orchestration(Files.readString(graph), texts(rules));
      List<Notice> errors = orchestration.check(null, null);
      if (errors.stream().anyMatch(Notice::isError)) {
        throw new Rejected(graph.toString(), errors);
      }
      return new TestPlan(fields, orchestration);
    } catch (IOException e) {
      throw fields.wrong("graph", "cannot read " + graph + " with the rules in " + rules);
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
