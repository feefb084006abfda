package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.clock.VirtualClock;
import dev.damask.event.Reply;
import dev.damask.event.StateView;
import dev.damask.history.History;
import dev.damask.history.HistoryPosition;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Keys of a waiting token that an operator writes.
@Timeout(30)
final class ChangeDataTest {
  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000_000);

  private EngineOptions options() {
    return EngineOptions.defaults().withShards(1).withClock(clock).withGrace(Duration.ZERO);
  }

  private static WorkflowDefinition order() {
    return workflow(
            "order",
            par(
                seq(effect("charge"), task("left", c -> c.with("left", c.get("price")))),
                take("go")),
            task("end", c -> c.with("end", c.get("price"))))
        .withPlaces(Place.external("go"));
  }

  private static int tokenAt(Engine engine, StateView.Activity activity) {
    return engine.status("one").tokens().stream()
        .filter(each -> each.activity() == activity)
        .mapToInt(StateView.Token::id)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void keys_of_one_waiting_token_are_written_and_history_repeats_it() throws Exception {
    try (Engine engine = Engine.open(options(), store, order())) {
      engine.start(order(), "one", Context.of("price", 10));
      int token = tokenAt(engine, StateView.Activity.EFFECT);

      var reply = engine.changeData("one", token, Map.of("price", 12), "a typing error");

      assertThat(reply.kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.WAITING);
      assertThat(engine.status("one").divided()).containsExactly("price");
      engine.completeTask("one", "charge", Map.of());
      engine.signal("one", "go", Map.of());
      CaseResult<Context> result = engine.await("one");
      assertThat(((CaseResult.Completed<Context>) result).result().get("left")).isEqualTo(12L);
      History history = engine.history("one");
      assertThat(history.positions().stream().map(HistoryPosition::text))
          .containsSubsequence("started", "data changed token " + token, "result charge");
      assertThat(history.replay()).isEmpty();
      assertThat(history.diff(1, 2).changes()).isNotEmpty();
      assertThat(history.fork(2).view().status()).isEqualTo(dev.damask.event.Status.WAITING);
    }
  }

  @Test
  void a_paused_case_is_changed_at_once_and_does_not_move() {
    try (Engine engine = Engine.open(options(), store, order())) {
      engine.start(order(), "one", Context.of("price", 10));
      int token = tokenAt(engine, StateView.Activity.AWAIT);
      engine.pause("one", "fix it");
      clock.advance(5_000);

      assertThat(engine.changeData("one", token, Map.of("price", 3), "fix").kind())
          .isEqualTo(Reply.ACCEPTED);

      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.PAUSED);
      assertThat(engine.status("one").places()).containsExactly("go");
      assertThat(engine.status("one").tokens())
          .anyMatch(
              each -> each.id() == token && Long.valueOf(3).equals(each.context().get("price")));
      engine.resume("one");
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.WAITING);
      assertThat(engine.history("one").replay()).isEmpty();
    }
  }

  @Test
  void a_token_that_does_not_wait_is_late_and_too_much_data_is_rejected() {
    try (Engine engine = Engine.open(options(), store, order())) {
      engine.start(order(), "one", Context.of("price", 10));

      assertThat(engine.changeData("one", 4711, Map.of("price", 3), "fix").kind())
          .isEqualTo(Reply.LATE);
      int token = tokenAt(engine, StateView.Activity.AWAIT);
      String large = "x".repeat(order().limits().contextBytes());
      assertThat(engine.changeData("one", token, Map.of("price", large), "fix").kind())
          .isEqualTo(Reply.REJECTED);
      assertThatThrownBy(() -> engine.changeData("one", token, Map.of("price", 1), ""))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(engine.history("one").replay()).isEmpty();
    }
  }
}
