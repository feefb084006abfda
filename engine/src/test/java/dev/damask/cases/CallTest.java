package dev.damask.cases;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.taking;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseBudget;
import dev.damask.caller.CaseCancelledException;
import dev.damask.caller.CaseFailedException;
import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseStuckException;
import dev.damask.effect.Approval;
import dev.damask.effect.BuiltInEffects;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.store.CaseQuery;
import dev.damask.store.MemoryStore;
import dev.damask.task.Expression;
import dev.damask.task.Retry;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// `call` runs a workflow like a function: on the caller's thread, to its end, without a case.
@Timeout(30)
final class CallTest {
  private final MemoryStore store = new MemoryStore();
  private final List<EffectCall> calls = new ArrayList<>();

  private EngineOptions options() {
    EngineOptions options = EngineOptions.defaults().withGrace(Duration.ofMillis(50));
    for (String type : List.of("a", "b", "undo a")) {
      options =
          options.withHandler(
              type,
              call -> {
                calls.add(call);
                return Map.of(call.task(), Thread.currentThread().getName());
              });
    }
    return options;
  }

  private List<String> called() {
    return calls.stream().map(EffectCall::task).toList();
  }

  private static Context count(Context context) {
    return context.with("n", context.get("n") instanceof Long n ? n + 1 : 1);
  }

  @Test
  void a_workflow_is_a_function_of_its_context() {
    WorkflowDefinition flow = workflow("w", task("x", CallTest::count), task("y", CallTest::count));
    try (Engine engine = Engine.open(options(), store, flow)) {
      assertThat(engine.call(flow, Context.of("n", 40))).isEqualTo(Context.of("n", 42));
      assertThat(engine.callResult(flow, Context.empty()))
          .isEqualTo(new CaseResult.Completed<>(Context.of("n", 2)));

      assertThat(engine.list(CaseQuery.ALL).cases()).isEmpty();
      assertThat(engine.statistics().calls()).isEqualTo(2);
      assertThat(engine.statistics().started()).isZero();
      assertThat(engine.statistics().commits()).isZero();
    }
  }

  @Test
  void effects_run_one_after_another_on_the_callers_thread() {
    WorkflowDefinition flow = workflow("w", par(seq(effect("a"), effect("b")), effect("a")));
    try (Engine engine = Engine.open(options(), store, flow)) {
      engine.call(flow, Context.empty());

      assertThat(called()).containsExactly("a", "a", "b");
      assertThat(calls)
          .allSatisfy(call -> {
            assertThat(call.caseId()).isEmpty();
            assertThat(call.key()).hasSize(36);
          });
      assertThat(calls.stream().map(EffectCall::key).distinct()).hasSize(3);
      assertThat(engine.statistics().effects()).isEqualTo(3);
    }
  }

  @Test
  void it_throws_as_join_does() {
    WorkflowDefinition fails =
        workflow(
            "fails",
            task(
                "t",
                _ -> {
                  throw new IllegalStateException("made up");
                }));
    WorkflowDefinition waits =
        workflow("waits", defer(taking("never", skip()))).withPlaces(Place.internal("never"));
    WorkflowDefinition killed =
        workflow("killed", new Term.Kill("case", Term.Kill.Outcome.WITHDRAW));
    try (Engine engine = Engine.open(options(), store)) {
      assertThatThrownBy(() -> engine.call(fails, Context.empty()))
          .isInstanceOfSatisfying(
              CaseFailedException.class, e -> assertThat(e.failure().detail()).contains("made up"));
      assertThatThrownBy(() -> engine.call(waits, Context.empty()))
          .isInstanceOfSatisfying(
              CaseStuckException.class,
              e -> assertThat(e.report().reason()).isEqualTo(CaseResult.Reason.DEADLOCKED));
      assertThatThrownBy(() -> engine.call(killed, Context.empty()))
          .isInstanceOfSatisfying(
              CaseCancelledException.class, e -> assertThat(e.scope()).isEqualTo("case"));
    }
  }

  @Test
  void what_was_done_is_undone_inline() {
    WorkflowDefinition flow =
        workflow(
            "w",
            new Term.Cancel(
                "s",
                List.of(),
                ScopeOptions.undoing(),
                seq(
                    effect("a").undo(effect("undo a")),
                    effect(
                        "fails",
                        _ -> {
                          throw new EffectException("broken", "made up");
                        }))));
    try (Engine engine = Engine.open(options(), store, flow)) {
      assertThatThrownBy(() -> engine.call(flow, Context.empty()))
          .isInstanceOf(CaseFailedException.class)
          .hasMessageContaining("broken");
      assertThat(called()).containsExactly("a", "undo a");
    }
  }

  @Test
  void a_retry_without_a_delay_tries_again() {
    AtomicInteger tries = new AtomicInteger();
    WorkflowDefinition flow =
        workflow(
            "w",
            effect(
                    "t",
                    _ -> {
                      if (tries.incrementAndGet() < 3) {
                        throw new EffectException("busy", "");
                      }
                      return Map.of("tries", tries.get());
                    })
                .retry(new Retry(3, Duration.ZERO, 1, 0)));
    try (Engine engine = Engine.open(options(), store, flow)) {
      assertThat(engine.call(flow, Context.empty())).isEqualTo(Context.of("tries", 3));
    }
  }

  @Test
  void an_interrupt_cancels_and_undoes_and_stays_set() throws Exception {
    CountDownLatch inHandler = new CountDownLatch(1);
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    AtomicReference<@Nullable Boolean> flag = new AtomicReference<>();
    WorkflowDefinition flow =
        workflow(
            "w",
            new Term.Cancel(
                "s",
                List.of(),
                ScopeOptions.undoing(),
                seq(
                    effect("a").undo(effect("undo a")),
                    effect(
                        "waits",
                        _ -> {
                          inHandler.countDown();
                          new CountDownLatch(1).await();
                          return null;
                        }))));
    try (Engine engine = Engine.open(options(), store, flow)) {
      Thread caller =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  engine.call(flow, Context.empty());
                } catch (CaseCancelledException e) {
                  thrown.set(e);
                }
                flag.set(Thread.currentThread().isInterrupted());
              });
      inHandler.await();
      caller.interrupt();
      caller.join();

      assertThat(thrown.get()).hasMessageContaining("interrupted");
      assertThat(flag.get()).isTrue();
      assertThat(called()).containsExactly("a", "undo a");
    }
  }

  @Test
  void handlers_tasks_and_virtual_threads_may_call() throws Exception {
    WorkflowDefinition inner = workflow("inner", task("x", CallTest::count));
    AtomicReference<@Nullable Engine> opened = new AtomicReference<>();
    WorkflowDefinition outer =
        workflow(
            "outer",
            task("t", c -> Objects.requireNonNull(opened.get()).call(inner, c)),
            effect("e", c -> Objects.requireNonNull(opened.get()).call(inner, c)));
    try (Engine engine = Engine.open(options(), store, outer, inner)) {
      opened.set(engine);
      AtomicReference<@Nullable Context> result = new AtomicReference<>();
      Thread.ofVirtual().start(() -> result.set(engine.call(outer, Context.empty()))).join();

      assertThat(result.get()).isEqualTo(Context.of("n", 2));
      assertThat(engine.start(outer, "case", Context.empty()).await())
          .isEqualTo(new CaseResult.Completed<>(Context.of("n", 2)));
    }
  }

  @Test
  void allow_lists_budgets_and_limits_hold() {
    WorkflowDefinition flow = workflow("w", effect("a"), effect("b"));
    WorkflowDefinition nested = workflow("n", effect("outer"));
    AtomicReference<@Nullable Engine> opened = new AtomicReference<>();
    EngineOptions limited =
        options()
            .withCallsMax("outer", 1)
            .withHandler(
                "outer", _ -> Objects.requireNonNull(opened.get()).call(nested, Context.empty()));
    try (Engine engine = Engine.open(limited, store, flow, nested)) {
      opened.set(engine);
      assertThatThrownBy(
              () -> engine.call(flow, Context.empty(), CaseOptions.DEFAULT.withAllow("a")))
          .hasMessageContaining("not_allowed");
      CaseOptions one = CaseOptions.DEFAULT.withBudget(CaseBudget.NONE.withEffects(1));
      assertThatThrownBy(() -> engine.call(flow, Context.empty(), one))
          .hasMessageContaining("budget");
      assertThatThrownBy(() -> engine.call(nested, Context.empty()))
          .hasMessageContaining("as many effects of type outer run as may run at once");
      assertThatThrownBy(() ->
              engine.call(
                  flow, Context.empty(), CaseOptions.DEFAULT.withDeadline(Duration.ofDays(1))))
          .hasMessageContaining("no deadline");
    }
  }

  static Stream<Arguments> refused() {
    Term first = task("first", c -> c);
    return Stream.of(
        Arguments.of("external places [go]", seq(first, defer(on("go", skip())))),
        Arguments.of("waits for a time", seq(first, defer(after(Duration.ofSeconds(1), skip())))),
        Arguments.of("timeout", seq(first, effect("a").timeout(Duration.ofSeconds(1)))),
        Arguments.of(
            "scope 's' has a timeout",
            seq(
                first,
                new Term.Cancel(
                    "s",
                    List.of(),
                    new ScopeOptions(Duration.ofSeconds(1), null, null, false, null),
                    skip()))),
        Arguments.of("which waits", seq(first, effect("sleep"))),
        Arguments.of("approval", seq(first, effect("approval"))),
        Arguments.of("approval", seq(first, effect("guarded"))),
        Arguments.of("retry with a delay", seq(first, effect("a").retry(Retry.exponential(2)))),
        Arguments.of("idempotency key", seq(first, effect("a").key(Expression.constant("k")))),
        Arguments.of(
            "waits until it is closed",
            seq(first, new Term.Mi("set", InstancePolicy.fixed(1).openUntilClosed(), effect("a")))),
        Arguments.of("no handler", seq(first, effect("unknown"))),
        Arguments.of("time limit", seq(first, effect("limited"))));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void a_workflow_that_waits_is_refused_before_its_first_task(String what, Term body) {
    AtomicInteger ran = new AtomicInteger();
    WorkflowDefinition flow =
        workflow(
            "w",
            seq(
                task(
                    "zero",
                    c -> {
                      ran.incrementAndGet();
                      return c;
                    }),
                body));
    EngineOptions all =
        options()
            .withHandler("sleep", Objects.requireNonNull(BuiltInEffects.all().get("sleep")))
            .withHandler("guarded", _ -> null)
            .withHandler("limited", _ -> null)
            .withTimeLimit("limited", Duration.ofSeconds(1))
            .withApproval("guarded", Approval.of("may it?"));
    try (Engine engine = Engine.open(all, store)) {
      assertThatThrownBy(() -> engine.call(flow, Context.empty()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("workflow w cannot be called")
          .hasMessageContaining("do[1][1]: ")
          .hasMessageContaining(what);
      assertThat(ran).hasValue(0);
    }
  }

  @Test
  void a_declared_external_place_is_refused() {
    WorkflowDefinition flow = workflow("w", skip()).withPlaces(Place.external("inbox"));
    try (Engine engine = Engine.open(options(), store)) {
      assertThatThrownBy(() -> engine.call(flow, Context.empty()))
          .hasMessageContaining("places.inbox: it is external");
    }
  }

  @Test
  void a_closed_engine_runs_nothing() {
    WorkflowDefinition flow = workflow("w", skip());
    Engine engine = Engine.open(options(), store);
    engine.close();

    assertThatThrownBy(() -> engine.call(flow, Context.empty())).hasMessageContaining("closed");
  }
}
