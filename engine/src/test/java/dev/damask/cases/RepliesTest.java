package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.Receipt;
import dev.damask.event.Reply;
import dev.damask.store.MemoryStore;
import dev.damask.task.Retry;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What callers get back: ids, revisions, and time that is theirs.
@Timeout(20)
final class RepliesTest {
  private static final WorkflowDefinition TWICE =
      workflow("twice", defer(on("go", skip())), defer(on("go", skip())));

  private final MemoryStore store = new MemoryStore();
  private final Semaphore called = new Semaphore(0);
  private final CountDownLatch go = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(1);
  }

  private Object hang() throws InterruptedException {
    called.release();
    try {
      go.await();
    } catch (InterruptedException e) {
      interrupted.countDown();
      throw e;
    }
    return Map.of("done", true);
  }

  @Test
  void every_reply_has_the_durable_revision_that_contains_its_change() {
    try (var engine = Engine.open(options(), store, TWICE)) {
      var run = engine.start(TWICE, "one", Context.empty());
      CaseReply first = run.signal("go");
      CaseReply late = engine.signal("one", "nowhere", Map.of());

      assertThat(run.revision()).isOne();
      assertThat(first).isEqualTo(new CaseReply(Reply.ACCEPTED, 2));
      assertThat(first.isAccepted()).isTrue();
      assertThat(late.kind()).isEqualTo(Reply.REJECTED);
      assertThat(late.revision()).isEqualTo(run.status().revision());
      assertThat(engine.start(TWICE, "one", Context.empty()).revision())
          .isEqualTo(run.status().revision());
      assertThat(run.cancel().revision()).isEqualTo(run.status().revision());
    }
  }

  @Test
  void a_start_without_an_id_gets_one() {
    try (var engine = Engine.open(options(), store, TWICE)) {
      Run<Context> first = engine.start(TWICE, Context.empty());
      Run<Context> second = engine.start(TWICE, Context.empty());

      assertThat(first.caseId()).isNotEqualTo(second.caseId());
      assertThat(engine.status(first.caseId()).revision()).isOne();
    }
  }

  @Test
  void closing_waits_for_a_handler_within_the_grace() throws Exception {
    WorkflowDefinition flow = workflow("slow", effect("slow"));
    var options = options().withHandler("slow", _ -> hang());
    assertThat(options.grace()).isEqualTo(Duration.ofSeconds(5));
    Engine engine = Engine.open(options, store, flow);
    engine.start(flow, "one", Context.empty());
    called.acquire();
    Thread closer = Thread.ofPlatform().start(engine::close);
    while (closer.getState() != Thread.State.TIMED_WAITING
        && closer.getState() != Thread.State.WAITING) {
      LockSupport.parkNanos(100_000);
    }
    go.countDown();
    closer.join();

    assertThat(interrupted.getCount()).isOne();
    assertThat(store.receipts("one"))
        .extracting(each -> each.body().result())
        .containsExactly(new Receipt.Result.Ok(Context.of("done", true)));
  }

  @Test
  void closing_interrupts_a_handler_after_the_grace() throws Exception {
    WorkflowDefinition flow = workflow("slow", effect("slow"));
    var options = options().withGrace(Duration.ZERO).withHandler("slow", _ -> hang());
    Engine engine = Engine.open(options, store, flow);
    engine.start(flow, "one", Context.empty());
    called.acquire();
    engine.close();

    assertThat(interrupted.getCount()).isZero();
    assertThat(store.receipts("one")).isEmpty();
  }

  @Test
  void a_call_that_takes_longer_than_its_type_may_fails_and_is_interrupted() throws Exception {
    WorkflowDefinition flow =
        workflow("slow", effect("slow").retry(new Retry(2, Duration.ZERO, 1, 0)));

    assertThat(timedOut(flow)).isEqualTo("timeout");
    assertThat(store.receipts("one")).hasSize(2);
  }

  @Test
  void an_at_most_once_call_that_takes_too_long_has_an_unknown_outcome() throws Exception {
    WorkflowDefinition flow = workflow("slow", effect("slow").atMostOnce());

    assertThat(timedOut(flow)).isEqualTo("unknown_outcome");
    assertThat(called.availablePermits()).isZero();
    assertThat(store.receipts("one").getFirst().body().result())
        .isEqualTo(new Receipt.Result.Indeterminate());
  }

  private String timedOut(WorkflowDefinition flow) throws InterruptedException {
    VirtualClock clock = new VirtualClock(1_000);
    EffectHandler handler = _ -> hang();
    var options =
        options()
            .withGrace(Duration.ZERO)
            .withClock(clock)
            .withTimeLimit(Duration.ofHours(1))
            .withTimeLimit("slow", Duration.ofSeconds(10))
            .withHandler("slow", handler);
    try (var engine = Engine.open(options, store, flow)) {
      var run = engine.start(flow, "one", Context.empty());
      while (run.await(Duration.ofMillis(1)).isEmpty()) {
        if (called.tryAcquire()) {
          clock.advance(10_000);
        }
      }
      interrupted.await();
      return ((CaseResult.Failed<Context>) run.await()).error().reason();
    }
  }
}
