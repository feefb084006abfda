package dev.damask.typed;

import static dev.damask.typed.Steps.child;
import static dev.damask.typed.Steps.defer;
import static dev.damask.typed.Steps.each;
import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.exponential;
import static dev.damask.typed.Steps.on;
import static dev.damask.typed.Steps.park;
import static dev.damask.typed.Steps.scope;
import static dev.damask.typed.Steps.set;
import static dev.damask.typed.Steps.task;
import static dev.damask.typed.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseFailedException;
import dev.damask.cases.Engine;
import dev.damask.cases.Run;
import dev.damask.ops.Incident;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.task.Retry;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Child cases, and typed tasks that fail, are tried again, undone, and resumed on disk.
@Timeout(60)
final class ChildTest {
  private static final Key<Integer> N = Key.of("n", Integer.class);
  private static final Key<Integer> DOUBLE = Key.of("double", Integer.class);
  private static final Key<List<Integer>> NUMBERS = Key.list("numbers", Integer.class);
  private static final Key<List<Integer>> DOUBLES = Key.list("doubles", Integer.class);
  private static final Key<String> TEXT = Key.of("text", String.class);
  private static final Signal<Integer> FACTOR = Signal.of("factor", Integer.class);

  private static final int ZERO = Integer.parseInt("0");

  @TempDir Path folder;

  private final AtomicInteger starts = new AtomicInteger();

  private Workflow<Integer, Integer> waiting() {
    return workflow(
        "child",
        N,
        DOUBLE,
        effect("count", N, n -> starts.incrementAndGet()).as(Key.of("count", Integer.class)),
        defer(on(FACTOR, task("multiply", N, FACTOR.payload(), (n, f) -> n * f).as(DOUBLE))));
  }

  private static String childOf(Engine engine, String parent) {
    while (true) {
      for (CaseRecord each : engine.list(CaseQuery.ALL.withWorkflow("child")).cases()) {
        if (each.caseId().startsWith(parent + ":")
            && engine.status(each.caseId()).places().contains("factor")) {
          return each.caseId();
        }
      }
      LockSupport.parkNanos(100_000);
    }
  }

  @Test
  void a_child_is_started_once_also_if_the_engine_is_closed_meanwhile() {
    Workflow<Integer, Integer> parent =
        workflow("parent", N, DOUBLE, child("run", waiting(), N).as(DOUBLE));
    try (Engine engine = Engine.open(folder, parent)) {
      engine.start(parent, "p", 21);
      childOf(engine, "p");
    }

    try (Engine engine = Engine.open(folder, parent)) {
      String child = childOf(engine, "p");
      engine.run(waiting(), child).signal(FACTOR, 2);

      assertThat(engine.run(parent, "p").join()).isEqualTo(42);
      assertThat(engine.list(CaseQuery.ALL.withWorkflow("child")).cases()).hasSize(1);
      assertThat(starts).hasValue(1);
    }
  }

  @Test
  void a_child_is_cancelled_with_its_parent() throws Exception {
    Workflow<Integer, Integer> parent =
        workflow("parent", N, DOUBLE, child("run", waiting(), N).as(DOUBLE));

    try (Engine engine = Engine.open(parent)) {
      Run<Integer> run = engine.start(parent, "p", 21);
      String child = childOf(engine, "p");
      run.cancel();

      assertThat(engine.await(child)).isInstanceOf(dev.damask.caller.CaseResult.Cancelled.class);
    }
  }

  @Test
  void a_child_that_fails_fails_its_parent_with_the_reason_child() {
    Workflow<Integer, Integer> broken =
        workflow("broken", N, DOUBLE, effect("refuse", N, n -> n / ZERO).as(DOUBLE));
    Workflow<Integer, Integer> parent =
        workflow("parent", N, DOUBLE, child("run", broken, N).as(DOUBLE));

    try (Engine engine = Engine.open(parent)) {
      assertThatThrownBy(() -> engine.start(parent, "p", 21).join())
          .isInstanceOfSatisfying(
              CaseFailedException.class, e -> assertThat(e.failure().reason()).isEqualTo("child"))
          .hasMessageContaining("by zero");
    }
  }

  @Test
  void any_number_of_children_run_in_each() {
    Workflow<Integer, Integer> doubling =
        workflow("doubling", N, DOUBLE, task("double", N, n -> 2 * n).as(DOUBLE));
    Workflow<List<Integer>, List<Integer>> parent =
        workflow(
            "parent",
            NUMBERS,
            DOUBLES,
            each(NUMBERS, N, child("run", doubling, N).as(DOUBLE))
                .collect(DOUBLE, DOUBLES)
                .atOnce(2));

    try (Engine engine = Engine.open(parent)) {
      assertThat(engine.start(parent, "p", List.of(1, 2, 3, 4, 5)).join())
          .containsExactly(2, 4, 6, 8, 10);
    }
  }

  static final class CardRefused extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  @Test
  void an_excepted_exception_is_not_tried_again() {
    Workflow<Integer, Context> flow =
        workflow(
            "w",
            N,
            effect("charge", N, n -> refuse()).retry(exponential(5).except(CardRefused.class)));

    try (Engine engine = Engine.open(flow)) {
      assertThatThrownBy(() -> engine.start(flow, "one", 1).join())
          .isInstanceOfSatisfying(
              CaseFailedException.class,
              e -> assertThat(e.failure().reason()).isEqualTo("CardRefused"));
      assertThat(starts).hasValue(1);
    }
  }

  private int refuse() {
    starts.incrementAndGet();
    throw new CardRefused();
  }

  @Test
  void a_catch_reads_the_failure_with_its_type() {
    Workflow<Integer, String> flow =
        workflow(
            "w",
            N,
            TEXT,
            scope("risky", effect("charge", N, n -> n / ZERO), set(TEXT, "fine"))
                .onFailure(
                    task("explain", Steps.FAILURE, f -> f.task() + " " + f.reason()).as(TEXT)));

    try (Engine engine = Engine.open(flow)) {
      assertThat(engine.start(flow, "one", 1).join()).isEqualTo("charge exception");
    }
  }

  record Old(String name) {}

  record New(String name, List<String> tags) {}

  @Test
  void a_case_of_an_older_record_continues_with_a_newer_one() {
    Signal<Void> go = Signal.of("go");
    Key<Old> old = Key.of("data", Old.class);
    Key<New> now = Key.of("data", New.class);
    Workflow<Old, String> before =
        workflow("w", old, TEXT, defer(on(go)), effect("say", old, o -> o.name()).as(TEXT));
    try (Engine engine = Engine.open(folder, before)) {
      engine.start(before, "one", new Old("a"));
    }

    Workflow<New, String> after =
        workflow(
            "w", now, TEXT, defer(on(go)), effect("say", now, n -> n.name() + n.tags()).as(TEXT));
    try (Engine engine = Engine.open(folder, after)) {
      engine.run("one").signal(go);

      assertThat(engine.run(after, "one").join()).isEqualTo("a[]");
    }
  }

  private Workflow<Integer, Integer> failing(int times) {
    return workflow(
        "flaky",
        N,
        DOUBLE,
        effect(
                "double",
                N,
                n -> {
                  if (starts.incrementAndGet() <= times) {
                    throw new IllegalStateException("down");
                  }
                  return 2 * n;
                })
            .as(DOUBLE));
  }

  private static final Retry AT_ONCE = new Retry(3, Duration.ZERO, 1.0, 0.0);

  @Test
  void a_child_that_failed_is_followed_by_a_further_one() {
    Workflow<Integer, Integer> parent =
        workflow("parent", N, DOUBLE, child("run", failing(2), N).as(DOUBLE).retry(AT_ONCE));

    try (Engine engine = Engine.open(parent)) {
      assertThat(engine.start(parent, "p", 21).join()).isEqualTo(42);

      assertThat(engine.family("p").children()).hasSize(3);
      assertThat(engine.list(CaseQuery.ALL.withWorkflow("flaky")).cases())
          .extracting(CaseRecord::status)
          .containsExactlyInAnyOrder(CaseStatus.FAILED, CaseStatus.FAILED, CaseStatus.COMPLETED);
    }
  }

  @Test
  void a_child_whose_attempts_are_used_up_waits_for_an_operator() throws Exception {
    Workflow<Integer, Integer> parent =
        workflow(
            "parent",
            N,
            DOUBLE,
            child("run", failing(4), N).as(DOUBLE).retry(AT_ONCE).onExhausted(park()));

    try (Engine engine = Engine.open(parent)) {
      Run<Integer> run = engine.start(parent, "p", 21);
      Incident first = incident(engine, 3);
      assertThat(first.reason()).isEqualTo("child");
      assertThat(engine.incidents().retry("p", first.id()).isAccepted()).isTrue();
      Incident second = incident(engine, 4);
      assertThatThrownBy(() -> engine.incidents().skip("p", second.id(), Map.of("double", "x")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("the result of task run: double: an Integer is expected");
      assertThat(engine.incidents().retry("p", second.id()).isAccepted()).isTrue();

      assertThat(run.join()).isEqualTo(42);
      assertThat(starts).hasValue(5);
    }
  }

  private Incident incident(Engine engine, int started) {
    while (starts.get() < started || engine.incidents().list().isEmpty()) {
      LockSupport.parkNanos(100_000);
    }
    return engine.incidents().list().getFirst();
  }

  @Test
  void a_child_with_a_given_id_is_not_started_again() {
    assertThatThrownBy(() -> child("run", failing(1), N).id(TEXT).retry(AT_ONCE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("child run: retry starts a further case");
  }

  @Test
  void a_caller_completes_a_child_with_its_type_only() {
    Workflow<Integer, Integer> parent =
        workflow("parent", N, DOUBLE, child("run", waiting(), N).as(DOUBLE));

    try (Engine engine = Engine.open(parent)) {
      Run<Integer> run = engine.start(parent, "p", 21);
      childOf(engine, "p");

      assertThatThrownBy(() -> run.completeTask("run", Map.of("double", "x")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("case p: the result of task run: double: an Integer is expected");
      run.completeTask("run", Map.of("double", 1));

      assertThat(run.join()).isEqualTo(1);
    }
  }
}
