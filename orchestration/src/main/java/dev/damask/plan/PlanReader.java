package dev.damask.plan;

import dev.damask.expression.Expressions;
import dev.damask.plan.PlanExpectation.Alternative;
import dev.damask.plan.PlanExpectation.Entry;
import dev.damask.plan.PlanExpectation.Values;
import dev.damask.registry.Orchestration;
import dev.damask.session.ProcessInstance.Status;
import dev.damask.step.StepScope;
import dev.damask.store.CaseStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Reads the steps and the expectations of a plan.
final class PlanReader {
  static final String MAIN = "main";
  static final String OWNER = "owner";

  private static final List<String> ACTIONS =
      List.of(
          "startSession",
          "waitForStep",
          "wake",
          "advance",
          "pause",
          "resume",
          "kill",
          "assertSession");
  private static final List<String> SESSION_STATUSES = sessionStatuses();
  private static final List<String> PROCESS_STATUSES = words(Status.values());
  private static final List<String> OPERATORS =
      Arrays.stream(PlanAssertion.Operator.values()).map(PlanAssertion.Operator::word).toList();

  /// The graphs by the names that the plan uses for them.
  private final Map<String, Orchestration> graphs;

  /// The steps of all graphs.
  private final Set<String> steps = new TreeSet<>();

  /// The sessions that were started so far.
  private final Set<String> sessions = new TreeSet<>();

  private final PlanReferences references;

  PlanReader(Map<String, Orchestration> graphs, PlanReferences references) {
    this.graphs = graphs;
    graphs.values().forEach(each -> steps.addAll(each.steps()));
    this.references = references;
  }

  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /// The engine's names of statuses, and the published names for the end of a session.
  private static List<String> sessionStatuses() {
    List<String> all = new ArrayList<>(words(CaseStatus.values()));
    all.addAll(List.of("done", "aborted"));
    return all;
  }

  /// Whether a session has one of the named statuses.
  static boolean isAmong(List<String> wanted, CaseStatus status) {
    boolean isAborted = status == CaseStatus.FAILED || status == CaseStatus.CANCELLED;
    return wanted.contains(word(status))
        || (status == CaseStatus.COMPLETED && wanted.contains("done"))
        || (isAborted && wanted.contains("aborted"));
  }

  private static List<String> words(Enum<?>[] constants) {
    return Arrays.stream(constants).map(PlanReader::word).toList();
  }

  /// All steps of the plan; the first one starts the plan's main session.
  List<PlanStep> steps(PlanFields plan) {
    List<PlanStep> all = new ArrayList<>();
    if (plan.has("runtime")) {
      all.add(start(plan.child("runtime"), MAIN));
    }
    for (PlanFields fields : plan.children("steps")) {
      String action = fields.fields().size() == 1 ? fields.fields().keySet().iterator().next() : "";
      if (!ACTIONS.contains(action)) {
        throw fields.wrong("", "expected one action of " + String.join(", ", ACTIONS));
      }
      all.add(step(fields, action));
    }
    if (sessions.isEmpty()) {
      throw plan.wrong("", "no session is started; add 'runtime' or a step 'startSession'");
    }
    return all;
  }

  private PlanStep step(PlanFields fields, String action) {
    return switch (action) {
      case "startSession" -> start(fields.child(action), null);
      case "waitForStep" -> {
        PlanFields wait =
            fields.child(action).requireOnly("session", "stepId", "status", "timeoutMs", "pollMs");
        wait.number("pollMs", 1, 1); // ignored: the clock of a plan jumps, so nothing is polled
        yield new PlanStep.WaitForStep(
            session(wait),
            wait.oneOf("stepId", steps),
            status(wait, Status.WAITING),
            wait.number("timeoutMs", 0, 0));
      }
      case "wake" -> {
        PlanFields wake =
            fields
                .child(action)
                .requireOnly("session", "stepId", "payload", "caller", "count", "denied");
        boolean denied = Boolean.TRUE.equals(wake.flag("denied"));
        yield new PlanStep.Wake(
            session(wake),
            references.text(wake, "caller", "", sessions),
            wake.oneOf("stepId", steps),
            references.map(wake, "payload", sessions),
            denied ? PlanStep.Wake.DENIED : (int) wake.number("count", 1, 0));
      }
      case "advance" -> new PlanStep.Advance(fields.millis(action));
      case "pause" -> new PlanStep.Pause(fields.oneOf(action, sessions));
      case "resume" -> new PlanStep.Resume(fields.oneOf(action, sessions));
      case "kill" -> new PlanStep.Kill(fields.oneOf(action, sessions));
      default -> {
        PlanFields assertion = fields.child(action);
        yield new PlanStep.AssertSession(session(assertion), expectation(assertion, "session"));
      }
    };
  }

  private String session(PlanFields fields) {
    return fields.has("session") ? fields.oneOf("session", sessions) : MAIN;
  }

  private PlanStep start(PlanFields fields, @Nullable String name) {
    fields.requireOnly(
        "session",
        "graph",
        "owner",
        "stepId",
        "payload",
        "wakeUp",
        "ostcId",
        "ostcHash",
        "maxTotalGas");
    String graph = graph(fields);
    Set<String> own = java.util.Objects.requireNonNull(graphs.get(graph)).steps();
    String session = name == null ? fields.text("session") : name;
    var payload = references.map(fields, "payload", sessions);
    if (fields.has("wakeUp")) {
      payload.put(StepScope.WAKE_UP, references.map(fields, "wakeUp", sessions));
    }
    String owner = references.text(fields, "owner", OWNER, sessions);
    if (!sessions.add(session)) {
      throw fields.wrong("session", "session '" + session + "' already exists");
    }
    return new PlanStep.Start(
        session,
        graph,
        owner,
        fields.oneOf("stepId", own),
        payload,
        fields.has("ostcId") ? fields.text("ostcId") : null,
        fields.has("ostcHash") ? fields.text("ostcHash") : null,
        fields.number("maxTotalGas", 0, 0));
  }

  /// The name of a session's graph: the given name, the only graph, or the only graph with the
  /// first step.
  private String graph(PlanFields fields) {
    if (fields.has("graph")) {
      return fields.oneOf("graph", graphs.keySet());
    }
    String step = fields.text("stepId", "");
    List<String> meant =
        graphs.entrySet().stream()
            .filter(each -> graphs.size() == 1 || each.getValue().steps().contains(step))
            .map(Map.Entry::getKey)
            .toList();
    if (meant.size() != 1) {
      throw fields.wrong("graph", "use one of the graphs " + graphs.keySet());
    }
    return meant.getFirst();
  }

  private static Status status(PlanFields fields, Status missing) {
    return fields.has("status")
        ? Status.valueOf(fields.oneOf("status", PROCESS_STATUSES).toUpperCase(Locale.ROOT))
        : missing;
  }

  /// Reads an expectation.
  ///
  /// @param more the name of a further allowed field; empty for none
  PlanExpectation expectation(PlanFields fields, String more) {
    fields.requireOnly(
        "timeline", "never", "finalStatuses", "finalStep", "result", "denials", more);
    List<Entry> timeline = new ArrayList<>();
    for (PlanFields entry : fields.children("timeline")) {
      timeline.add(entry(entry));
    }
    return new PlanExpectation(
        timeline,
        fields.names("never", steps),
        fields.names("finalStatuses", SESSION_STATUSES),
        fields.has("finalStep") ? fields.oneOf("finalStep", steps) : null,
        assertions(fields, "result"),
        fields.names("denials", steps));
  }

  /// Reads a point of the timeline, which may be a single alternative.
  private Entry entry(PlanFields fields) {
    if (fields.has("stepId")) {
      return new Entry(true, List.of(alternative(fields)));
    }
    fields.requireOnly("mode", "alternatives");
    boolean isAll =
        !fields.has("mode") || fields.oneOf("mode", List.of("anyOf", "allOf")).equals("allOf");
    List<Alternative> alternatives = new ArrayList<>();
    for (PlanFields each : fields.children("alternatives")) {
      alternatives.add(alternative(each));
    }
    if (alternatives.isEmpty()) {
      throw fields.wrong("", "'alternatives' is missing or empty");
    }
    return new Entry(isAll, alternatives);
  }

  private Alternative alternative(PlanFields fields) {
    fields.requireOnly(
        "stepId",
        "occurrence",
        "times",
        "exist",
        "valid",
        "status",
        Values.INPUT.field(),
        Values.OUTPUT.field(),
        Values.API.field(),
        Values.READ.field());
    Map<Values, List<PlanAssertion>> values = new EnumMap<>(Values.class);
    for (Values each : Values.values()) {
      List<PlanAssertion> assertions = assertions(fields, each.field());
      if (!assertions.isEmpty()) {
        values.put(each, assertions);
      }
    }
    return new Alternative(
        fields.oneOf("stepId", steps),
        (int) fields.number("occurrence", 1, 1),
        (int) fields.number("times", -1, 0),
        !Boolean.FALSE.equals(fields.flag("exist")),
        fields.flag("valid"),
        fields.has("status") ? status(fields, Status.DONE) : null,
        values);
  }

  private List<PlanAssertion> assertions(PlanFields fields, String field) {
    List<PlanAssertion> assertions = new ArrayList<>();
    for (PlanFields each : fields.children(field)) {
      each.requireOnly("key", "op", "value");
      String word = each.has("op") ? each.oneOf("op", OPERATORS) : "eq";
      PlanAssertion.Operator operator = PlanAssertion.Operator.values()[OPERATORS.indexOf(word)];
      if (operator.needsValue() != each.fields().containsKey("value")) {
        throw each.wrong(
            "", word + (operator.needsValue() ? " requires" : " does not allow") + " 'value'");
      }
      Object value = references.value(each, "value", sessions);
      if (operator == PlanAssertion.Operator.REGEX) {
        requirePattern(each, String.valueOf(value));
      }
      assertions.add(new PlanAssertion(each.text("key"), operator, value));
    }
    return assertions;
  }

  private static void requirePattern(PlanFields fields, String text) {
    try {
      Expressions.pattern(text);
    } catch (IllegalArgumentException e) {
      throw fields.wrong("value", "not a regular expression: " + e.getMessage());
    }
  }
}
