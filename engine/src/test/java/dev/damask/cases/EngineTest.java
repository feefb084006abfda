package dev.damask.cases;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.caller.StartReply;
import dev.damask.clock.VirtualClock;
import dev.damask.event.Reply;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import dev.damask.value.TaskResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Cases, signals, timers and the end of an engine.
@Timeout(20)
final class EngineTest {
  private final MemoryStore store = new MemoryStore();

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(2).withGrace(Duration.ofMillis(50));
  }

  private static WorkflowDefinition waiting() {
    return workflow("waiting", defer(on("go", task("end", c -> c.with("ended", true)))));
  }

  private static TaskResult next(Context context) {
    return context.get("n") instanceof Long n ? context.with("n", n + 1) : context;
  }

  @Test
  void five_pure_tasks_cost_one_commit() throws InterruptedException {
    var five =
        workflow(
            "five",
            task("a", EngineTest::next),
            task("b", EngineTest::next),
            task("c", EngineTest::next),
            task("d", EngineTest::next),
            task("e", EngineTest::next));
    try (var engine = Engine.open(options(), store, five)) {
      var run = engine.start(five, "one", Context.of("n", 0));

      assertThat(run.await()).isEqualTo(new CaseResult.Completed<>(Context.of("n", 5)));
      assertThat(engine.statistics().commits()).isEqualTo(1);
    }
  }

  @Test
  void starting_twice_gives_the_same_case() throws InterruptedException {
    var waiting = waiting();
    try (var engine = Engine.open(options(), store, waiting)) {
      var first = engine.startAsync(waiting, "one", Context.of("n", 1));
      var second = engine.startAsync(waiting, "one", Context.of("n", 2));

      assertThat(first.join()).isEqualTo(new StartReply(StartReply.Kind.STARTED, 1));
      assertThat(second.join()).isEqualTo(new StartReply(StartReply.Kind.EXISTING, 1));
      var run = engine.start(waiting, "one", Context.empty());
      assertThat(run.reply()).isEqualTo(second.join());
      long signalled = engine.signalAsync("one", "go", Map.of()).join().revision();
      assertThat(engine.start(waiting, "one", Context.empty()).revision()).isEqualTo(signalled);
      assertThat(engine.status("one").context().get("n")).isEqualTo(1L);
      assertThatThrownBy(() -> engine.start(workflow("other", skip()), "one", Context.empty()))
          .hasMessageContaining("is a case of workflow waiting");
    }
  }

  @Test
  void a_message_is_consumed_once_also_after_a_restart() throws InterruptedException {
    var twice = workflow("twice", defer(on("go", skip())), defer(on("go", skip())));
    try (var engine = Engine.open(options(), store, twice)) {
      engine.start(twice, "one", Context.empty());
      assertThat(engine.signal("one", "go", Map.of(), "m1").kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.signal("one", "go", Map.of(), "m1").kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.WAITING);
    }
    try (var engine = Engine.open(options(), store.reopened(), twice)) {
      assertThat(engine.signal("one", "go", Map.of(), "m1").kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.WAITING);
      engine.signal("one", "go", Map.of(), "m2");
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.signal("one", "go", Map.of()).kind()).isEqualTo(Reply.CASE_ENDED);
    }
  }

  @Test
  void a_timer_fires_at_its_time_and_after_a_restart() throws InterruptedException {
    var timed =
        workflow(
            "timed", defer(on("go", skip()), after(Duration.ofMinutes(5), task("late", c -> c))));
    VirtualClock clock = new VirtualClock(1_000);
    try (var engine = Engine.open(options().withClock(clock), store, timed)) {
      engine.start(timed, "one", Context.empty());
      engine.start(timed, "two", Context.empty());
      clock.advance(299_999);
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.WAITING);
      assertThat(engine.status("one").nextDue()).hasValue(301_000);
    }
    VirtualClock later = new VirtualClock(300_999);
    try (var engine = Engine.open(options().withClock(later), store.reopened(), timed)) {
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.WAITING);
      later.advance(1);
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.await("two")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void real_time_wakes_a_case() throws InterruptedException {
    var timed = workflow("timed", defer(after(Duration.ofMillis(30), skip())));
    try (var engine = Engine.open(options(), store, timed)) {
      long before = System.nanoTime();
      engine.start(timed, "one", Context.empty()).await();

      assertThat(System.nanoTime() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(28));
    }
  }

  @Test
  void cancelling_ends_a_case_and_a_late_signal_is_told_so() throws InterruptedException {
    var waiting = waiting();
    try (var engine = Engine.open(options(), store, waiting)) {
      var run = engine.start(waiting, "one", Context.empty());

      assertThat(run.await(Duration.ofMillis(5))).isEmpty();
      assertThat(run.cancel().kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(run.await()).isEqualTo(new CaseResult.Cancelled<>("case", "requested"));
      assertThat(run.signal("go").kind()).isEqualTo(Reply.CASE_ENDED);
    }
  }

  @Test
  void a_case_whose_program_is_missing_waits_and_says_so() throws InterruptedException {
    var waiting = waiting();
    try (var engine = Engine.open(options(), store, waiting)) {
      engine.start(waiting, "one", Context.empty());
    }
    try (var engine = Engine.open(options(), store.reopened())) {
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Stuck.class);
      assertThat(engine.status("one").report()).first().asString().contains("of workflow waiting");
      assertThatThrownBy(() -> engine.cancel("one"))
          .hasMessageContaining("open the engine with that workflow");
    }
    try (var engine = Engine.open(options(), store.reopened(), waiting)) {
      engine.signal("one", "go", Map.of());
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void waiting_cases_leave_memory_and_come_back() throws InterruptedException {
    var waiting = waiting();
    try (var engine = Engine.open(options().withResidentMax(10), store, waiting)) {
      for (int i = 0; i < 200; i++) {
        engine.start(waiting, "case-" + i, Context.of("n", i));
      }
      assertThat(engine.statistics().resident()).isLessThan(60);
      for (int i = 0; i < 200; i++) {
        engine.signal("case-" + i, "go", Map.of());
      }
      for (int i = 0; i < 200; i++) {
        assertThat(engine.await("case-" + i))
            .isEqualTo(new CaseResult.Completed<>(Context.of("n", i, "ended", true)));
      }
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void cases_are_listed_a_page_at_a_time() {
    var waiting = waiting();
    try (var engine = Engine.open(options(), store, waiting)) {
      for (int i = 0; i < 7; i++) {
        engine.start(waiting, "case-" + i, Context.empty());
      }
      engine.signal("case-3", "go", Map.of());
      CaseQuery query = CaseQuery.ALL.withStatus(CaseStatus.WAITING).withPage("", 4);

      var first = engine.list(query);
      var second = engine.list(query.withPage(first.next(), 4));

      assertThat(first.cases()).hasSize(4);
      assertThat(second.cases()).hasSize(2);
      assertThat(second.next()).isEmpty();
    }
  }

  @Test
  void an_unknown_case_and_a_closed_engine_are_refused() {
    var engine = Engine.open(options(), store, waiting());
    assertThatThrownBy(() -> engine.signal("nobody", "go", Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("there is no case nobody");
    assertThatThrownBy(() -> engine.start(waiting(), "a b", Context.empty()))
        .hasMessageContaining("a case id has");

    engine.close();

    assertThatThrownBy(() -> engine.status("nobody")).hasMessage("the engine is closed");
  }

  @Test
  void the_trace_survives_a_restart() throws InterruptedException {
    var waiting = waiting();
    var traced = options().withTrace(TraceLevel.FULL);
    int before;
    try (var engine = Engine.open(traced, store, waiting)) {
      engine.start(waiting, "one", Context.empty());
      before = engine.trace("one").size();
    }
    try (var engine = Engine.open(traced, store.reopened(), waiting)) {
      engine.signal("one", "go", Map.of());
      assertThat(engine.trace("one")).hasSizeGreaterThan(before);
    }
  }

  @Test
  void no_thread_is_left_after_close() throws InterruptedException {
    var slow = workflow("slow", effect("sleep", _ -> sleep()), skip());
    var engine = Engine.open(options(), store, slow);
    CompletableFuture<CaseResult<Context>> result =
        engine.start(slow, "one", Context.empty()).result().toCompletableFuture();

    engine.close();

    assertThat(result).failsWithin(Duration.ofSeconds(5));
    // A thread whose work is done may still be on its way out.
    List<Thread> shards =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().contains("shard-"))
            .toList();
    for (Thread shard : shards) {
      shard.join(Duration.ofSeconds(5));
    }
    assertThat(shards).noneMatch(Thread::isAlive);
  }

  private static Map<String, Object> sleep() throws InterruptedException {
    Thread.sleep(Duration.ofMinutes(1));
    return Map.of();
  }

  @Test
  void many_callers_move_one_case_one_input_at_a_time() throws Exception {
    AtomicInteger seen = new AtomicInteger();
    var counting =
        workflow(
            "counting",
            dev.damask.term.Flow.repeat(
                100, seq(defer(on("go", task("count", c -> count(seen, c)))))));
    try (var engine = Engine.open(options(), store, counting)) {
      var run = engine.start(counting, "one", Context.of("n", 0));
      try (var nursery = dev.damask.nursery.Nursery.open("callers")) {
        for (int i = 0; i < 10; i++) {
          nursery.launch(
              "caller",
              _ -> {
                for (int k = 0; k < 10; k++) {
                  run.signal("go");
                }
              });
        }
        nursery.awaitAll().orThrow();
      }

      assertThat(run.await()).isEqualTo(new CaseResult.Completed<>(Context.of("n", 100)));
      assertThat(seen).hasValue(100);
    }
  }

  private static TaskResult count(AtomicInteger seen, Context context) {
    seen.incrementAndGet();
    return next(context);
  }
}
