package dev.damask.typed;

import static dev.damask.typed.Steps.action;
import static dev.damask.typed.Steps.addInstance;
import static dev.damask.typed.Steps.arc;
import static dev.damask.typed.Steps.call;
import static dev.damask.typed.Steps.closeInstances;
import static dev.damask.typed.Steps.complete;
import static dev.damask.typed.Steps.copies;
import static dev.damask.typed.Steps.defer;
import static dev.damask.typed.Steps.definition;
import static dev.damask.typed.Steps.each;
import static dev.damask.typed.Steps.emit;
import static dev.damask.typed.Steps.expired;
import static dev.damask.typed.Steps.graph;
import static dev.damask.typed.Steps.graphUntilFirst;
import static dev.damask.typed.Steps.holding;
import static dev.damask.typed.Steps.instances;
import static dev.damask.typed.Steps.join;
import static dev.damask.typed.Steps.kill;
import static dev.damask.typed.Steps.milestone;
import static dev.damask.typed.Steps.node;
import static dev.damask.typed.Steps.on;
import static dev.damask.typed.Steps.otherwise;
import static dev.damask.typed.Steps.otherwiseTo;
import static dev.damask.typed.Steps.par;
import static dev.damask.typed.Steps.repeatWhile;
import static dev.damask.typed.Steps.scope;
import static dev.damask.typed.Steps.seq;
import static dev.damask.typed.Steps.skip;
import static dev.damask.typed.Steps.take;
import static dev.damask.typed.Steps.task;
import static dev.damask.typed.Steps.testing;
import static dev.damask.typed.Steps.to;
import static dev.damask.typed.Steps.toAll;
import static dev.damask.typed.Steps.toEach;
import static dev.damask.typed.Steps.toFirst;
import static dev.damask.typed.Steps.when;
import static dev.damask.typed.Steps.workflow;
import static dev.damask.typed.Steps.xor;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.Signal;
import dev.damask.term.Split;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// All 43 control-flow patterns, written with typed steps and run in an engine.
final class TypedPatternsTest {
  private static final Key<Integer> N = Key.of("n", Integer.class);
  private static final Key<List<Integer>> ITEMS = Key.list("items", Integer.class);
  private static final Key<Integer> ITEM = Key.of("each", Integer.class);
  private static final Key<List<Integer>> ALL = Key.list("all", Integer.class);
  private static final Signal<Void> GO = Signal.of("go");
  private static final Signal<Void> STAY = Signal.of("stay");
  private static final Signal<Integer> NUMBER = Signal.of("number", Integer.class);

  private final ConcurrentLinkedQueue<String> log = new ConcurrentLinkedQueue<>();
  private final Map<Integer, Case> cases = new LinkedHashMap<>();

  /// A pattern in a workflow.
  ///
  /// @param input what the caller does after the start
  /// @param end the simple name of the result
  /// @param tasks the tasks that must have run, in any order
  private record Case(
      Workflow<Integer, Context> flow,
      Consumer<Run<Context>> input,
      String end,
      List<String> tasks) {}

  private void pattern(int number, String tasks, Workflow<Integer, Context> flow) {
    pattern(number, tasks, flow, run -> {}, "Completed");
  }

  private void pattern(
      int number,
      String tasks,
      Workflow<Integer, Context> flow,
      Consumer<Run<Context>> input,
      String end) {
    List<String> names = tasks.isEmpty() ? List.of() : Arrays.asList(tasks.split(" "));
    assertThat(cases.put(number, new Case(flow, input, end, names))).isNull();
  }

  private static TypedWorkflow<Integer, Context> flow(Step... parts) {
    return workflow("pattern", N, parts);
  }

  /// A task that notes its name.
  private Step a(String name) {
    return action(name, N, n -> log.add(name));
  }

  /// A branch that never ends by itself.
  private static Step waiting() {
    return defer(on(STAY));
  }

  /// Branches of which some may be cancelled.
  private static Step either(Step... branches) {
    return join(JoinPolicy.syncMerge(), branches);
  }

  private Split.Arc big(String target) {
    return arc("big", N, n -> n > 2, target);
  }

  private Split.Arc small(String target) {
    return arc("small", N, n -> n <= 2, target);
  }

  private void branching() {
    pattern(1, "A B", flow(a("A"), a("B")));
    pattern(2, "A B", flow(join(JoinPolicy.detach(), a("A"), a("B"))));
    pattern(3, "A B C", flow(par(a("A"), a("B")), a("C")));
    pattern(4, "A", flow(xor(when("big", N, n -> n > 2, a("A")), otherwise(a("B")))));
    pattern(5, "A C", flow(xor(when("big", N, n -> n > 2, a("A")), otherwise(a("B"))), a("C")));
    pattern(
        6,
        "A B",
        flow(
            join(
                JoinPolicy.detach(),
                when("big", N, n -> n > 2, a("A")),
                when("odd", N, n -> n % 2 == 1, a("B")),
                otherwise(a("C")))));
    pattern(
        7,
        "A B D",
        flow(
            join(
                JoinPolicy.syncMerge(),
                when("big", N, n -> n > 2, a("A")),
                when("odd", N, n -> n % 2 == 1, a("B")),
                when("negative", N, n -> n < 0, a("C"))),
            a("D")));
    pattern(
        8,
        "A B M M",
        flow(
            graph(
                toAll("a", "b"),
                node("a", a("A"), to("m")),
                node("b", a("B"), to("m")),
                node("m", a("M"), to(Node.END)))));
    pattern(9, "A B C", flow(join(JoinPolicy.partial(1), a("A"), a("B")), a("C")));
  }

  private void structure() {
    pattern(
        10,
        "A A B",
        flow(
            Steps.set(ITEM, 0),
            graph(
                to("a"),
                node(
                    "a",
                    seq(a("A"), task("count", ITEM, i -> i + 1).as(ITEM)),
                    toFirst(arc("again", ITEM, i -> i < 2, "a"), otherwiseTo("b"))),
                node("b", a("B"), to(Node.END)))));
    pattern(
        11,
        "A B",
        flow(
            graph(
                toAll("a", "b"),
                node("a", a("A"), to(Node.END)),
                node("b", a("B"), to(Node.END)))));
    pattern(12, "A A A B", flow(instances("set", N, a("A")).need(0), a("B")));
    pattern(13, "A A B", flow(instances("set", 2, a("A")), a("B")));
    pattern(14, "A A A B", flow(instances("set", N, a("A")), a("B")));
    pattern(
        15,
        "A A A A B",
        flow(instances("set", N, a("A")).openUntilClosed(), a("B")),
        run -> {
          run.addInstance("set");
          run.closeInstances("set");
        },
        "Completed");
    pattern(
        16, "A", flow(defer(on(GO, a("A")), on(STAY, a("B")))), run -> run.signal(GO), "Completed");
    pattern(
        17,
        "A B C D",
        flow(par(
                seq(holding("h1", "mutex", a("A")), holding("h2", "mutex", a("B"))),
                seq(holding("h3", "mutex", a("C")), holding("h4", "mutex", a("D")))))
            .places(Place.mutex("mutex")));
    pattern(
        18,
        "A B",
        flow(par(
                milestone("open", a("A"), take(GO)),
                seq(defer(testing("open", a("B")), expired(a("C"))), emit(GO))))
            .places(Place.internal("open"), Place.internal("go")));
    pattern(
        19,
        "B",
        flow(either(scope("task", waiting()), seq(a("B"), kill("task")))),
        run -> {},
        "Completed");
    pattern(20, "A", flow(par(waiting(), seq(a("A"), kill("case")))), run -> {}, "Cancelled");
    pattern(
        21,
        "A A A",
        flow(repeatWhile("left", N, n -> n > 0, a("A"), task("less", N, n -> n - 1).as(N))));
    pattern(
        22,
        "A A A",
        flow(call("down"))
            .definitions(
                definition(
                    "down",
                    a("A"),
                    task("less", N, n -> n - 1).as(N),
                    xor(when("left", N, n -> n > 0, call("down")), otherwise()))));
  }

  private void stateAndCancelling() {
    pattern(
        23,
        "A",
        flow(take(GO), a("A")).places(Place.trigger("go")),
        run -> run.signal(GO),
        "Completed");
    pattern(24, "A", flow(emit(GO), take(GO), a("A")).places(Place.internal("go")));
    pattern(
        25,
        "B",
        flow(either(scope("region", par(waiting(), waiting())), seq(a("B"), kill("region")))));
    pattern(
        26,
        "B",
        flow(either(instances("set", N, waiting()), seq(a("B"), kill("set")))),
        run -> {},
        "Completed");
    pattern(
        27,
        "B C",
        flow(par(seq(instances("set", N, waiting()), a("C")), seq(a("B"), complete("set")))));
    pattern(28, "A B J", discriminator(new Node.Join.Blocking(1, List.of("a", "b"), false)));
    pattern(29, "A C", flow(join(JoinPolicy.firstComplete(), a("A"), waiting()), a("C")));
    pattern(30, "A B C D", flow(join(JoinPolicy.partial(2), a("A"), a("B"), a("C")), a("D")));
    pattern(31, "A B J", discriminator(new Node.Join.Blocking(2, List.of("a", "b"), false)));
    pattern(32, "A B C", flow(join(JoinPolicy.firstN(2), a("A"), a("B"), waiting()), a("C")));
    pattern(33, "A B J", discriminator(new Node.Join.And(weights("a", 1, "b", 1), false)));
  }

  private static Map<String, Integer> weights(String a, int x, String b, int y) {
    Map<String, Integer> all = new LinkedHashMap<>();
    all.put(a, x);
    all.put(b, y);
    return all;
  }

  private TypedWorkflow<Integer, Context> discriminator(Node.Join join) {
    return flow(
        graph(
            toAll("a", "b"),
            node("a", a("A"), to("j")),
            node("b", a("B"), to("j")),
            node("j", join, a("J"), to(Node.END))));
  }

  private void instancesAndThreads() {
    pattern(34, "A A A B", flow(instances("set", N, a("A")).need(2), a("B")));
    Step numbers = task("numbers", N, n -> List.of(1, 2, n)).as(ITEMS);
    pattern(
        35,
        "E E B",
        flow(
            numbers,
            each(ITEMS, ITEM, xor(when("small", ITEM, i -> i < 3, a("E")), otherwise(waiting())))
                .need(2)
                .cancelRest(),
            a("B")));
    pattern(
        36,
        "E E E B",
        flow(
            numbers,
            each(ITEMS, ITEM, a("E"))
                .collect(ITEM, ALL)
                .open()
                .need("enough", ITEM, done -> done.size() == 3),
            a("B")));
    Node.Join or = new Node.Join.Or(List.of("a", "b"), false);
    Step local =
        graph(
            toEach(big("a"), small("b"), otherwiseTo("b")),
            node("a", a("A"), to("j")),
            node("b", a("B"), to("j")),
            node("j", or, a("J"), to(Node.END)));
    pattern(37, "A J", flow(local));
    pattern(
        38,
        "A B J",
        flow(
            graph(
                toEach(big("a"), arc("odd", N, n -> n % 2 == 1, "b")),
                node("a", a("A"), to("j")),
                node("b", a("B"), to("j")),
                node("j", or, a("J"), to(Node.END)))));
    pattern(
        39,
        "A B",
        flow(par(holding("x", "mutex", a("A")), holding("y", "mutex", a("B"))))
            .places(Place.mutex("mutex")));
    pattern(
        40,
        "A B C",
        flow(par(
                holding("x", "mutex", a("A")),
                holding("y", "mutex", a("B")),
                holding("z", "mutex", a("C"))))
            .places(Place.mutex("mutex")));
    Map<String, Integer> three = new LinkedHashMap<>(Map.of("a", 3));
    pattern(
        41,
        "A A A J",
        flow(
            graph(
                copies(3, "a"),
                node("a", a("A"), to("j")),
                node("j", new Node.Join.And(three, false), a("J"), to(Node.END)))));
    pattern(42, "A A", flow(graph(copies(2, "a"), node("a", a("A"), to(Node.END)))));
    pattern(
        43,
        "A",
        flow(
            graphUntilFirst(
                toAll("a", "b"),
                node("a", a("A"), to(Node.END)),
                node("b", waiting(), to(Node.END)))));
  }

  @Test
  void every_pattern_is_written_with_typed_steps_and_runs() throws Exception {
    branching();
    structure();
    stateAndCancelling();
    instancesAndThreads();

    assertThat(cases.keySet()).hasSize(43).contains(1, 43);
    for (Map.Entry<Integer, Case> each : cases.entrySet()) {
      log.clear();
      Case pattern = each.getValue();
      try (Engine engine = Engine.open(pattern.flow())) {
        Run<Context> run = engine.start(pattern.flow(), "case", 3);
        pattern.input().accept(run);
        CaseResult<Context> end = run.await();

        assertThat(end.getClass().getSimpleName() + " " + end)
            .as("WCP-%d", each.getKey())
            .startsWith(pattern.end() + " ");
        List<String> tasks = new java.util.ArrayList<>(pattern.tasks());
        Collections.sort(tasks);
        assertThat(log.stream().sorted().toList()).as("WCP-%d", each.getKey()).isEqualTo(tasks);
      }
    }
  }

  @Test
  void a_set_adds_instances_from_inside_with_typed_items() {
    Workflow<Integer, List<Integer>> flow =
        workflow(
            "adding",
            N,
            ALL,
            task("none", N, n -> List.<Integer>of()).as(ITEMS),
            par(
                each(ITEMS, ITEM, a("E")).collect(ITEM, ALL).named("set").openUntilClosed(),
                seq(addInstance("set", N), closeInstances("set"))));

    try (Engine engine = Engine.open(flow)) {
      assertThat(engine.start(flow, "one", 3).join()).containsExactly(3);
    }
  }

  @Test
  void an_emitted_value_is_taken_with_its_type() {
    Workflow<Integer, Integer> flow =
        workflow("passing", N, NUMBER.payload(), emit(NUMBER, N), take(NUMBER), skip())
            .places(Place.internal("number"));

    try (Engine engine = Engine.open(flow)) {
      assertThat(engine.start(flow, "one", 3).join()).isEqualTo(3);
    }
  }
}
