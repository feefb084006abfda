package dev.damask.session;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.graph;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.node;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.to;
import static dev.damask.term.Flow.toAll;
import static dev.damask.term.Flow.workflow;

import dev.damask.document.DocumentReader;
import dev.damask.task.Expression;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Node;
import dev.damask.term.ScopeOptions;
import dev.damask.term.StepFunction;
import dev.damask.term.StepNode;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.StepOutcome;
import dev.damask.value.StepResult;
import dev.damask.value.TaskResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A case of the golden store. There is one for each construct a case can wait in, from a workflow
/// written in Java and from a document. The events of `before` were applied when the store was
/// written; those of `rest` bring the case to its end. Nothing here changes after that.
///
/// @param source the document, empty for a workflow written in Java
/// @param end the status and the context at the end
record GoldenCase(
    String id,
    WorkflowDefinition flow,
    String source,
    Context start,
    List<Event> before,
    List<Event> rest,
    String end) {

  /// An event from outside: a verb, its subject (a task or a place), and its values.
  record Event(String verb, String subject, Map<String, Object> values) {
    static Event done(String task) {
      return new Event("done", task, Map.of());
    }

    static Event done(String task, String key, Object value) {
      return new Event("done", task, Map.of(key, value));
    }

    static Event fail(String task) {
      return new Event("fail", task, Map.of());
    }

    static Event signal(String place, String key, Object value) {
      return new Event("signal", place, Map.of(key, value));
    }

    static Event advance(long seconds) {
      return new Event("advance", Long.toString(seconds), Map.of());
    }

    static Event decide(String task) {
      return new Event("decide", task, Map.of());
    }
  }

  static List<GoldenCase> all() {
    List<GoldenCase> all = new ArrayList<>();
    both(
        all,
        "par",
        workflow("par-java", par(effect("A"), effect("B")), effect("C")),
        "do: [{par: [{task: A}, {task: B}]}, {task: C}]",
        List.of(Event.done("A", "k", 2L)),
        List.of(Event.done("B", "k", 1L), Event.done("C")),
        // The state was stored without write stamps, so writing the same value is not a change.
        "COMPLETED {k=2}");
    both(
        all,
        "graph",
        workflow(
            "graph-java",
            graph(
                toAll("p", "q"),
                node("p", effect("A"), to("j")),
                node("q", effect("B"), to("j")),
                node("j", new Node.Join.Or(List.of("p", "q"), false), effect("C"), to("end")))),
        """
        do:
          graph:
            start: {and: [p, q]}
            nodes:
              p: {do: {task: A}, then: j}
              q: {do: {task: B}, then: j}
              j: {join: {or: [p, q]}, do: {task: C}, then: end}
        """,
        List.of(Event.done("A", "a", 1L)),
        List.of(Event.done("B", "b", 2L), Event.done("C")),
        "COMPLETED {a=1, b=2, k=1}");
    both(
        all,
        "instances",
        workflow(
            "instances-java",
            instances("m", InstancePolicy.fixed(3).opened().collect("r"), effect("A")),
            effect("B")),
        "do: [{mi: m, count: 3, open: true, collect: r, do: {task: A}}, {task: B}]",
        List.of(Event.done("A[2]", "r", 2L), new Event("add", "m", Map.of())),
        List.of(
            Event.done("A[4]", "r", 4L),
            Event.done("A[1]", "r", 1L),
            Event.done("A[3]", "r", 3L),
            Event.done("B")),
        "COMPLETED {k=1, r_all=[1, 2, 3, 4]}");
    both(
        all,
        "undo",
        workflow(
            "undo-java",
            scope(
                "s",
                new ScopeOptions(null, null, effect("C"), true, null),
                effect("A").undo(effect("U")),
                effect("B"))),
        """
        do:
          cancel: s
          undo: true
          catch: {task: C}
          do: [{task: A, undo: {task: U}}, {task: B}]
        """,
        List.of(Event.done("A", "a", 1L)),
        List.of(Event.fail("B"), Event.done("U"), Event.done("C", "c", 3L)),
        "COMPLETED {c=3, error=broken, k=1}");
    both(
        all,
        "wait",
        workflow(
            "wait-java", defer(on("go", effect("A")), after(Duration.ofSeconds(60), effect("B")))),
        """
        places: {go: {external: true}}
        do: {defer: [{take: go, do: {task: A}}, {after: 60, do: {task: B}}]}
        """,
        List.of(),
        List.of(Event.signal("go", "by", "eve"), Event.done("A")),
        "COMPLETED {by=eve, k=1}");
    both(
        all,
        "key",
        workflow("key-java", effect("A").key(Expression.constant("java")), effect("B")),
        "do: [{task: A, key: \"'document'\"}, {task: B}]",
        List.of(Event.done("A", "a", 1L)),
        List.of(Event.done("B", "b", 2L)),
        "COMPLETED {a=1, b=2, k=1}");
    Term.Task ask =
        new Term.Task(
            "ask",
            effect(
                    "ask",
                    _ -> new EffectSpec("approval", Context.of("question", "go on?"), null),
                    null)
                .work(),
            dev.damask.task.TaskOptions.DEFAULT,
            null);
    both(
        all,
        "approval",
        workflow("approval-java", ask, effect("B")),
        """
        do:
          - {task: ask, effect: {type: approval, with: {question: "go on?"}}}
          - {task: B}
        """,
        List.of(),
        List.of(Event.decide("ask"), Event.done("B")),
        "COMPLETED {approved=true, by=eve, k=1}");
    all.add(
        new GoldenCase(
            "timer-java",
            all.stream().filter(each -> each.id.equals("wait-java")).findFirst().orElseThrow().flow,
            "",
            Context.of("k", 1),
            List.of(),
            List.of(Event.advance(60), Event.done("B", "b", 2L)),
            "COMPLETED {b=2, k=1}"));
    all.add(
        new GoldenCase(
            "session-java",
            steps(),
            "",
            Context.of("k", 1),
            List.of(Event.done("A"), Event.done("G", "g", 1L)),
            List.of(Event.done("H", "h", 2L), Event.done("J", "j", 3L)),
            "COMPLETED {g=1, h=2, j=3, k=1}"));
    return all;
  }

  private static void both(
      List<GoldenCase> all,
      String name,
      WorkflowDefinition java,
      String yaml,
      List<Event> before,
      List<Event> after,
      String end) {
    Context start = Context.of("k", 1);
    all.add(new GoldenCase(java.name(), java, "", start, before, after, end));
    String id = name + "-document";
    String source = "workflow: " + id + "\n" + yaml;
    WorkflowDefinition document =
        new DocumentReader().read(id, source.getBytes(StandardCharsets.UTF_8)).workflow();
    all.add(new GoldenCase(id, document, source, start, before, after, end));
  }

  /// Process instances: A spawns G and H, which meet at J.
  private static WorkflowDefinition steps() {
    StepNode.GroupJoin join =
        new StepNode.GroupJoin(
            "J",
            2,
            false,
            List.of(
                new StepNode.Source("G", StepNode.When.VALID),
                new StepNode.Source("H", StepNode.When.VALID)));
    Term processes =
        new Term.Processes(
            List.of(
                step("A", new StepNode.Branch(List.of("G", "H"), join)),
                step("G", StepNode.Branch.NONE),
                step("H", StepNode.Branch.NONE),
                step("J", StepNode.Branch.NONE)));
    return workflow("session-java", processes).withContext(Context.of(StepNode.ENTRY, "A"));
  }

  private static StepNode step(String id, StepNode.Branch valid) {
    return new StepNode(
        id,
        task(
            id,
            (StepFunction)
                (context, _) ->
                    context.has("told")
                        ? new StepResult.Evaluated(
                            StepOutcome.VALID,
                            context.without("told"),
                            0,
                            StepResult.Note.NONE,
                            StepResult.Start.NOW)
                        : new TaskResult.Wants(EffectSpec.of("tell"), context)),
        valid,
        StepNode.Branch.NONE);
  }
}
