package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.event.Reply;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A listener that throws, and a commit whose publication breaks: the callers of the commit and the
/// other listeners receive what they wait for.
@Timeout(20)
final class BrokenListenersTest {
  private static final WorkflowDefinition WAIT = workflow("wait", defer(on("go", skip())));

  /// More than the number of restarts after which a shard gives up.
  private static final int CASES = 120;

  private final List<Throwable> thrown =
      List.of(
          new AssertionError("made up"),
          new NoClassDefFoundError("made/Up"),
          new StackOverflowError(),
          new IllegalStateException("made up"),
          new Exception("made up"),
          new Throwable("made up"));
  private final AtomicInteger calls = new AtomicInteger();
  private final List<String> heard = new CopyOnWriteArrayList<>();

  private static EngineOptions options() {
    return EngineOptions.defaults()
        .withShards(1)
        .withTrace(TraceLevel.FULL)
        .withGrace(Duration.ofMillis(20));
  }

  private void fail() {
    raise(thrown.get(calls.getAndIncrement() % thrown.size()));
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void raise(Throwable e) throws T {
    throw (T) e;
  }

  private void requireAnswers(Consumer<Engine> first, Consumer<Engine> second) throws Exception {
    try (var engine = Engine.open(options(), new MemoryStore(), WAIT)) {
      first.accept(engine);
      second.accept(engine);
      for (int i = 0; i < CASES; i++) {
        String id = "case-" + i;
        engine.start(WAIT, id, Context.empty());
        assertThat(engine.signal(id, "go", Map.of()).kind()).isEqualTo(Reply.ACCEPTED);
        assertThat(engine.await(id)).isInstanceOf(CaseResult.Completed.class);
        assertThat(heard).contains(id);
      }
      assertThat(engine.statistics().shardRestarts()).isZero();
      assertThat(calls).hasValueGreaterThanOrEqualTo(CASES);
    }
  }

  @Test
  void whatever_a_listener_of_revisions_throws_stops_nothing() throws Exception {
    requireAnswers(
        engine -> engine.listen(_ -> fail()),
        engine -> engine.listen(event -> heard.add(event.caseId())));
  }

  @Test
  void whatever_a_listener_of_traces_throws_stops_nothing() throws Exception {
    requireAnswers(
        engine -> engine.subscribe((_, _) -> fail()),
        engine -> engine.subscribe((caseId, _) -> heard.add(caseId)));
  }

  @Test
  void memory_that_runs_out_in_a_listener_stops_the_engine_after_the_answer() {
    try (var engine = Engine.open(options(), new MemoryStore(), WAIT)) {
      engine.listen(_ -> raise(new OutOfMemoryError("made up")));

      engine.start(WAIT, "one", Context.empty()); // it is durable

      assertThatThrownBy(
              () -> {
                while (true) {
                  engine.signal("one", "go", Map.of());
                }
              })
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("out of memory in shard 0");
    }
  }

  /// The store asks for the epoch when a commit is made and when a handler is called.
  private static Store breaking(Store store, AtomicBoolean breaks) {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (_, method, arguments) -> {
              if (method.getName().equals("epoch") && isPublishing() && breaks.getAndSet(false)) {
                throw new AssertionError("made up");
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static boolean isPublishing() {
    return StackWalker.getInstance()
        .walk(all ->
            all.anyMatch(frame -> frame.getClassName().equals(CommitPublisher.class.getName())));
  }

  @Test
  void a_call_that_breaks_hinders_no_answer_and_is_made_after_the_restart() throws Exception {
    AtomicBoolean breaks = new AtomicBoolean(true);
    WorkflowDefinition charge = workflow("charge", effect("charge", _ -> Context.of("paid", true)));
    try (var engine = Engine.open(options(), breaking(new MemoryStore(), breaks), charge)) {
      engine.listen(event -> heard.add(event.caseId()));

      engine.start(charge, "one", Context.empty()); // answered, although the call broke

      assertThat(breaks).isFalse();
      assertThat(heard).contains("one");
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
      assertThat(engine.statistics().shardRestarts()).isOne();
    }
  }
}
