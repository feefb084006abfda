package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.kill;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.caller.PendingTask;
import dev.damask.effect.EffectCall;
import dev.damask.event.Reply;
import dev.damask.store.MemoryStore;
import dev.damask.task.EffectId;
import dev.damask.term.ScopeOptions;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A crash in the middle of the undoing: what was undone stays undone, the rest follows in order.
final class UndoCrashTest {
  private final MemoryStore store = new MemoryStore();
  private final List<String> done = new CopyOnWriteArrayList<>();
  private final Semaphore reached = new Semaphore(0);
  private final CountDownLatch never = new CountDownLatch(1);

  private static WorkflowDefinition flow() {
    return workflow(
        "booking",
        effect("a").undo(effect("undo a")),
        effect("b").undo(effect("undo b")),
        effect("c").undo(effect("undo c")),
        fail("sold out"));
  }

  private EngineOptions options(String hangingAt) {
    EngineOptions options = EngineOptions.defaults().withShards(1).withGrace(Duration.ofMillis(20));
    for (String type : List.of("a", "b", "c", "undo a", "undo b", "undo c")) {
      options = options.withHandler(type, call -> perform(call, hangingAt));
    }
    return options;
  }

  private Object perform(EffectCall call, String hangingAt) throws InterruptedException {
    if (call.type().equals(hangingAt)) {
      reached.release();
      never.await();
    }
    done.add(call.type());
    return Map.of();
  }

  @ParameterizedTest
  @ValueSource(strings = {"undo c", "undo b", "undo a"})
  void undoing_goes_on_where_the_crash_left_it(String crashAt) throws Exception {
    var flow = flow();
    var crashed = Engine.open(options(crashAt), store, flow);
    crashed.start(flow, "one", Context.empty());
    reached.acquire();

    try (var engine = Engine.open(options("nowhere"), store.reopened(), flow)) {
      assertThat(engine.await("one"))
          .isInstanceOfSatisfying(
              CaseResult.Failed.class,
              failed -> assertThat(failed.error().reason()).isEqualTo("sold out"));
      assertThat(done).containsExactly("a", "b", "c", "undo c", "undo b", "undo a");
      assertThat(engine.verify()).isEmpty();
      crashed.close();
    }
  }

  @Test
  void undoing_that_is_cancelled_and_taken_up_by_the_scope_around_it_gets_its_result() {
    var flow =
        workflow(
            "nested",
            scope(
                "outer",
                ScopeOptions.undoing(),
                par(
                    scope(
                        "inner",
                        ScopeOptions.undoing(),
                        effect("a").undo(effect("undo a")),
                        effect("b")),
                    seq(effect("the last word"), kill("outer")))));
    try (var engine = Engine.open(EngineOptions.defaults().withShards(1), store, flow)) {
      engine.start(flow, "one", Context.empty());
      engine.completeTask("one", pending(engine, "a"), Map.of());
      engine.cancel("one", "inner");
      EffectId undoing = pending(engine, "undo a");

      engine.completeTask("one", pending(engine, "the last word"), Map.of());

      assertThat(pending(engine, "undo a")).isEqualTo(undoing);
      assertThat(engine.completeTask("one", undoing, Map.of()).kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.status("one").status().isEnded()).isTrue();
      assertThat(engine.verify()).isEmpty();
    }
  }

  private static EffectId pending(Engine engine, String task) {
    return engine.status("one").tasks().stream()
        .filter(each -> each.task().equals(task))
        .map(PendingTask::id)
        .findFirst()
        .orElseThrow();
  }
}
