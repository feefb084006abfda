package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.ifNotSent;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.check.Diagnostic;
import dev.damask.check.TermCheck;
import dev.damask.clock.VirtualClock;
import dev.damask.compile.Compiler;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectNotSent;
import dev.damask.effect.Receipt;
import dev.damask.program.Program;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.StoredProgram;
import dev.damask.task.Retry;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// An at-most-once effect is called once, and again only after its handler stated that nothing was
/// sent.
@Timeout(20)
final class AtMostOnceTest {
  private static final Retry AT_ONCE = new Retry(3, Duration.ZERO, 1, 0);

  private final MemoryStore store = new MemoryStore();
  private final List<EffectCall> calls = new CopyOnWriteArrayList<>();

  private static WorkflowDefinition paying(Retry retry) {
    return workflow("pay", effect("pay").atMostOnce().retry(retry));
  }

  private static EngineOptions options(EffectHandler handler) {
    return EngineOptions.defaults()
        .withShards(1)
        .withGrace(Duration.ofMillis(20))
        .withHandler("pay", handler);
  }

  private String reason(WorkflowDefinition flow, EffectHandler handler)
      throws InterruptedException {
    EffectHandler counted =
        call -> {
          calls.add(call);
          return handler.call(call);
        };
    try (var engine = Engine.open(options(counted), store, flow)) {
      CaseResult<Context> result = engine.start(flow, "one", Context.empty()).await();
      return result instanceof CaseResult.Failed(var error) ? error.reason() : result.toString();
    }
  }

  private List<Class<?>> kinds() {
    return store.receipts("one").stream()
        .<Class<?>>map(each -> each.body().result().getClass())
        .toList();
  }

  @Test
  void a_handler_that_throws_a_timeout_is_called_once() throws Exception {
    String reason =
        reason(
            paying(AT_ONCE.onNotSent()),
            _ -> {
              throw new SocketTimeoutException("read timed out");
            });

    assertThat(calls).hasSize(1);
    assertThat(reason).isEqualTo("unknown_outcome");
    assertThat(kinds()).containsExactly(Receipt.Result.Indeterminate.class);
  }

  @Test
  void a_handler_that_reports_the_reason_timeout_does_not_know_the_outcome() throws Exception {
    String reason =
        reason(
            paying(AT_ONCE.onNotSent()),
            _ -> {
              throw new EffectException("timeout");
            });

    assertThat(calls).hasSize(1);
    assertThat(reason).isEqualTo("unknown_outcome");
  }

  @Test
  void an_error_of_a_handler_fails_its_attempt_and_no_other_call() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    WorkflowDefinition flow = workflow("pay", effect("pay").atMostOnce());
    WorkflowDefinition other = workflow("other", effect("other"));
    var options =
        options(
                _ -> {
                  throw new OutOfMemoryError("made up");
                })
            .withHandler(
                "other",
                _ -> {
                  go.await();
                  return Map.of("done", true);
                });
    try (var engine = Engine.open(options, store, flow, other)) {
      var waiting = engine.start(other, "two", Context.empty());
      CaseResult<Context> result = engine.start(flow, "one", Context.empty()).await();
      go.countDown();

      assertThat(((CaseResult.Failed<Context>) result).error().reason())
          .isEqualTo("unknown_outcome");
      assertThat(waiting.await()).isEqualTo(new CaseResult.Completed<>(Context.of("done", true)));
    }
  }

  @Test
  void a_task_timeout_is_not_followed_by_another_call_also_after_a_delay() throws Exception {
    Retry later = new Retry(3, Duration.ofSeconds(10), 1, 0).onNotSent();
    Term.Task task = effect("pay").atMostOnce().retry(later).timeout(Duration.ofMinutes(1));
    WorkflowDefinition flow = workflow("pay", task);
    Semaphore called = new Semaphore(0);
    VirtualClock clock = new VirtualClock(0);
    EffectHandler hanging =
        call -> {
          calls.add(call);
          called.release();
          new CountDownLatch(1).await();
          return Map.of();
        };
    try (var engine = Engine.open(options(hanging).withClock(clock), store, flow)) {
      var run = engine.start(flow, "one", Context.empty());
      called.acquire();
      clock.advance(60_000);
      clock.advance(60_000);

      assertThat(((CaseResult.Failed<Context>) run.await()).error().reason())
          .isEqualTo("unknown_outcome");
      assertThat(calls).hasSize(1);
      assertThat(kinds()).containsExactly(Receipt.Result.Indeterminate.class);
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void what_the_handler_says_was_not_sent_is_tried_again() throws Exception {
    String reason =
        reason(
            paying(AT_ONCE.onNotSent()),
            call -> {
              if (call.attempt() < 3) {
                throw new EffectNotSent("connection refused");
              }
              return Map.of("paid", true);
            });

    assertThat(reason).contains("Completed").contains("paid");
    assertThat(calls).extracting(EffectCall::attempt).containsExactly(1, 2, 3);
    assertThat(calls).extracting(EffectCall::key).containsOnly(calls.getFirst().key());
    assertThat(kinds())
        .containsExactly(
            Receipt.Result.Failed.class, Receipt.Result.Failed.class, Receipt.Result.Ok.class);
  }

  @Test
  void what_was_never_sent_fails_with_that_reason_when_its_attempts_are_used_up() throws Exception {
    String reason =
        reason(
            paying(AT_ONCE.onNotSent()),
            _ -> {
              throw new EffectNotSent("connection refused");
            });

    assertThat(reason).isEqualTo("not_sent");
    assertThat(calls).hasSize(3);
  }

  @Test
  void a_failure_that_the_handler_knows_keeps_its_reason_and_is_not_retried() throws Exception {
    String reason =
        reason(
            paying(AT_ONCE.onNotSent()),
            _ -> {
              throw new EffectException("declined");
            });

    assertThat(reason).isEqualTo("declined");
    assertThat(calls).hasSize(1);
  }

  @Test
  void a_keyed_effect_can_also_be_retried_only_if_it_was_not_sent() throws Exception {
    WorkflowDefinition flow = workflow("pay", effect("pay").retry(AT_ONCE.onNotSent()));

    String reason =
        reason(
            flow,
            call -> {
              if (call.attempt() == 1) {
                throw new EffectNotSent("connection refused");
              }
              throw new IllegalStateException("broken");
            });

    assertThat(reason).isEqualTo("exception");
    assertThat(calls).hasSize(2);
  }

  @Test
  void any_other_retry_is_refused_and_the_message_says_what_to_write() {
    WorkflowDefinition flow = paying(AT_ONCE);

    assertThat(Engine.check(flow))
        .filteredOn(Diagnostic::isError)
        .extracting(Diagnostic::code)
        .containsExactly("AT_MOST_ONCE_RETRY");
    assertThat(Engine.check(paying(ifNotSent(3)))).noneMatch(Diagnostic::isError);
    assertThatThrownBy(() -> Engine.open(options(_ -> null), new MemoryStore(), flow))
        .hasMessageContaining("at-most-once effect with a retry")
        .hasMessageContaining("on: notSent");
  }

  @Test
  void a_stored_workflow_with_such_a_retry_continues_and_calls_once() throws Exception {
    WorkflowDefinition old = paying(AT_ONCE);
    Program program = Compiler.compile(old, TermCheck.check(old), Diagnostic::isErrorInStore);
    StoredProgram known = new StoredProgram(program.hash(), program.name(), Bytes.of());
    store.commit(CommitBatch.of(List.of(known))).join();

    String reason =
        reason(
            old,
            _ -> {
              throw new EffectException("busy");
            });

    assertThat(reason).isEqualTo("busy");
    assertThat(calls).hasSize(1);
  }
}
