package dev.damask.cases;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.clock.VirtualClock;
import dev.damask.ops.CaseEvent;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Callers that wait for their answer move cases themselves when the shard is idle. Each test is a
/// sequence that goes wrong without one of the conditions of a caller's turn.
@Timeout(60)
final class CallerTurnTest extends CallerThreads {
  private final Map<String, Integer> reads = new ConcurrentHashMap<>();

  /// Completed by the test; commits wait for it. Null while commits are durable at once.
  private volatile @Nullable CompletableFuture<Void> disk;

  private final Store store =
      (Store)
          Proxy.newProxyInstance(
              Store.class.getClassLoader(),
              new Class<?>[] {Store.class},
              (_, method, arguments) -> {
                reads.merge(method.getName(), 1, Integer::sum);
                CompletableFuture<Void> slow = disk;
                if (slow != null && method.getName().startsWith("commit")) {
                  CommitBatch batch = (CommitBatch) arguments[0];
                  return slow.thenCompose(_ -> memory.commit(batch));
                }
                try {
                  return method.invoke(memory, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });

  @Override
  Store store() {
    return store;
  }

  /// Waits until a thread waits for something, or has ended.
  private static void awaitParked(Thread thread) {
    while (thread.isAlive()
        && thread.getState() != Thread.State.WAITING
        && thread.getState() != Thread.State.TIMED_WAITING) {
      LockSupport.parkNanos(100_000);
    }
  }

  @Test
  void a_caller_that_waits_moves_its_case_itself() throws Exception {
    try (Engine engine = open(options(), noting(), waiting())) {
      engine.start(noting(), "one", named("one")).await();
      engine.start(waiting(), "two", Context.empty());
      engine.signal("two", "go", Map.of());

      assertThat(threads).containsEntry("one", here()).containsEntry("go", here());
    }
  }

  @Test
  void the_async_forms_always_enqueue() throws Exception {
    try (Engine engine = open(options(), noting(), waiting())) {
      engine.startAsync(noting(), "one", named("one")).join();
      engine.start(waiting(), "two", Context.empty());
      engine.signalAsync("two", "go", Map.of()).join();

      assertThat(threads.get("one")).contains(SHARD);
      assertThat(threads.get("go")).contains(SHARD);
    }
  }

  @Test
  void a_virtual_thread_enqueues() throws Exception {
    try (Engine engine = open(options(), noting())) {
      Thread.ofVirtual().start(() -> engine.start(noting(), "one", named("one"))).join();

      assertThat(threads.get("one")).contains(SHARD);
    }
  }

  @Test
  void a_thread_inside_a_machine_call_enqueues() throws Exception {
    AtomicReference<@Nullable Engine> other = new AtomicReference<>();
    WorkflowDefinition outer =
        workflow(
            "outer",
            task(
                "calls",
                c -> {
                  Objects.requireNonNull(other.get()).start(noting(), "inner", named("inner"));
                  return c;
                }));
    try (Engine inner = Engine.open(options(), new MemoryStore(), noting());
        Engine engine = open(options(), outer, noting())) {
      other.set(inner);
      engine.start(outer, "one", Context.empty()).await();

      assertThat(threads.get("inner")).contains(SHARD);
    }
  }

  @Test
  void a_listener_on_the_thread_of_a_caller_enqueues() throws Exception {
    AtomicReference<@Nullable Engine> other = new AtomicReference<>();
    EngineOptions listening =
        options()
            .withListener(event -> {
              if (event.caseId().equals("one")) {
                Objects.requireNonNull(other.get()).start(noting(), "inner", named("inner"));
              }
            });
    try (Engine inner = Engine.open(options(), new MemoryStore(), noting());
        Engine engine = open(listening, noting())) {
      other.set(inner);
      engine.start(noting(), "one", named("one"));

      assertThat(threads).containsEntry("one", here());
      assertThat(threads.get("inner")).contains(SHARD);
    }
  }

  @Test
  void a_caller_does_not_overtake_its_own_queued_input() throws Exception {
    List<String> order = new CopyOnWriteArrayList<>();
    WorkflowDefinition flow =
        workflow("both", repeat(100, defer(on("go", task("t", c -> noteWhich(order, c))))));
    try (Engine engine = open(options(), flow, noting())) {
      engine.start(flow, "one", Context.empty());
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        String which = Integer.toString(i);
        expected.add(which);
        if (i % 2 == 0) {
          var _ = engine.signalAsync("one", "go", Map.of("which", which));
        } else {
          engine.signal("one", "go", Map.of("which", which));
        }
      }

      assertThat(order).containsExactlyElementsOf(expected);
    }
  }

  private static Context noteWhich(List<String> order, Context context) {
    order.add(Objects.toString(context.get("which")));
    return context;
  }

  @Test
  void a_caller_enqueues_while_another_thread_moves_a_case() throws Exception {
    CountDownLatch moving = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    WorkflowDefinition slow =
        workflow(
            "slow",
            task(
                "s",
                c -> {
                  moving.countDown();
                  await(free);
                  return c;
                }));
    try (Engine engine = open(options(), slow, noting())) {
      Thread first = start(() -> engine.start(slow, "slow", Context.empty()));
      await(moving);
      Thread second = start(() -> engine.start(noting(), "one", named("one")));
      awaitParked(second);
      free.countDown();
      first.join();
      second.join();

      assertThat(threads.get("one")).contains(SHARD);
    }
  }

  @Test
  void a_caller_enqueues_while_a_commit_is_in_flight() throws Exception {
    try (Engine engine = open(options(), noting())) {
      CompletableFuture<Void> synced = new CompletableFuture<>();
      disk = synced;
      Thread first = start(() -> engine.start(noting(), "one", named("one")));
      awaitParked(first);
      Thread second = start(() -> engine.start(noting(), "two", named("two")));
      awaitParked(second);
      disk = null;
      synced.complete(null);
      first.join();
      second.join();

      assertThat(threads.get("one")).doesNotContain(SHARD);
      assertThat(threads.get("two")).contains(SHARD);
    }
  }

  @Test
  void a_caller_enqueues_while_a_timer_is_due() throws Exception {
    VirtualClock clock = new VirtualClock(0);
    CountDownLatch free = new CountDownLatch(1);
    WorkflowDefinition timed =
        workflow(
            "timed",
            defer(
                after(
                    Duration.ofSeconds(1),
                    task(
                        "late",
                        c -> {
                          await(free);
                          return note("late", c);
                        }))));
    try (Engine engine = open(options().withClock(clock), timed, noting())) {
      engine.start(timed, "timed", Context.empty());
      clock.moveTo(2_000);
      Thread caller = start(() -> engine.start(noting(), "one", named("one")));
      awaitParked(caller);
      free.countDown();
      caller.join();
      engine.await("timed");

      assertThat(threads.get("late")).contains(SHARD);
      assertThat(threads.get("one")).contains(SHARD);
    }
  }

  @Test
  void a_timer_that_a_caller_sets_fires() throws Exception {
    WorkflowDefinition timed =
        workflow("timed", defer(after(Duration.ofMillis(20), task("late", c -> note("late", c)))));
    try (Engine engine = open(options(), timed, noting())) {
      engine.start(timed, "one", Context.empty());

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(threads.get("late")).contains(SHARD);
    }
  }

  @Test
  void a_case_that_a_caller_leaves_unfinished_goes_on() throws Exception {
    AtomicInteger rounds = new AtomicInteger();
    WorkflowDefinition longer =
        workflow(
            "longer",
            repeat(
                200_000,
                task(
                    "t",
                    c -> {
                      rounds.incrementAndGet();
                      return c;
                    })));
    try (Engine engine = open(options(), longer, noting())) {
      engine.start(longer, "one", Context.empty());
      assertThat(rounds.get()).isLessThan(200_000);

      engine.await("one");
      assertThat(rounds).hasValue(200_000);
    }
  }

  @Test
  void a_commit_that_a_caller_leaves_in_flight_is_published() throws Exception {
    try (Engine engine = open(options(), noting())) {
      CompletableFuture<Void> synced = new CompletableFuture<>();
      disk = synced;
      Thread caller = start(() -> engine.start(noting(), "one", named("one")));
      awaitParked(caller);
      assertThat(caller.isAlive()).isTrue();
      disk = null;
      synced.complete(null);
      caller.join();

      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void an_interrupt_of_the_caller_is_not_seen_by_a_task_and_is_kept() throws Exception {
    AtomicBoolean seen = new AtomicBoolean();
    WorkflowDefinition looks =
        workflow(
            "looks",
            task(
                "t",
                c -> {
                  seen.set(Thread.currentThread().isInterrupted());
                  return note("t", c);
                }));
    try (Engine engine = open(options(), looks, noting())) {
      Thread.currentThread().interrupt();
      engine.start(looks, "one", Context.empty());

      assertThat(Thread.interrupted()).isTrue();
      assertThat(seen).isFalse();
      assertThat(threads).containsEntry("t", here());
    }
  }

  /// The caller that started the case is held up before it publishes the call. Another caller
  /// cancels the case meanwhile.
  @Test
  void no_call_starts_after_its_cancellation_is_acknowledged() throws Exception {
    CountDownLatch published = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    AtomicBoolean isCancelled = new AtomicBoolean();
    AtomicBoolean startedLate = new AtomicBoolean();
    Consumer<CaseEvent> holding =
        event -> {
          if (event.caseId().equals("one") && event.revision() == 1) {
            published.countDown();
            await(free);
          }
        };
    EngineOptions held =
        options()
            .withListener(holding)
            .withHandler(
                "ask",
                _ -> {
                  startedLate.compareAndSet(false, isCancelled.get());
                  return null;
                });
    WorkflowDefinition asking = workflow("asking", effect("ask"));
    try (Engine engine = open(held, asking, noting())) {
      Thread starter = start(() -> engine.start(asking, "one", Context.empty()));
      await(published);
      Thread canceller =
          start(() -> {
            engine.cancel("one");
            isCancelled.set(true);
          });
      awaitParked(canceller);
      free.countDown();
      starter.join();
      canceller.join();
      engine.await("one");
    }

    assertThat(startedLate).isFalse();
  }

  @Test
  void await_after_the_end_does_not_read_the_case_back() throws Exception {
    try (Engine engine = open(options(), noting(), waiting())) {
      Run<Context> one = engine.start(noting(), "one", named("one"));
      engine.start(waiting(), "two", Context.empty());
      engine.signal("two", "go", Map.of());
      reads.clear();

      assertThat(one.await()).isEqualTo(new CaseResult.Completed<>(named("one")));
      assertThat(engine.await("two", Duration.ofSeconds(1))).isPresent();
      assertThat(reads).isEmpty();
    }
  }

  @Test
  void await_before_the_end_is_answered_by_the_commit_that_ends_the_case() throws Exception {
    try (Engine engine = open(options(), waiting(), noting())) {
      engine.start(waiting(), "one", Context.empty());
      AtomicReference<@Nullable CaseResult<Context>> result = new AtomicReference<>();
      Thread waiter =
          start(() -> {
            try {
              result.set(engine.await("one"));
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
      awaitParked(waiter);
      reads.clear();
      engine.signal("one", "go", Map.of());
      waiter.join();

      assertThat(result.get()).isInstanceOf(CaseResult.Completed.class);
      assertThat(reads).doesNotContainKeys("load", "record");
    }
  }
}
