package dev.damask.typed;

import static dev.damask.typed.Steps.approval;
import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.external;
import static dev.damask.typed.Steps.fail;
import static dev.damask.typed.Steps.otherwise;
import static dev.damask.typed.Steps.when;
import static dev.damask.typed.Steps.workflow;
import static dev.damask.typed.Steps.xor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.Run;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.Approval;
import dev.damask.effect.Approval.OnTimeout;
import dev.damask.event.Reply;
import dev.damask.store.MemoryStore;
import dev.damask.term.ExternalTask;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tasks that people and other programs complete, with typed results, and approvals.
@Timeout(30)
final class PeopleTest {
  record Order(String id, String manager) {}

  record Review(int stars, String text) {}

  private static final Key<Order> ORDER = Key.of(Order.class);
  private static final Key<String> ID = ORDER.get("id", Order::id);
  private static final Key<Review> REVIEW = Key.of("opinion", Review.class);
  private static final Key<ApprovalDecision> DECISION = Key.of("decision", ApprovalDecision.class);
  private static final Key<String> OUT = Key.of("out", String.class);
  private static final ExternalTask<Review> READ = ExternalTask.of("read", REVIEW);

  private static Workflow<Order, Review> reading() {
    return workflow("w", ORDER, REVIEW, external(READ, ORDER));
  }

  @Test
  void a_person_completes_an_external_task_with_a_typed_result() {
    try (Engine engine = Engine.open(reading())) {
      Run<Review> run = engine.start(reading(), "one", new Order("a", "eve"));

      assertThat(run.status().tasks().getFirst().with().toMap())
          .isEqualTo(Map.of("order", Map.of("id", "a", "manager", "eve")));
      assertThat(run.completeTask(READ, new Review(5, "fine")).kind()).isEqualTo(Reply.ACCEPTED);

      assertThat(run.join()).isEqualTo(new Review(5, "fine"));
    }
  }

  @Test
  void a_result_of_the_wrong_type_is_refused_with_its_path() {
    try (Engine engine = Engine.open(reading())) {
      Run<Review> run = engine.start(reading(), "one", new Order("a", "eve"));

      assertThatThrownBy(() ->
              run.completeTask("read", Map.of("opinion", Map.of("stars", "x", "text", "fine"))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(
              "case one: the result of task read: opinion.stars: an int is expected, found the"
                  + " string \"x\"");
      assertThatThrownBy(() -> run.completeTask("read", Map.of("other", 1)))
          .hasMessageContaining("opinion: missing; Review is expected");
      assertThat(run.status().tasks()).hasSize(1);
    }
  }

  @Test
  void a_registered_handler_may_perform_an_external_task() {
    EngineOptions options =
        EngineOptions.defaults()
            .withHandler(
                "read",
                call -> Context.of("opinion", Map.of("stars", 4, "text", call.effect().type())));
    try (Engine engine = Engine.open(options, new MemoryStore(), reading())) {
      assertThat(engine.start(reading(), "one", new Order("a", "eve")).join())
          .isEqualTo(new Review(4, "read"));
    }
  }

  @Test
  void a_view_as_input_and_another_result_key_are_refused() {
    assertThatThrownBy(() -> external(READ, ID))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "external read: the view 'order.id' has no entry to send; name the key that it reads");
    assertThatThrownBy(() -> external(READ, ORDER).as(Key.of("other", Review.class)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("external read: its result is written to 'opinion'");
    assertThatThrownBy(() -> ExternalTask.of("read", ORDER.get("review", o -> new Review(1, ""))))
        .hasMessageContaining(
            "external task read: the result is written to a key, not to the view");
    assertThatThrownBy(() -> workflow("w", REVIEW, external(READ, ORDER)))
        .hasMessageContaining("'read' reads 'order'")
        .hasMessageContaining("available here: [opinion]");
  }

  private static Workflow<Order, String> approved(OnTimeout action) {
    return workflow(
        "w",
        ORDER,
        OUT,
        approval(
                "release",
                ORDER,
                order ->
                    Approval.of("release " + order.id() + "?")
                        .withApprovers(order.manager())
                        .withWithin(Duration.ofDays(2), action))
            .as(DECISION),
        xor(
            when(
                "approved",
                DECISION,
                ApprovalDecision::approved,
                effect("ship", ORDER, DECISION, (o, d) -> o.id() + " by " + d.by()).as(OUT)),
            otherwise(fail("rejected"))));
  }

  @Test
  void an_approver_decides_and_no_other_answer_counts() throws Exception {
    Workflow<Order, String> flow = approved(OnTimeout.CANCEL);
    try (Engine engine = Engine.open(flow)) {
      Run<String> run = engine.start(flow, "one", new Order("a", "eve"));
      Run<String> other = engine.start(flow, "two", new Order("b", "adam"));

      assertThat(run.status().tasks().getFirst().with().get("question")).isEqualTo("release a?");
      assertThat(run.decide("release", true, "adam").kind()).isEqualTo(Reply.REJECTED);
      assertThat(run.completeTask("release", Map.of("approved", true, "by", "adam")).kind())
          .isEqualTo(Reply.REJECTED);
      assertThatThrownBy(() -> run.completeTask("release", Map.of("by", "eve")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(
              "the result of task release: approved: missing; Boolean is expected");
      assertThat(run.decide("release", true, "eve").kind()).isEqualTo(Reply.ACCEPTED);
      other.decide("release", false, "adam");

      assertThat(run.join()).isEqualTo("a by eve");
      assertThat(other.await().toString()).contains("rejected");
    }
  }

  @Test
  void without_a_decision_in_time_the_task_escalates() throws Exception {
    VirtualClock clock = new VirtualClock(1_000_000);
    EngineOptions options = EngineOptions.defaults().withClock(clock);
    Workflow<Order, String> flow = approved(OnTimeout.ESCALATE);
    try (Engine engine = Engine.open(options, new MemoryStore(), flow)) {
      Run<String> run = engine.start(flow, "one", new Order("a", "eve"));
      clock.advance(Duration.ofDays(2).toMillis());

      assertThat(run.await()).isInstanceOf(CaseResult.Failed.class);
      assertThat(run.await().toString()).contains("escalated", "no approver decided: release a?");
    }
  }

  @Test
  void the_default_decides_when_the_time_is_up_and_an_unread_decision_touches_no_key()
      throws Exception {
    VirtualClock clock = new VirtualClock(1_000_000);
    EngineOptions options = EngineOptions.defaults().withClock(clock);
    Approval asked = Approval.of("sure?").withDefault(Duration.ofHours(1), true);
    Workflow<Order, Context> flow =
        workflow("w", ORDER, approval("first", asked).as(DECISION), approval("second", asked));
    try (Engine engine = Engine.open(options, new MemoryStore(), flow)) {
      Run<Context> run = engine.start(flow, "one", new Order("a", "eve"));
      clock.advance(Duration.ofHours(1).toMillis());
      while (run.status().tasks().stream().noneMatch(each -> each.task().equals("second"))) {
        java.util.concurrent.locks.LockSupport.parkNanos(100_000);
      }
      clock.advance(Duration.ofHours(1).toMillis());

      Map<String, ?> end = run.join().toMap();
      assertThat(end.keySet())
          .isEqualTo(java.util.Set.of("order", "decision", "decision of second"));
      assertThat(end.get("decision")).isEqualTo(Map.of("approved", true, "by", "default"));
    }
  }

  @Test
  void the_payload_of_an_approval_reads_back_as_the_approval() throws Exception {
    for (Approval each :
        List.of(
            Approval.of("a?"),
            Approval.of("a?").withApprovers("eve", "adam"),
            Approval.of("a?").withWithin(Duration.ofMinutes(3), OnTimeout.ESCALATE),
            Approval.of("").withDefault(Duration.ofMillis(1500), false))) {
      assertThat(Approval.of(each.payload())).isEqualTo(each);
    }
  }
}
