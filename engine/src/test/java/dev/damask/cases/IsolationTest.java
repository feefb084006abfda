package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.otherwise;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.when;
import static dev.damask.term.Flow.workflow;
import static dev.damask.term.Flow.xor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.event.Reply;
import dev.damask.history.CaseObserver;
import dev.damask.ops.SlowMove;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What one case can do to the others of its shard: nothing, or it is reported.
@Timeout(20)
final class IsolationTest {
  private static final WorkflowDefinition WAIT = workflow("wait", defer(on("go", skip())));

  private final MemoryStore memory = new MemoryStore();

  /// The method of the store that breaks next, once; empty while none does.
  private final AtomicReference<String> breaks = new AtomicReference<>("");

  private final Store store =
      (Store)
          Proxy.newProxyInstance(
              Store.class.getClassLoader(),
              new Class<?>[] {Store.class},
              (_, method, arguments) -> {
                if (breaks.compareAndSet(method.getName(), "")) {
                  throw new AssertionError("made up in " + method.getName());
                }
                try {
                  return method.invoke(memory, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(1).withGrace(Duration.ofMillis(20));
  }

  private static void requireAlive(Engine engine, String caseId) throws InterruptedException {
    assertThat(engine.signal(caseId, "go", Map.of()).kind()).isEqualTo(Reply.ACCEPTED);
    assertThat(engine.await(caseId)).isInstanceOf(CaseResult.Completed.class);
  }

  /// Virtual threads never move cases themselves.
  private static <T> T onTheShard(Supplier<T> question) throws InterruptedException {
    AtomicReference<T> answer = new AtomicReference<>();
    Thread.ofVirtual().start(() -> answer.set(question.get())).join();
    return Objects.requireNonNull(answer.get());
  }

  @Test
  void a_move_that_takes_too_long_is_reported_while_it_lasts() throws Exception {
    CountDownLatch noticed = new CountDownLatch(1);
    List<SlowMove> moves = new CopyOnWriteArrayList<>();
    WorkflowDefinition sleepy =
        workflow(
            "sleepy",
            task("first", c -> c.with("n", 1)),
            task(
                "sleep",
                c -> {
                  try {
                    noticed.await();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                  return c;
                }));
    var options =
        options()
            .withMoveBudget(Duration.ofMillis(20))
            .withSlowMoves(move -> {
              moves.add(move);
              noticed.countDown();
            });
    try (var engine = Engine.open(options, store, sleepy)) {
      engine.start(sleepy, "one", Context.empty()).await();

      assertThat(moves).hasSize(1);
      SlowMove move = moves.getFirst();
      assertThat(move.caseId()).isEqualTo("one");
      assertThat(move.task()).isEqualTo("sleep");
      assertThat(move.time()).isGreaterThanOrEqualTo(Duration.ofMillis(20));
      assertThat(move.stack()).anyMatch(line -> line.contains("IsolationTest"));
      assertThat(engine.statistics().slowMoves()).isOne();
    }
  }

  @Test
  void a_move_that_has_called_no_task_is_reported_after_ten_budgets() throws Exception {
    CountDownLatch noticed = new CountDownLatch(1);
    List<SlowMove> moves = new CopyOnWriteArrayList<>();
    WorkflowDefinition slow =
        workflow(
            "slow",
            xor(
                when(
                    _ -> {
                      try {
                        return noticed.await(1, TimeUnit.MINUTES);
                      } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                      }
                    },
                    task("after", c -> c)),
                otherwise(task("never", c -> c))));
    var options =
        options()
            .withMoveBudget(Duration.ofMillis(10))
            .withSlowMoves(move -> {
              moves.add(move);
              noticed.countDown();
            });
    try (var engine = Engine.open(options, store, slow)) {
      engine.start(slow, "one", Context.empty()).await();

      assertThat(moves.getFirst().task()).isEmpty();
      assertThat(moves.getFirst().time()).isGreaterThanOrEqualTo(Duration.ofMillis(100));
    }
  }

  @Test
  void an_error_of_a_listener_stops_nothing() throws Exception {
    var options =
        options()
            .withListener(_ -> {
              throw new AssertionError("made up");
            });
    try (var engine = Engine.open(options, store, WAIT)) {
      engine.start(WAIT, "one", Context.empty());

      requireAlive(engine, "one");
    }
  }

  @Test
  void a_case_that_cannot_be_encoded_is_quarantined_alone() throws Exception {
    try (var engine = Engine.open(options(), store, WAIT)) {
      engine.start(WAIT, "bad", Context.empty());
      engine.start(WAIT, "good", Context.empty());
      breaks.set("epoch"); // asked for while the next commit is made

      assertThatThrownBy(() -> engine.signalAsync("bad", "go", Map.of()).join())
          .hasMessageContaining("quarantined");
      assertThat(engine.status("bad").status()).isEqualTo(CaseStatus.QUARANTINED);
      assertThat(engine.status("bad").report().getFirst()).contains("made up in epoch");
      requireAlive(engine, "good");
      assertThat(engine.statistics().shardRestarts()).isZero();
    }
  }

  @Test
  void a_case_that_cannot_be_read_is_refused_alone() throws Exception {
    try (var engine = Engine.open(options().withResidentMax(1), store, WAIT)) {
      engine.start(WAIT, "bad", Context.empty());
      engine.start(WAIT, "good", Context.empty());
      engine.start(WAIT, "third", Context.empty());
      breaks.set("load");

      CaseView view = onTheShard(() -> engine.status("bad"));

      assertThat(view.status()).isEqualTo(CaseStatus.CORRUPT);
      assertThat(view.report().getFirst()).contains("made up in load");
      requireAlive(engine, "good");
      requireAlive(engine, "bad");
      assertThat(engine.list(CaseQuery.ALL).cases())
          .extracting(CaseRecord::status)
          .doesNotContain(CaseStatus.CORRUPT);
    }
  }

  @Test
  void a_broken_shard_is_restarted_and_the_case_at_work_quarantined() throws Exception {
    AtomicReference<String> victim = new AtomicReference<>("");
    var options = options().withWatch(new Breaking(victim));
    try (var engine = Engine.open(options, store, WAIT)) {
      engine.start(WAIT, "bad", Context.empty());
      engine.start(WAIT, "good", Context.empty());
      victim.set("bad");

      assertThatThrownBy(() -> engine.signalAsync("bad", "go", Map.of()).join())
          .hasMessageContaining("the shard was restarted");
      assertThat(engine.status("bad").status()).isEqualTo(CaseStatus.QUARANTINED);
      requireAlive(engine, "good");
      assertThat(engine.statistics().shardRestarts()).isOne();
      assertThat(engine.retry("bad").isAccepted()).isTrue();
      requireAlive(engine, "bad");
      assertThat(engine.verify()).isEmpty();
    }
  }

  /// Throws an error once, outside of every move, when a case is committed.
  private record Breaking(AtomicReference<String> victim) implements CaseObserver {
    @Override
    public void committed(String caseId, long revision) {
      if (victim.compareAndSet(caseId, "")) {
        throw new AssertionError("made up");
      }
    }
  }
}
