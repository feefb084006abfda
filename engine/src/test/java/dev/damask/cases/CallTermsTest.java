package dev.damask.cases;

import static dev.damask.effect.EffectHandler.withCall;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseOptions;
import dev.damask.effect.EffectCall;
import dev.damask.store.MemoryStore;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the handler of a task sees besides its data: the key, the deadline, the cancel token and
/// the epoch.
@Timeout(60)
final class CallTermsTest {
  private final CompletableFuture<EffectCall> seen = new CompletableFuture<>();

  private @Nullable Object note(EffectCall call) {
    seen.complete(call);
    return null;
  }

  @Test
  void the_handler_of_a_task_sees_its_key_and_the_epoch_of_the_store() throws Exception {
    WorkflowDefinition flow = workflow("w", effect("a", withCall(this::note)));
    MemoryStore store = new MemoryStore();

    try (Engine engine = Engine.open(EngineOptions.defaults(), store, flow)) {
      Run<Context> run = engine.start(flow, "one", Context.of("n", 7));
      run.join();

      EffectCall call = seen.get();
      assertThat(call.key()).isEqualTo(run.receipts().getFirst().body().key());
      assertThat(call.caseId()).isEqualTo("one");
      assertThat(call.attempt()).isEqualTo(1);
      assertThat(call.context().get("n")).isEqualTo(7L);
      assertThat(call.epoch()).isEqualTo(store.epoch());
      assertThat(call.deadline()).isEmpty();
      assertThat(call.cancelToken().isCancelled()).isFalse();
    }
  }

  @Test
  void the_deadline_is_the_end_of_the_timeout() throws Exception {
    WorkflowDefinition flow =
        workflow("w", effect("a", withCall(this::note)).timeout(Duration.ofHours(1)));

    try (Engine engine = Engine.open(flow)) {
      Instant before = Instant.now().minusSeconds(1); // the shard reads its clock once per round
      engine.start(flow, "one", Context.empty()).join();

      assertThat(seen.get().deadline().orElseThrow())
          .isBetween(before.plus(Duration.ofHours(1)), Instant.now().plus(Duration.ofHours(1)));
    }
  }

  @Test
  void the_deadline_of_the_case_counts_if_it_is_earlier() throws Exception {
    WorkflowDefinition flow =
        workflow("w", effect("a", withCall(this::note)).timeout(Duration.ofHours(1)));

    try (Engine engine = Engine.open(flow)) {
      CaseOptions brief = CaseOptions.DEFAULT.withDeadline(Duration.ofMinutes(1));
      engine.start(flow, "one", Context.empty(), brief).join();

      assertThat(seen.get().deadline().orElseThrow())
          .isBefore(Instant.now().plus(Duration.ofMinutes(2)));
    }
  }

  @Test
  void the_token_is_cancelled_with_the_task() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    WorkflowDefinition flow =
        workflow(
            "w",
            effect(
                "a",
                withCall(call -> {
                  call.cancelToken().onCancel(reason -> cancelled.countDown());
                  begun.countDown();
                  assertThat(cancelled.await(30, TimeUnit.SECONDS)).isTrue();
                  return null;
                })));

    try (Engine engine = Engine.open(flow)) {
      Run<Context> run = engine.start(flow, "one", Context.empty());
      begun.await();
      run.cancel();

      assertThat(cancelled.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }
}
