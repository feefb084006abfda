package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.store.MemoryStore;
import dev.damask.task.TaskFunction;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Handlers that throw what they should not, never return, or never wait: the others continue.
@Timeout(60)
final class HandlerFaultsTest {
  private final WorkflowDefinition bad = workflow("bad", effect("bad"));
  private final WorkflowDefinition good = workflow("good", effect("good"));
  private final MemoryStore store = new MemoryStore();

  /// Neither an exception nor an error.
  private static final class Odd extends Throwable {
    private static final long serialVersionUID = 1;
  }

  private static final class Unprintable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String toString() {
      throw new IllegalStateException("no text");
    }

    @Override
    public @Nullable String getMessage() {
      throw new IllegalStateException("no message");
    }
  }

  static Stream<Throwable> thrown() {
    return Stream.of(
        new OutOfMemoryError("heap"),
        new StackOverflowError(),
        new AssertionError("not so"),
        new NoClassDefFoundError("gone"),
        new Odd(),
        new Unprintable());
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  private static EngineOptions options(EffectHandler handler) {
    return EngineOptions.defaults()
        .withGrace(Duration.ofMillis(200))
        .withHandler("bad", handler)
        .withHandler("good", _ -> 1);
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void a_handler_may_throw_anything(Throwable thrown) throws Exception {
    EffectHandler throwing =
        _ -> {
          HandlerFaultsTest.<RuntimeException>sneak(thrown);
          return null;
        };
    try (var engine = Engine.open(options(throwing), store, bad, good)) {
      var failed = engine.start(bad, "bad-1", Context.empty()).await();
      var done = engine.start(good, "good-1", Context.empty()).await();

      assertThat(failed)
          .isInstanceOfSatisfying(
              CaseResult.Failed.class,
              it -> assertThat(it.error().reason()).isEqualTo("exception"));
      assertThat(failed.toString()).contains(thrown.getClass().getSimpleName());
      assertThat(done).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void an_error_while_cancelling_stops_no_other_call() throws Exception {
    var began = new CountDownLatch(1);
    EffectHandler stubborn =
        new EffectHandler() {
          @Override
          public @Nullable Object call(EffectCall call) throws Exception {
            began.countDown();
            new CountDownLatch(1).await();
            return null;
          }

          @Override
          public void cancel(EffectCall call) {
            throw new AssertionError("cannot cancel");
          }
        };
    try (var engine = Engine.open(options(stubborn), store, bad, good)) {
      engine.start(bad, "bad-1", Context.empty());
      began.await();
      engine.cancel("bad-1");

      var done = engine.start(good, "good-1", Context.empty()).await();

      assertThat(done).isInstanceOf(CaseResult.Completed.class);
    }
  }

  @Test
  void close_leaves_a_handler_behind_that_ignores_its_interrupt() throws Exception {
    var began = new CountDownLatch(1);
    var mayReturn = new AtomicBoolean();
    var returned = new CountDownLatch(1);
    EffectHandler deaf =
        _ -> {
          began.countDown();
          while (!mayReturn.get()) {
            try {
              Thread.sleep(5);
            } catch (InterruptedException e) {
              // ignores it, on purpose
            }
          }
          returned.countDown();
          return 2;
        };
    var engine = Engine.open(options(deaf), store, bad);
    engine.start(bad, "bad-1", Context.empty());
    began.await();

    long before = System.nanoTime();
    engine.close();
    Duration took = Duration.ofNanos(System.nanoTime() - before);

    assertThat(took).isLessThan(Duration.ofSeconds(10));
    assertThat(engine.leftBehind()).singleElement().asString().contains("bad", "case bad-1");
    mayReturn.set(true);
    returned.await();
    assertThat(store.receipts("bad-1")).isEmpty();
  }

  @Test
  void spinning_handlers_do_not_keep_others_from_running() throws Exception {
    int carriers = 2 * Runtime.getRuntime().availableProcessors() + 1;
    var mayReturn = new AtomicBoolean();
    var began = new CountDownLatch(Runtime.getRuntime().availableProcessors());
    EffectHandler spinning =
        _ -> {
          began.countDown();
          while (!mayReturn.get()) {
            Thread.onSpinWait();
          }
          return null;
        };
    try (var engine = Engine.open(options(spinning), store, bad, good)) {
      for (int i = 0; i < carriers; i++) {
        engine.startAsync(bad, "bad-" + i, Context.empty()).join();
      }
      began.await();

      var done = engine.start(good, "good-1", Context.empty()).await(Duration.ofSeconds(30));

      mayReturn.set(true);
      assertThat(done).containsInstanceOf(CaseResult.Completed.class);
    } finally {
      mayReturn.set(true);
    }
  }

  @Test
  void a_handler_declared_cpu_bound_runs_on_a_platform_thread() throws Exception {
    var isVirtual = new AtomicReference<Boolean>();
    var options =
        EngineOptions.defaults()
            .withCpuBoundHandler(
                "bad",
                _ -> {
                  isVirtual.set(Thread.currentThread().isVirtual());
                  return null;
                });
    try (var engine = Engine.open(options, store, bad)) {
      var done = engine.start(bad, "bad-1", Context.empty()).await();

      assertThat(done).isInstanceOf(CaseResult.Completed.class);
      assertThat(isVirtual.get()).isFalse();
    }
  }

  @Test
  void a_function_left_behind_does_not_keep_close_waiting() throws Exception {
    var began = new CountDownLatch(1);
    var mayReturn = new AtomicBoolean();
    WorkflowDefinition computing =
        workflow(
            "computing",
            task(
                "spin",
                TaskFunction.slow(context -> {
                  began.countDown();
                  while (!mayReturn.get()) {
                    Thread.onSpinWait();
                  }
                  return context;
                })));
    var engine = Engine.open(options(_ -> null), store, computing);
    engine.start(computing, "one", Context.empty());
    assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();

    engine.close();

    mayReturn.set(true);
    assertThat(engine.leftBehind()).singleElement().asString().contains("task spin");
  }
}
