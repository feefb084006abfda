package dev.damask.cases;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseOptions;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.Effects;
import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.event.Reply;
import dev.damask.event.Status;
import dev.damask.history.History;
import dev.damask.history.HistoryPolicy;
import dev.damask.history.HistoryPosition;
import dev.damask.history.HistoryPosition.Cause;
import dev.damask.history.JournalMode;
import dev.damask.history.PastState;
import dev.damask.history.StateDiff;
import dev.damask.store.MemoryStore;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// The journal of a case and the states between its commits.
final class HistoryTest {
  private final MemoryStore store = new MemoryStore();
  private final VirtualClock clock = new VirtualClock(1_000_000);

  private EngineOptions options() {
    return EngineOptions.defaults()
        .withShards(1)
        .withClock(clock)
        .withGrace(Duration.ZERO)
        .withHandler("echo", call -> Map.of("echo", String.valueOf(call.with().get("k"))));
  }

  private static WorkflowDefinition order() {
    return workflow(
            "order",
            par(effect("charge"), effect("reserve")),
            task("sum", context -> context.with("sum", 3)),
            defer(on("approved", effect("ship")), after(Duration.ofDays(2), skip())))
        .withPlaces(Place.external("approved"));
  }

  @Test
  void the_positions_of_a_case_have_a_time_and_a_cause_and_every_state_is_computed() {
    try (Engine engine = Engine.open(options(), store, order())) {
      var run = engine.start(order(), "o", Context.of("amount", 120));
      run.completeTask("charge", Map.of("payment", "p"));
      clock.advance(5_000);
      run.failTask("reserve", "no room");

      History history = engine.history("o");

      assertThat(history.revisions()).containsExactly(1L, 2L, 3L);
      assertThat(history.positions().stream().map(HistoryPosition::text))
          .containsExactly("started", "result charge", "failure reserve");
      assertThat(history.positions().getLast().atMillis()).isEqualTo(1_005_000);
      assertThat(history.at(1).effects().stream().map(each -> each.address().toString()))
          .containsExactly("charge#1", "reserve#1");
      assertThat(history.at(1).waits())
          .containsExactly("waits for task charge#1", "waits for task reserve#1");
      assertThat(history.at(2).view().context().toMap())
          .isEqualTo(Map.of("amount", 120L, "payment", "p"));
      assertThat(history.at(3).view().status()).isEqualTo(Status.FAILED);
      assertThat(history.replay()).isEmpty();
    }
  }

  private History history(String caseId, WorkflowDefinition... flows) {
    Programs programs = new Programs(store, EngineOptions.defaults());
    for (WorkflowDefinition flow : flows) {
      programs.register(flow);
    }
    return Views.history(store, store.record(caseId).orElseThrow(), programs, false);
  }

  private static WorkflowDefinition loop() {
    return workflow("w", repeat(100, take("go"))).withPlaces(Place.external("go"));
  }

  /// Sends signals that one commit takes.
  private void signals(WorkflowDefinition flow, int count) {
    ManualEngine engine = ManualEngine.open(options(), store, _ -> new Effects.None(), flow);
    var _ = engine.start(flow, "c", Context.of("n", 0), CaseOptions.DEFAULT);
    settle(engine);
    for (int i = 1; i <= count; i++) {
      var _ = engine.feed("c", new Input.Signal("go", Context.of("n", i)), null);
    }
    settle(engine);
  }

  private static void settle(ManualEngine engine) {
    while (engine.turn()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void several_inputs_of_one_commit_are_several_positions() {
    signals(loop(), 3);

    History history = history("c", loop());

    assertThat(history.newest()).isEqualTo(2);
    assertThat(history.positions().stream().map(HistoryPosition::isCommitted))
        .containsExactly(true, false, false, true);
    for (int n = 1; n <= 3; n++) {
      PastState state = history.at(n + 1);
      assertThat(state.divergence()).isEmpty();
      assertThat(state.view().context().get("n")).isEqualTo((long) n);
    }
    assertThat(history.diff(2, 3).changes())
        .contains(new StateDiff.Change("context n", 1L, 2L, "n"));
  }

  @Test
  void a_fork_shows_what_would_have_happened_and_changes_nothing() {
    signals(loop(), 3);
    History history = history("c", loop());

    PastState fork =
        history.fork(
            2,
            new Input.Signal("go", Context.of("n", 77)),
            new Input.Kill("case", false, "enough"));

    assertThat(fork.replies()).containsExactly(Reply.ACCEPTED, Reply.ACCEPTED);
    assertThat(history.fork(2, new Input.Signal("nowhere", Context.empty())).replies())
        .containsExactly(Reply.REJECTED);
    assertThat(fork.view().status()).isEqualTo(Status.CANCELLED);
    assertThat(fork.waits()).containsExactly("cancelled case: enough");
    assertThat(fork.position().number()).isEqualTo(2);
    assertThat(history("c", loop()).newest()).isEqualTo(2);
  }

  @Test
  void a_task_that_does_something_else_this_time_is_reported_with_its_place() {
    AtomicInteger calls = new AtomicInteger();
    WorkflowDefinition flow =
        workflow(
                "w",
                repeat(
                    100,
                    seq(take("go"), task("count", c -> c.with("calls", calls.incrementAndGet())))))
            .withPlaces(Place.external("go"));
    signals(flow, 3);
    History history = history("c", flow);

    assertThat(history.at(2).divergence())
        .hasValueSatisfying(divergence -> {
          assertThat(divergence.revision()).isEqualTo(2);
          assertThat(divergence.sentence()).contains("the state differs", "calls");
          assertThat(divergence.place()).isNotEmpty();
        });
    assertThat(history.replay()).isPresent();
  }

  @Test
  void results_of_effects_are_in_their_receipts_and_not_again_in_the_journal() {
    String large = "x".repeat(900);
    EngineOptions options =
        options().withHandler("big", _ -> Map.of("small", "s".repeat(200), "large", large));
    WorkflowDefinition flow =
        workflow("w", effect("big"), take("go")).withPlaces(Place.external("go"));
    try (Engine engine = Engine.open(options, store, flow)) {
      engine.start(flow, "c", Context.empty());
      while (engine.status("c").places().isEmpty()) {
        Thread.onSpinWait();
      }

      History history = engine.history("c");

      assertThat(store.journal("c", 2, 2).getFirst().bytes()).hasSizeLessThan(24);
      assertThat(history.positions().get(1).text()).isEqualTo("result big");
      assertThat(history.replay()).isEmpty();
    }
  }

  @Test
  void a_large_value_of_a_signal_is_stored_once_and_outlives_the_state_that_held_it() {
    String large = "y".repeat(5_000);
    WorkflowDefinition flow =
        workflow("w", take("go"), task("forget", c -> Context.of("n", 1)), take("go"))
            .withPlaces(Place.external("go"));
    EngineOptions last = options().withHistory(HistoryPolicy.LAST);
    try (Engine engine = Engine.open(last, store, flow)) {
      var run = engine.start(flow, "c", Context.empty());
      run.signal("go", Map.of("large", large));

      assertThat(store.journal("c", 2, 2).getFirst().bytes()).hasSizeLessThan(60);
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void inputs_of_every_kind_are_repeated() {
    WorkflowDefinition first = order();
    WorkflowDefinition second =
        workflow(
                "order",
                par(effect("pay"), effect("reserve")),
                task("sum", context -> context.with("sum", 3)),
                defer(on("approved", effect("ship")), after(Duration.ofDays(2), skip())))
            .withPlaces(Place.external("approved"));
    try (Engine engine = Engine.open(options(), store, first, second)) {
      var run = engine.start(first, "o", Context.of("amount", 1), CaseOptions.DEFAULT.withSeed(7));
      assertThat(engine.migrate("o", second, Mapping.NONE.task("charge", "pay")).toString())
          .contains("Moved");
      run.completeTask("pay", Map.of("payment", "p"));
      run.completeTask("reserve", Map.of("shelf", "s"));
      run.signal("approved", Map.of("by", "eve"), "m-1");
      run.cancelTask("ship");
      run.cancel("case", "no");

      History history = engine.history("o");

      assertThat(history.positions().stream().map(HistoryPosition::cause))
          .startsWith(Cause.STARTED, Cause.MIGRATED)
          .contains(Cause.RESULT, Cause.SIGNAL, Cause.TASK_CANCELLED);
      assertThat(history.replay()).isEmpty();
      for (HistoryPosition position : history.positions()) {
        assertThat(history.at(position.number()).divergence()).isEmpty();
      }
      assertThat(engine.verify()).isEmpty();
    }
  }

  @Test
  void without_a_journal_the_positions_are_the_commits() {
    EngineOptions none = options().withJournal(JournalMode.NONE);
    try (Engine engine = Engine.open(none, store, loop())) {
      var run = engine.start(loop(), "c", Context.empty());
      run.signal("go");
      run.signal("go");

      History history = engine.history("c");

      assertThat(history.positions().stream().map(HistoryPosition::cause))
          .containsExactly(Cause.COMMIT, Cause.COMMIT, Cause.COMMIT);
      assertThat(store.journal("c", 0, 99)).isEmpty();
    }
    try (Engine engine = Engine.open(options(), store.reopened(), loop())) {
      engine.signal("c", "go", Map.of());

      assertThat(engine.history("c").positions().stream().map(HistoryPosition::text))
          .containsExactly("commit", "commit", "commit", "signal go");
      assertThat(engine.verify()).isEmpty();
      assertThatThrownBy(() -> engine.history("c").at(9))
          .hasMessage("case c: there is no position 9; choose one from 1 to 4");
    }
  }

  @Test
  void an_input_costs_at_most_60_bytes_without_its_payload() {
    try (Engine engine = Engine.open(options(), store, order(), loop())) {
      var run = engine.start(order(), "order-000017", Context.empty());
      run.completeTask("charge", Map.of("payment", "p".repeat(100)));
      clock.advance(86_400_000);
      run.failTask("reserve", "no room");
      for (var part : store.journal("order-000017", 2, 99)) {
        int key = 1 + "order-000017".length() + 1 + Long.BYTES;
        assertThat(part.bytes().length + key).isLessThanOrEqualTo(60);
      }
    }
  }
}
