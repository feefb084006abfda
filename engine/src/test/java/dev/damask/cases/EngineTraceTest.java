package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.event.Reply;
import dev.damask.event.StateView;
import dev.damask.event.TraceEvent;
import dev.damask.history.TraceSubscription;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.task.Guard;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Traces of an engine's cases: their level, their bounds, and those who follow them live.
@Timeout(60)
final class EngineTraceTest {
  private static final Term ADD =
      task("add", c -> c.with("n", c.get("n") instanceof Long n ? n + 1 : 1));
  private static final WorkflowDefinition TWICE =
      workflow("twice", ADD, defer(on("go", ADD)), defer(on("again", ADD)));
  private static final WorkflowDefinition ENDLESS =
      workflow("endless", repeatWhile(Guard.named("always", c -> true), scope("round", ADD)));

  private static EngineOptions options(TraceLevel level) {
    return EngineOptions.defaults().withShards(1).withTrace(level);
  }

  private static List<String> rules(List<TraceEvent> events) {
    return events.stream().map(TraceEvent::rule).toList();
  }

  @Test
  void the_default_level_is_min() throws InterruptedException {
    try (Engine engine = Engine.open(workflow("w", ADD))) {
      engine.start(workflow("w", ADD), "1", Context.empty()).await();

      assertThat(rules(engine.trace("1"))).containsExactly("END");
    }
  }

  @Test
  void a_case_keeps_the_level_it_was_started_with() throws InterruptedException {
    MemoryStore store = new MemoryStore();
    try (Engine engine = Engine.open(options(TraceLevel.FULL), store, TWICE)) {
      engine.start(TWICE, "full", Context.empty());
    }
    try (Engine engine = Engine.open(options(TraceLevel.NONE), store, TWICE)) {
      engine.start(TWICE, "none", Context.empty());
      engine.signal("full", "go", Map.of());
    }
    try (Engine engine = Engine.open(options(TraceLevel.MIN), store, TWICE)) {
      engine.signal("full", "again", Map.of());
      engine.signal("none", "go", Map.of());
      engine.await("full");

      assertThat(engine.trace("full").stream().filter(e -> e.rule().equals("TASK-EXEC")))
          .hasSize(3);
      assertThat(engine.trace("none")).isEmpty();
    }
  }

  @Test
  void a_part_of_a_trace_is_asked_for_by_steps() throws InterruptedException {
    WorkflowDefinition five = workflow("five", seq(ADD, ADD, ADD, ADD, ADD));
    try (Engine engine = Engine.open(options(TraceLevel.FULL), new MemoryStore(), five)) {
      engine.start(five, "1", Context.empty()).await();

      assertThat(engine.trace("1", 2, 4)).allMatch(e -> e.step() >= 2 && e.step() <= 4);
      assertThat(engine.trace("1", 2, 4).stream().filter(TraceEvent::isReduction)).hasSize(3);
      assertThat(engine.trace("1", 0, Long.MAX_VALUE)).isEqualTo(engine.trace("1"));
      assertThat(engine.run("1").trace(6, 6)).isNotEmpty();
      assertThat(engine.trace("1", 7, 9)).isEmpty();
    }
  }

  @Test
  void a_subscriber_sees_what_becomes_durable_until_it_is_closed() throws InterruptedException {
    List<String> all = new CopyOnWriteArrayList<>();
    List<TraceEvent> one = new CopyOnWriteArrayList<>();
    try (Engine engine = Engine.open(options(TraceLevel.FULL), new MemoryStore(), TWICE)) {
      engine.subscribe((id, events) -> events.forEach(e -> all.add(id + " " + e.rule())));
      TraceSubscription closed = engine.subscribe("b", (_, events) -> one.addAll(events));
      engine.start(TWICE, "a", Context.empty());
      engine.start(TWICE, "b", Context.empty());
      engine.signal("b", "go", Map.of());
      List<TraceEvent> seen = engine.trace("b");

      assertThat(one).isEqualTo(seen);
      closed.close();
      engine.signal("b", "again", Map.of());
      engine.await("b");

      assertThat(one).isEqualTo(seen);
      assertThat(all).contains("a TASK-EXEC", "a AWAIT", "b END");
    }
  }

  @Test
  void a_subscriber_that_throws_harms_nobody() throws InterruptedException {
    List<TraceEvent> seen = new CopyOnWriteArrayList<>();
    try (Engine engine = Engine.open(options(TraceLevel.MIN), new MemoryStore(), TWICE)) {
      engine.subscribe((_, _) -> {
        throw new IllegalStateException("not today");
      });
      engine.subscribe((_, events) -> seen.addAll(events));
      engine.start(workflow("w", ADD), "1", Context.empty()).await();

      assertThat(rules(seen)).containsExactly("END");
    }
  }

  @Test
  void the_trace_of_a_case_that_never_rests_is_bounded_and_cancel_returns()
      throws InterruptedException {
    MemoryStore store = new MemoryStore();
    EngineOptions small = options(TraceLevel.FULL).withTraceEventsMax(50);
    List<Integer> sizes = new CopyOnWriteArrayList<>();
    try (Engine engine = Engine.open(small, store, ENDLESS)) {
      engine.subscribe((_, events) -> sizes.add(events.size()));
      Run<Context> run = engine.start(ENDLESS, "1", Context.empty());
      while (sizes.size() < 3 * LiveCase.TRACE_PARTS_MAX) {
        LockSupport.parkNanos(100_000);
      }

      run.cancel();

      assertThat(run.await()).isInstanceOf(CaseResult.Cancelled.class);
      assertThat(store.trace("1")).hasSizeLessThanOrEqualTo(LiveCase.TRACE_PARTS_MAX + 2);
      assertThat(sizes).allMatch(size -> size < 500);
      assertThat(rules(engine.trace("1"))).endsWith("CANCEL-PROPAGATE", "TOKEN", "END");
    }
  }

  @Test
  void a_case_that_never_rests_can_be_cancelled_and_ends_at_its_deadline()
      throws InterruptedException {
    try (Engine engine = Engine.open(options(TraceLevel.NONE), new MemoryStore(), ENDLESS)) {
      CaseOptions brief = CaseOptions.DEFAULT.withDeadline(Duration.ofMillis(50));
      Run<Context> late = engine.start(ENDLESS, "late", Context.empty(), brief);
      Run<Context> other = engine.start(ENDLESS, "other", Context.empty());
      var signalled = engine.signalAsync("other", "go", Map.of());
      List<CaseStatus> statuses = new ArrayList<>();
      statuses.add(other.status().status());

      other.cancel();

      assertThat(other.await()).isInstanceOf(CaseResult.Cancelled.class);
      assertThat(late.await())
          .isInstanceOfSatisfying(
              CaseResult.Failed.class,
              failed -> assertThat(failed.error().reason()).isEqualTo("deadline"));
      assertThat(statuses).containsExactly(CaseStatus.RUNNING);
      assertThat(signalled.join().kind()).isEqualTo(Reply.CASE_ENDED);
    }
  }

  @Test
  void the_state_of_a_case_is_shown_without_bringing_it_into_memory() throws InterruptedException {
    MemoryStore store = new MemoryStore();
    try (Engine engine = Engine.open(options(TraceLevel.MIN), store, TWICE)) {
      engine.start(TWICE, "1", Context.of("k", 7));
    }
    try (Engine engine = Engine.open(options(TraceLevel.MIN), store, TWICE)) {
      StateView state = engine.state("1");

      assertThat(state.tokens()).extracting(StateView.Token::instruction).containsExactly("AWAIT");
      assertThat(state.context()).isEqualTo(Context.of("k", 7, "n", 1));
      assertThat(state.places()).containsEntry("go", 0);
      assertThat(engine.statistics().resident()).isZero();
      assertThat(engine.status("1").context()).isEqualTo(Context.of("k", 7, "n", 1));
      engine.cancel("1");
      engine.await("1");
      assertThat(engine.isCancelled("1", "case")).isTrue();
      assertThat(engine.run("1").state().tokens()).isEmpty();
      assertThatThrownBy(() -> engine.state("2")).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
