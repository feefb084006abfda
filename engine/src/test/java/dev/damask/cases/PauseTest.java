package dev.damask.cases;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.caller.MigrationResult;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectLimit;
import dev.damask.event.Mapping;
import dev.damask.event.Reply;
import dev.damask.history.History;
import dev.damask.history.HistoryPosition;
import dev.damask.intake.StoredInput;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.task.Delivery;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Cases that an operator has paused.
@Timeout(30)
final class PauseTest {
  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final Semaphore isCalled = new Semaphore(0);
  private final Semaphore mayReturn = new Semaphore(0);

  private EngineOptions options() {
    return EngineOptions.defaults().withShards(2).withClock(clock).withGrace(Duration.ZERO);
  }

  private static WorkflowDefinition order() {
    return workflow(
            "order",
            task("first", context -> context.with("first", true)),
            defer(
                on("go", task("went", context -> context.with("went", true))),
                after(Duration.ofHours(1), task("gone", context -> context.with("gone", true)))),
            defer(on("more", task("ended", context -> context.with("ended", true)))))
        .withPlaces(Place.external("go"), Place.external("more"));
  }

  private WorkflowDefinition paying(Delivery delivery) {
    return workflow(
        "pay",
        effect("pay", EffectHandler.withCall(this::pay)).delivery(delivery),
        task("after", context -> context.with("after", true)));
  }

  private Object pay(EffectCall call) throws InterruptedException {
    calls.add(call.key());
    isCalled.release();
    mayReturn.acquire();
    return Map.of("paid", calls.size());
  }

  private static CaseReply await(Engine engine, String caseId, String word)
      throws InterruptedException {
    while (!engine.status(caseId).status().name().equals(word)) {
      LockSupport.parkNanos(100_000);
    }
    return new CaseReply(Reply.ACCEPTED, engine.status(caseId).revision());
  }

  @Test
  void a_paused_case_stores_its_inputs_across_a_restart_and_applies_them_in_order()
      throws Exception {
    try (Engine engine = Engine.open(options(), store, order())) {
      engine.start(order(), "one", Context.empty());

      assertThat(engine.pause("one", "a wrong order").kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.signal("one", "go", Map.of("n", 1)).kind()).isEqualTo(Reply.STORED);
      assertThat(engine.signal("one", "more", Map.of("n", 2), "m").kind()).isEqualTo(Reply.STORED);
      assertThat(engine.signal("one", "more", Map.of("n", 3), "m").kind()).isEqualTo(Reply.STORED);
      CaseView view = engine.status("one");
      assertThat(view.status()).isEqualTo(CaseStatus.PAUSED);
      assertThat(view.pause().orElseThrow().reason()).isEqualTo("a wrong order");
      assertThat(view.pause().orElseThrow().inputs()).isEqualTo(3);
      assertThat(view.places()).containsExactly("go");
      assertThat(view.context().has("went")).isFalse();
      assertThat(engine.statistics().paused()).isOne();
    }
    try (Engine engine = Engine.open(options(), store.reopened(), order())) {
      assertThat(engine.statistics().paused()).isOne();
      assertThat(engine.list(CaseQuery.ALL.withStatus(CaseStatus.PAUSED)).cases())
          .extracting(CaseRecord::caseId)
          .containsExactly("one");

      assertThat(engine.resume("one").kind()).isEqualTo(Reply.ACCEPTED);

      CaseResult<Context> result = engine.await("one");
      assertThat(result).isInstanceOf(CaseResult.Completed.class);
      Context context = ((CaseResult.Completed<Context>) result).result();
      assertThat(context.get("went")).isEqualTo(true);
      assertThat(context.get("n")).isEqualTo(2L);
      assertThat(engine.statistics().paused()).isZero();
      assertThat(store.table().versions(StoredInput.KIND, "one", 10)).isEmpty();
      assertThat(engine.history("one").replay()).isEmpty();
    }
  }

  @Test
  void timers_that_came_due_fire_at_resume_and_not_before() throws Exception {
    try (Engine engine = Engine.open(options(), store, order())) {
      engine.start(order(), "one", Context.empty());
      engine.pause("one", "lunch");

      clock.advance(Duration.ofHours(2).toMillis());
      assertThat(engine.status("one").context().has("gone")).isFalse();
      assertThat(engine.status("one").nextDue()).isEmpty();
      engine.resume("one");

      assertThat(engine.status("one").context().get("gone")).isEqualTo(true);
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.WAITING);
      History history = engine.history("one");
      assertThat(history.positions().stream().map(HistoryPosition::text))
          .containsExactly("started", "paused lunch", "resumed", "time");
      assertThat(history.replay()).isEmpty();
    }
  }

  @Test
  void a_result_that_came_during_the_pause_goes_before_the_timeout_of_its_attempt()
      throws Exception {
    var flow =
        workflow(
            "pay",
            par(
                effect("pay", EffectHandler.withCall(this::pay)).timeout(Duration.ofMinutes(5)),
                effect("other")));
    try (Engine engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      isCalled.acquire();
      engine.pause("one", "why not");
      long before = engine.status("one").revision();
      mayReturn.release();
      while (engine.status("one").revision() == before) {
        LockSupport.parkNanos(100_000);
      }
      assertThat(engine.status("one").context().has("paid")).isFalse();

      clock.advance(Duration.ofHours(1).toMillis());
      engine.resume("one");

      assertThat(engine.status("one").context().get("paid")).isEqualTo(1L);
      assertThat(engine.history("one").replay()).isEmpty();
    }
  }

  @Test
  void a_stored_result_is_not_called_again_after_a_restart() throws Exception {
    var flow = paying(Delivery.AT_MOST_ONCE);
    try (Engine engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      isCalled.acquire();
      engine.pause("one", "why not");
      long before = engine.status("one").revision();
      mayReturn.release();
      while (engine.status("one").revision() == before) {
        LockSupport.parkNanos(100_000);
      }
    }
    try (Engine engine = Engine.open(options(), store.reopened(), flow)) {
      engine.resume("one");

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(calls).hasSize(1);
    }
  }

  @Test
  void a_paused_case_calls_nothing_after_a_restart_until_it_is_resumed() throws Exception {
    var flow = paying(Delivery.KEYED);
    try (Engine engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      isCalled.acquire();
      engine.pause("one", "why not");
    }
    mayReturn.drainPermits();
    try (Engine engine = Engine.open(options(), store.reopened(), flow)) {
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.PAUSED);
      assertThat(engine.statistics().effects()).isZero();
      mayReturn.release(8);
      engine.resume("one");

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(calls).hasSize(2).allMatch(calls.getFirst()::equals);
    }
  }

  @Test
  void a_case_that_does_not_come_to_rest_is_paused_between_two_quanta() throws Exception {
    var flow =
        workflow(
            "busy",
            repeatWhile(
                context -> !Boolean.TRUE.equals(context.get("stop")),
                task("turn", context -> context.with("n", count(context) + 1))));
    try (Engine engine = Engine.open(options().withQuantum(10), store, flow)) {
      var _ = engine.startAsync(flow, "one", Context.empty());

      assertThat(engine.pause("one", "too busy").kind()).isEqualTo(Reply.ACCEPTED);
      long revision = engine.status("one").revision();
      Object n = engine.status("one").context().get("n");
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.PAUSED);
      assertThat(engine.cancel("one").kind()).isEqualTo(Reply.STORED);
      assertThat(engine.status("one").revision()).isEqualTo(revision + 1);
      assertThat(engine.status("one").context().get("n")).isEqualTo(n);
      engine.resume("one");

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Cancelled.class);
      assertThat(engine.history("one").replay()).isEmpty();
    }
  }

  private static long count(Context context) {
    return context.get("n") instanceof Long n ? n : 0;
  }

  @Test
  void a_paused_case_gives_its_permit_to_others_and_asks_again() throws Exception {
    var flow = paying(Delivery.KEYED);
    EngineOptions limited = options().withShards(1).withLimit("pay", EffectLimit.atOnce(1));
    try (Engine engine = Engine.open(limited, store, flow)) {
      engine.start(flow, "first", Context.empty());
      isCalled.acquire();
      engine.start(flow, "second", Context.empty());
      engine.start(flow, "third", Context.empty());
      engine.pause("second", "let the third pass");
      mayReturn.release();
      engine.await("first");
      isCalled.acquire();
      mayReturn.release();

      assertThat(engine.await("third")).isInstanceOf(CaseResult.Completed.class);
      assertThat(calls).hasSize(2);
      engine.resume("second");
      mayReturn.release();
      assertThat(engine.await("second")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void pausing_twice_resuming_a_case_that_is_not_paused_and_migrating_a_paused_one_are_rejected()
      throws Exception {
    try (Engine engine = Engine.open(options(), store, order())) {
      engine.start(order(), "one", Context.empty());

      assertThat(engine.resume("one").kind()).isEqualTo(Reply.REJECTED);
      assertThatThrownBy(() -> engine.pause("one", " "))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a reason is required; specify why this is done");
      engine.pause("one", "a");
      assertThat(engine.pause("one", "b").kind()).isEqualTo(Reply.REJECTED);
      assertThat(engine.migrate("one", order(), Mapping.NONE))
          .isInstanceOfSatisfying(
              MigrationResult.Refused.class,
              refused ->
                  assertThat(refused.reasons())
                      .containsExactly("the case is paused; resume it first"));
      engine.cancel("one");
      engine.resume("one");
      engine.await("one");
      assertThat(engine.pause("one", "a").kind()).isEqualTo(Reply.CASE_ENDED);
    }
  }

  @Test
  void a_case_that_is_paused_again_before_its_inputs_are_applied_keeps_them() throws Exception {
    var flow =
        workflow("many", seq(defer(on("go", effect("wait"))), defer(on("go", task("x", c -> c)))))
            .withPlaces(Place.external("go"));
    try (Engine engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      engine.pause("one", "a");
      engine.signal("one", "go", Map.of("n", 1));
      engine.resume("one");
      engine.pause("one", "b");
      engine.signal("one", "go", Map.of("n", 2));
      assertThat(engine.completeTask("one", "wait", Map.of()).kind()).isEqualTo(Reply.STORED);
      engine.resume("one");

      CaseResult<Context> result = engine.await("one");
      assertThat(((CaseResult.Completed<Context>) result).result().get("n")).isEqualTo(2L);
      await(engine, "one", "COMPLETED");
    }
  }

  private static Map<String, Object> large(int number) {
    return Map.of("number", number, "text", "x".repeat(60_000), "more", "y".repeat(120_000 - 100));
  }

  /// How many signals of 180 kB a case keeps.
  private static final int KEPT = 4 * 1_024 * 1_024 / 180_000;

  @Test
  void inputs_of_a_paused_case_beyond_the_bound_are_refused_and_the_others_are_applied()
      throws Exception {
    try (Engine engine = Engine.open(options(), store, order())) {
      engine.start(order(), "one", Context.empty());
      engine.start(order(), "other", Context.empty());
      engine.pause("one", "a wrong order");
      for (int i = 0; i < KEPT; i++) {
        assertThat(engine.signal("one", "more", large(i), "m" + i).kind()).isEqualTo(Reply.STORED);
      }
      requireFull(engine);
      assertThat(engine.signal("other", "more", large(0)).kind()).isEqualTo(Reply.BUFFERED);
    }
    try (Engine engine = Engine.open(options(), store.reopened(), order())) {
      requireFull(engine); // the sum is stored, too
      assertThat(engine.status("one").pause().orElseThrow().inputs()).isEqualTo(KEPT);

      assertThat(engine.resume("one").kind()).isEqualTo(Reply.ACCEPTED);
      engine.signal("one", "go", Map.of());

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(store.table().rows(StoredInput.KIND, null, 10)).isEmpty();
    }
  }

  private static void requireFull(Engine engine) {
    long revision = engine.status("one").revision();
    for (int i = 0; i < 3; i++) {
      int number = i;
      assertThatThrownBy(() -> engine.signal("one", "more", large(number), "late " + number))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("case one is busy: about")
          .hasMessageContaining("bytes of input wait for it, at most 4194304 may");
    }
    assertThat(engine.status("one").revision()).isEqualTo(revision);
  }

  @Test
  void an_input_that_the_case_does_not_accept_at_its_resume_is_logged() throws Exception {
    List<String> lines = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger("dev.damask.intake");
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(line.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    try (Engine engine = Engine.open(options(), store, order())) {
      engine.start(order(), "one", Context.empty());
      engine.pause("one", "a wrong order");
      engine.signal("one", "none\u001b[31m", Map.of());
      engine.cancel("one", "elsewhere", "a reason");
      engine.signal("one", "go", Map.of(), "m1");
      engine.signal("one", "more", Map.of());
      engine.signal("one", "more", Map.of(), "late");

      engine.resume("one");

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.signal("one", "more", Map.of(), "late").kind()).isEqualTo(Reply.CASE_ENDED);
      while (lines.size() < 3) {
        LockSupport.parkNanos(100_000);
      }
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
    String stored = " was stored while the case was paused and not applied at its resume: ";
    assertThat(lines)
        .containsExactly(
            "case one: signal 'none\\u001b[31m'"
                + stored
                + "the case does not accept it, or keeps as much as it may",
            "case one: cancel 'elsewhere'"
                + stored
                + "no open scope, set of instances or task has this name",
            "case one: signal 'more' with id 'late'" + stored + "the case has ended");
  }

  @Test
  void the_bytes_of_applied_inputs_are_free_again() throws Exception {
    try (Engine engine = Engine.open(options(), store, order())) {
      engine.start(order(), "one", Context.empty());
      engine.pause("one", "first");
      engine.signal("one", "other", large(0));
      long bytes = engine.status("one").pause().orElseThrow().bytes();
      assertThat(bytes).isBetween(179_000L, 181_000L);

      engine.resume("one");
      await(engine, "one", "WAITING");
      engine.pause("one", "second");

      assertThat(engine.status("one").pause().orElseThrow().bytes()).isZero();
    }
  }
}
