package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.store.MemoryStore;
import dev.damask.term.Merge;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `close` returns about a second after the grace period, whatever user code runs on whichever
/// thread, and names what it leaves behind.
@Timeout(60)
final class CloseTest {
  private static final Duration GRACE = Duration.ofMillis(200);

  /// The grace period, about a second, and what a busy machine adds.
  private static final Duration CLOSE_MAX = Duration.ofSeconds(6);

  private final MemoryStore store = new MemoryStore();
  private final CountDownLatch began = new CountDownLatch(1);
  private final AtomicBoolean mayReturn = new AtomicBoolean();
  private final WorkflowDefinition plain = workflow("plain", task("one", context -> context));

  @AfterEach
  void release() {
    mayReturn.set(true);
  }

  /// Does not return, and ignores interrupts, until the test is over.
  private void spin() {
    began.countDown();
    while (!mayReturn.get()) {
      Thread.onSpinWait();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(1).withGrace(GRACE);
  }

  private void close(Engine engine) throws InterruptedException {
    assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();
    long before = System.nanoTime();
    engine.close();
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(CLOSE_MAX);
  }

  private void requireLeft(Engine engine, String... parts) {
    assertThat(engine.leftBehind()).singleElement().asString().contains(parts);
  }

  @Test
  void a_blocked_listener_of_a_result() throws Exception {
    WorkflowDefinition waits = workflow("waits", defer(on("go", skip())));
    var engine = Engine.open(options(), store, waits);
    var _ = engine.start(waits, "a", Context.empty()).result().thenAccept(_ -> spin());
    var _ = engine.signalAsync("a", "go", Map.of()); // once the listener is there

    close(engine);

    requireLeft(engine, "listener of the end of case a");
  }

  @Test
  void a_blocked_listener_of_case_events() throws Exception {
    var engine = Engine.open(options().withListener(_ -> spin()), store, plain);
    var _ = engine.startAsync(plain, "a", Context.empty());

    close(engine);

    requireLeft(engine, "shard 0", "CloseTest.spin");
  }

  @Test
  void a_blocked_listener_of_traces() throws Exception {
    var engine = Engine.open(options(), store, plain);
    engine.subscribe((_, _) -> spin());
    var _ = engine.startAsync(plain, "a", Context.empty());

    close(engine);

    requireLeft(engine, "shard 0", "CloseTest.spin");
  }

  @Test
  void a_blocked_callback_of_an_answer() throws Exception {
    CountDownLatch isThere = new CountDownLatch(1);
    WorkflowDefinition waits =
        workflow(
            "waits",
            task(
                "wait",
                context -> {
                  awaitQuietly(isThere);
                  return context;
                }));
    var engine = Engine.open(options(), store, waits);
    var _ = engine.startAsync(waits, "a", Context.empty()).thenAccept(_ -> spin());
    isThere.countDown();

    close(engine);

    assertThat(engine.leftBehind()).hasSize(1);
  }

  @Test
  void a_blocked_listener_of_slow_moves() throws Exception {
    WorkflowDefinition slow =
        workflow(
            "slow",
            task(
                "slow",
                context -> {
                  sleep(100);
                  return context;
                }));
    var options = options().withMoveBudget(Duration.ofMillis(10)).withSlowMoves(_ -> spin());
    var engine = Engine.open(options, store, slow);
    var _ = engine.startAsync(slow, "a", Context.empty());

    close(engine);

    requireLeft(engine, "monitor");
  }

  @Test
  void a_blocked_listener_of_a_cancelled_scope() throws Exception {
    WorkflowDefinition scoped = workflow("scoped", scope("s", effect("wait")));
    var options =
        options()
            .withCancelListener("s", _ -> spin())
            .withHandler("wait", _ -> new CountDownLatch(1).await(1, TimeUnit.HOURS));
    var engine = Engine.open(options, store, scoped);
    engine.start(scoped, "a", Context.empty());
    engine.cancel("a", "s");

    close(engine);

    requireLeft(engine, "listener of scope s");
  }

  @Test
  void a_handler_whose_cancel_blocks() throws Exception {
    var called = new CountDownLatch(1);
    EffectHandler handler =
        new EffectHandler() {
          @Override
          public Object call(EffectCall call) throws InterruptedException {
            called.countDown();
            return new CountDownLatch(1).await(1, TimeUnit.HOURS);
          }

          @Override
          public void cancel(EffectCall call) {
            spin();
          }
        };
    WorkflowDefinition waiting = workflow("waiting", effect("wait"));
    var engine = Engine.open(options().withHandler("wait", handler), store, waiting);
    engine.start(waiting, "a", Context.empty());
    called.await();
    engine.cancel("a");

    close(engine);

    requireLeft(engine, "cancel wait", "case a");
  }

  @Test
  void a_function_that_spins_in_its_shard() throws Exception {
    WorkflowDefinition spinning =
        workflow(
            "spinning",
            task(
                "spin",
                context -> {
                  spin();
                  return context.with("late", true);
                }));
    var engine = Engine.open(options(), store, spinning);
    var _ = engine.startAsync(spinning, "a", Context.empty());

    close(engine);

    requireLeft(engine, "shard 0 in case a", "CloseTest.spin");
  }

  @Test
  void a_merge_function_that_spins() throws Exception {
    WorkflowDefinition merging =
        workflow(
            "merging",
            new Term.Par(
                List.of(
                    task("x", context -> context.with("k", 1)),
                    task("y", context -> context.with("k", 2))),
                new Merge.Custom(
                    "spins",
                    (_, base, _) -> {
                      spin();
                      return base;
                    })));
    var engine = Engine.open(options(), store, merging);
    var _ = engine.startAsync(merging, "a", Context.empty());

    close(engine);

    requireLeft(engine, "shard 0 in case a", "CloseTest.spin");
  }

  @Test
  void callers_of_a_shard_left_behind_are_refused() throws Exception {
    WorkflowDefinition waiting = workflow("waiting", effect("never"));
    WorkflowDefinition spinning =
        workflow(
            "spinning",
            task(
                "spin",
                context -> {
                  spin();
                  return context;
                }));
    var options =
        options().withHandler("never", _ -> new CountDownLatch(1).await(1, TimeUnit.HOURS));
    var engine = Engine.open(options, store, waiting, spinning);
    engine.start(waiting, "w", Context.empty());
    var end = engine.result("w").toCompletableFuture();
    var _ = engine.startAsync(spinning, "a", Context.empty());
    assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();
    var late = engine.startAsync(waiting, "later", Context.empty());

    close(engine);

    assertThat(late).failsWithin(Duration.ofSeconds(5));
    assertThatThrownBy(() -> end.get(5, TimeUnit.SECONDS)).hasMessageContaining("closed");
  }

  @Test
  void a_shard_left_behind_changes_nothing_when_its_function_returns() throws Exception {
    var returned = new CountDownLatch(1);
    WorkflowDefinition spinning =
        workflow(
            "spinning",
            effect("first"),
            task(
                "spin",
                context -> {
                  spin();
                  returned.countDown();
                  return context.with("late", true);
                }));
    var engine = Engine.open(options().withHandler("first", _ -> 1), store, spinning);
    var _ = engine.startAsync(spinning, "a", Context.empty());
    close(engine);
    var before = store.record("a").orElseThrow();

    mayReturn.set(true);
    returned.await();
    sleep(100);

    assertThat(store.record("a")).contains(before);
  }

  @Test
  void close_may_be_called_by_a_handler_and_by_a_listener() throws Exception {
    WorkflowDefinition effects = workflow("effects", effect("closes"));
    var opened = new CompletableFuture<Engine>();
    var isClosed = new CountDownLatch(2);
    var options =
        options()
            .withHandler(
                "closes",
                _ -> {
                  opened.get().close();
                  isClosed.countDown();
                  return 1;
                });
    var engine = Engine.open(options, store, effects);
    var _ = engine.startAsync(effects, "a", Context.empty());
    opened.complete(engine);
    var other = Engine.open(options(), new MemoryStore(), plain);
    var _ =
        other
            .start(plain, "a", Context.empty())
            .result()
            .thenAccept(_ -> {
              other.close();
              isClosed.countDown();
            });

    assertThat(isClosed.await(20, TimeUnit.SECONDS)).isTrue();
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
