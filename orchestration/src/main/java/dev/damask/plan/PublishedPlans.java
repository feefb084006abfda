package dev.damask.plan;

import dev.damask.json.Json;
import dev.damask.registry.Bundle;
import dev.damask.registry.Orchestration;
import dev.damask.source.JsonTexts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Reads published test plans and scenarios with embedded bundles: files of the kinds
/// `xgr.multi-test-plan` and `xgr.multi-test-scenario`, and single plans or scenarios. They are
/// converted to [TestPlan]. Fields for other tools are ignored, and so are hashes, which belong to
/// another registry.
final class PublishedPlans {
  private static final String SESSION = "$session.id:";
  private static final Set<String> EXPECTED =
      Set.of("timeline", "never", "finalStatuses", "finalStep", "result", "denials");
  private static final Set<String> OCCURRENCE =
      Set.of("stepId", "occurrence", "times", "exist", "valid", "status");

  private final String file;
  private final Map<String, @Nullable Object> stubs;

  /// Creates a reader of one file.
  ///
  /// @param stubs the responses for plans without stubs
  PublishedPlans(String file, Map<String, @Nullable Object> stubs) {
    this.file = file;
    this.stubs = stubs;
  }

  static boolean isPublished(String text) {
    return JsonTexts.readOrNull(text) instanceof Json.Fields fields
        && (isKind(fields.get("kind"))
            || (fields.get("source") instanceof Json.Fields source
                && source.get("rawBundleJson") != null));
  }

  private static boolean isKind(@Nullable Json json) {
    return json instanceof Json.Text(var at, var kind) && kind.matches("xgr\\.(multi-)?test-.*");
  }

  List<TestPlan> read(Map<String, @Nullable Object> root) {
    PlanFields all = PlanFields.of(file, "", root);
    List<TestPlan> plans = new ArrayList<>();
    for (PlanFields scenario : all.children("scenarios")) {
      plans.add(scenario(scenario));
    }
    boolean isScenario = all.has("steps") && all.has("plans");
    if (isScenario) {
      plans.add(scenario(all));
    } else if (all.has("source")) {
      plans.add(plan(all));
    } else {
      all.children("plans").forEach(each -> plans.add(plan(each)));
    }
    if (plans.isEmpty()) {
      throw all.wrong("", "the file contains no plans");
    }
    return plans;
  }

  private TestPlan plan(PlanFields plan) {
    Map<String, @Nullable Object> own = head(plan);
    Map<String, @Nullable Object> runtime = runtime(plan.child("runtime"));
    String starter = plan.child("execution").text("starterAlias", "");
    if (!starter.isEmpty()) {
      runtime.put("owner", starter);
    }
    own.put("runtime", runtime);
    own.put("expectations", expectation(plan.child("expectations")));
    return new TestPlan(PlanFields.of(file, "", own), Map.of("", bundle(plan)));
  }

  private Map<String, @Nullable Object> head(PlanFields plan) {
    Map<String, @Nullable Object> own = new TreeMap<>();
    own.put("scenario", plan.text("id", plan.text("title", "plan")));
    own.put("title", plan.text("title", ""));
    own.put("stubs", plan.has("stubs") ? plan.map("stubs") : stubs);
    return own;
  }

  /// The options that a session is started with.
  private static Map<String, @Nullable Object> runtime(PlanFields runtime) {
    Map<String, @Nullable Object> own = new TreeMap<>();
    for (String field : List.of("stepId", "payload", "wakeUp", "maxTotalGas", "ostcId")) {
      if (runtime.has(field)) {
        own.put(field, runtime.fields().get(field));
      }
    }
    return own;
  }

  /// The orchestration in a plan. Contracts that the plan deploys are named by their addresses or,
  /// before they have one, by their keys.
  private Orchestration bundle(PlanFields plan) {
    PlanFields source = plan.child("source");
    String text = source.text("rawBundleJson");
    for (PlanFields contract : plan.child("testSetup").children("contracts")) {
      String key = contract.text("key", "");
      String address = contract.text("deployedAddress", contract.text("address", ""));
      text = text.replace("${addr:" + key + "}", address.isBlank() ? key : address);
    }
    Map<String, Orchestration> found = Bundle.read(text).orchestrations();
    String id = source.text("bundleId", "");
    Orchestration meant = found.size() == 1 ? found.values().iterator().next() : found.get(id);
    if (meant == null) {
      throw source.wrong("bundleId", "there is no bundle '" + id + "' in rawBundleJson");
    }
    return meant;
  }

  private TestPlan scenario(PlanFields scenario) {
    Map<String, @Nullable Object> own = head(scenario);
    Map<String, Orchestration> graphs = new TreeMap<>();
    Map<String, Map<String, @Nullable Object>> starts = new TreeMap<>();
    for (PlanFields entry : scenario.children("plans")) {
      PlanFields plan = entry.child("plan");
      graphs.put(entry.text("key"), bundle(plan));
      starts.put(entry.text("key"), runtime(plan.child("runtime")));
    }
    Map<String, @Nullable Object> actors = new TreeMap<>();
    PlanFields given = scenario.child("actors");
    for (String name : given.fields().keySet()) {
      PlanFields actor = given.child(name);
      String address = actor.text("address", "");
      actors.put(name, address.isBlank() ? actor.text("alias", name) : address);
    }
    own.put("actors", actors);
    List<@Nullable Object> steps = new ArrayList<>();
    for (PlanFields step : scenario.children("steps")) {
      steps.add(step(step, starts, actors.keySet()));
    }
    own.put("steps", steps);
    return new TestPlan(PlanFields.of(file, "", own), graphs);
  }

  private static Map<String, @Nullable Object> step(
      PlanFields step, Map<String, Map<String, @Nullable Object>> starts, Set<String> actors) {
    Map<String, @Nullable Object> own = new TreeMap<>();
    String type = step.text("type");
    switch (type) {
      case "startSession" -> {
        String key = step.text("bundleKey");
        own.putAll(starts.getOrDefault(key, Map.of()));
        own.putAll(runtime(step.child("runtime")));
        if (step.has("payload")) {
          own.put("payload", step.map("payload"));
        }
        own.put("graph", key);
        own.put("session", step.text("saveAs", step.text("id", key)));
        own.put("owner", actor(step.text("starter", PlanReader.OWNER), actors));
      }
      case "waitForStep" -> {
        copy(step, own, "stepId", "status", "timeoutMs", "pollMs");
        own.put("session", session(step));
      }
      case "assertSession" -> {
        own.putAll(expectation(step.child("expect")));
        own.put("session", session(step));
      }
      case "wake", "wakeSession", "wakeUp" -> {
        copy(step, own, "stepId", "payload", "count", "denied");
        own.put("session", session(step));
        own.put("caller", actor(step.text("caller", step.text("actor", "")), actors));
        type = "wake";
      }
      default -> throw step.wrong("type", "there is no step of type '" + type + "'");
    }
    Map<String, @Nullable Object> action = new TreeMap<>();
    action.put(type, own);
    return action;
  }

  private static void copy(PlanFields from, Map<String, @Nullable Object> to, String... fields) {
    for (String field : fields) {
      if (from.has(field)) {
        to.put(field, from.fields().get(field));
      }
    }
  }

  private static String actor(String name, Set<String> actors) {
    return actors.contains(name) ? "$actor.address:" + name : name;
  }

  private static String session(PlanFields step) {
    String name = step.text("session");
    return name.startsWith(SESSION) ? name.substring(SESSION.length()) : name;
  }

  /// An expectation without the fields for other tools.
  private static Map<String, @Nullable Object> expectation(PlanFields given) {
    Map<String, @Nullable Object> own = new TreeMap<>();
    copy(given, own, EXPECTED.toArray(String[]::new));
    if (given.text("finalStep", "").isEmpty()) {
      own.remove("finalStep");
    }
    List<@Nullable Object> timeline = new ArrayList<>();
    for (PlanFields entry : given.children("timeline")) {
      if (entry.has("stepId")) {
        timeline.add(occurrence(entry));
        continue;
      }
      Map<String, @Nullable Object> point = new TreeMap<>();
      copy(entry, point, "mode");
      point.put(
          "alternatives",
          entry.children("alternatives").stream().map(PublishedPlans::occurrence).toList());
      timeline.add(point);
    }
    own.put("timeline", timeline);
    return own;
  }

  private static Map<String, @Nullable Object> occurrence(PlanFields given) {
    Map<String, @Nullable Object> own = new TreeMap<>();
    copy(given, own, OCCURRENCE.toArray(String[]::new));
    if ("".equals(own.get("status"))) {
      own.remove("status");
    }
    for (PlanExpectation.Values each : PlanExpectation.Values.values()) {
      List<Object> assertions = new ArrayList<>();
      for (PlanFields assertion : given.children(each.field())) {
        assertions.add(assertion(assertion));
      }
      if (!assertions.isEmpty()) {
        own.put(each.field(), assertions);
      }
    }
    return own;
  }

  private static Map<String, @Nullable Object> assertion(PlanFields given) {
    Map<String, @Nullable Object> own = new TreeMap<>();
    own.put("key", given.text(given.has("field") ? "field" : "key"));
    String word = given.text("op", "eq");
    own.put("op", word);
    boolean needsValue = !word.equals("exists") && !word.equals("missing");
    if (needsValue) {
      own.put("value", given.fields().get("value"));
    }
    return own;
  }
}
