package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseOrigin;
import dev.damask.caller.CaseResult;
import dev.damask.caller.StartReply;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.Receipt;
import dev.damask.history.JournalMode;
import dev.damask.store.MemoryStore;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Cases that are started again, with the same input or from a position, and cases that are
/// deleted.
@Timeout(30)
final class StartAgainTest {
  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000_000);
  private final List<String> calls = new CopyOnWriteArrayList<>();

  private EngineOptions options() {
    return EngineOptions.defaults().withShards(2).withClock(clock).withGrace(Duration.ZERO);
  }

  private WorkflowDefinition order() {
    return workflow(
            "order",
            effect("charge", EffectHandler.withCall(this::called)),
            take("go"),
            effect("ship", EffectHandler.withCall(this::called)),
            task("end", c -> c.with("end", true)))
        .withPlaces(Place.external("go"));
  }

  private Object called(EffectCall call) {
    calls.add(call.caseId() + " " + call.task());
    return Map.of(call.task(), calls.size());
  }

  private void finished(Engine engine) throws InterruptedException {
    engine.start(order(), "one", Context.of("price", 10));
    while (engine.status("one").places().isEmpty()) {
      LockSupport.parkNanos(100_000);
    }
    clock.advance(1_000);
    engine.signal("one", "go", Map.of());
    engine.await("one");
  }

  @Test
  void a_case_is_started_again_with_the_same_input() throws Exception {
    try (Engine engine = Engine.open(options(), store, order())) {
      finished(engine);

      assertThat(engine.startAgain("one", "two").kind()).isEqualTo(StartReply.Kind.STARTED);

      engine.signal("two", "go", Map.of());
      CaseResult<Context> result = engine.await("two");
      assertThat(((CaseResult.Completed<Context>) result).result().get("price")).isEqualTo(10L);
      assertThat(calls).containsExactly("one charge", "one ship", "two charge", "two ship");
    }
  }

  @Test
  void from_a_position_the_receipts_before_it_are_kept_and_open_tasks_are_called_with_new_keys()
      throws Exception {
    try (Engine engine = Engine.open(options(), store, order())) {
      finished(engine);
      long signalled =
          engine.history("one").positions().stream()
              .filter(each -> each.text().equals("signal go"))
              .findFirst()
              .orElseThrow()
              .number();

      assertThat(engine.startAgain("one", "two", signalled).kind())
          .isEqualTo(StartReply.Kind.STARTED);

      CaseResult<Context> result = engine.await("two");
      assertThat(((CaseResult.Completed<Context>) result).result().get("end")).isEqualTo(true);
      assertThat(calls).containsExactly("one charge", "one ship", "two ship");
      List<Receipt> old = engine.receipts("one");
      List<Receipt> copied = engine.receipts("two");
      assertThat(copied).hasSize(2);
      assertThat(copied.getFirst()).isEqualTo(old.getFirst());
      assertThat(copied.getLast().body().effect().key())
          .startsWith("two:")
          .isNotEqualTo(old.getLast().body().effect().key());
      assertThat(engine.status("two").origin()).contains(new CaseOrigin("one", signalled));
      assertThat(engine.startAgain("one", "two", signalled).kind())
          .isEqualTo(StartReply.Kind.EXISTING);
      assertThatThrownBy(() -> engine.startAgain("one", "two", 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("case two exists; start the copy under another id");
      assertThat(engine.history("two").replay()).isEmpty();
      assertThat(engine.verify()).isEmpty();
    }
    try (Engine engine = Engine.open(options(), store.reopened(), order())) {
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void the_first_position_begins_the_first_task_again() throws Exception {
    try (Engine engine = Engine.open(options(), store, order())) {
      finished(engine);

      engine.startAgain("one", "two", 1);
      engine.signal("two", "go", Map.of());

      engine.await("two");
      assertThat(calls).containsExactly("one charge", "one ship", "two charge", "two ship");
      long last = engine.history("one").positions().size();
      assertThatThrownBy(() -> engine.startAgain("one", "three", last))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("it had ended at position " + last);
    }
  }

  @Test
  void without_a_journal_the_input_is_not_known() throws Exception {
    EngineOptions silent = options().withJournal(JournalMode.NONE);
    try (Engine engine = Engine.open(silent, store, order())) {
      finished(engine);

      assertThatThrownBy(() -> engine.startAgain("one", "two"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("case one: its input was not kept; start a case with the input instead");
    }
  }

  @Test
  void only_a_case_that_has_ended_is_deleted() throws Exception {
    try (Engine engine = Engine.open(options(), store, order())) {
      engine.start(order(), "one", Context.empty());
      engine.pause("one", "stop");
      engine.signal("one", "go", Map.of());

      assertThat(engine.delete("one")).isFalse();
      engine.resume("one");
      engine.await("one");
      assertThat(engine.delete("one")).isTrue();

      assertThat(store.record("one")).isEmpty();
      assertThat(engine.delete("one")).isFalse();
    }
  }
}
