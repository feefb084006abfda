package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.effect.EffectRunner;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.store.MemoryStore;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// Who waits for an end hears of it, whatever else comes for the case in the same round.
final class AwaitTest {
  private final WorkflowDefinition waiting = workflow("waiting", defer(on("go", skip())));

  private ManualEngine open() {
    return ManualEngine.open(
        EngineOptions.defaults().withShards(1),
        new MemoryStore(),
        sink -> new EffectRunner(Duration.ZERO, _ -> 1, _ -> null, sink, _ -> {}),
        waiting);
  }

  private static void settle(ManualEngine engine) {
    while (engine.turn()) {
      // Rounds follow each other until nothing is left to do.
    }
  }

  private static Input.Signal go() {
    return new Input.Signal("go", Context.empty());
  }

  @Test
  void a_signal_that_is_too_late_does_not_hide_the_end_from_who_asks_behind_it() {
    ManualEngine engine = open();
    var _ = engine.start(waiting, "one", Context.empty(), CaseOptions.DEFAULT);
    var _ = engine.feed("one", go(), null);
    settle(engine);

    CompletableFuture<Reply> late = engine.feed("one", go(), null);
    CompletableFuture<CaseResult<Context>> end = engine.await("one");
    settle(engine);

    assertThat(late).isCompletedWithValue(Reply.CASE_ENDED);
    assertThat(end).isCompletedWithValue(new CaseResult.Completed<>(Context.empty()));
  }

  @Test
  void who_asks_before_the_signal_hears_of_the_end_it_brings() {
    ManualEngine engine = open();
    var _ = engine.start(waiting, "one", Context.empty(), CaseOptions.DEFAULT);
    settle(engine);

    CompletableFuture<CaseResult<Context>> end = engine.await("one");
    settle(engine);
    assertThat(end).isNotDone();
    var _ = engine.feed("one", go(), null);
    settle(engine);

    assertThat(end).isCompletedWithValue(new CaseResult.Completed<>(Context.empty()));
  }

  @Test
  void who_awaits_a_case_that_breaks_before_it_is_kept_hears_why() {
    WorkflowDefinition broken =
        workflow(
            "broken",
            task(
                "bad",
                _ -> {
                  throw new OutOfMemoryError("on purpose");
                }));
    ManualEngine engine = open();

    var started = engine.start(broken, "one", Context.empty(), CaseOptions.DEFAULT);
    CompletableFuture<CaseResult<Context>> end = engine.await("one");
    settle(engine);

    assertThat(started).isCompletedExceptionally();
    assertThat(end)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withMessageContaining("on purpose");
  }
}
