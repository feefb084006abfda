package dev.damask.cases;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.event.Failure;
import dev.damask.event.Reply;
import dev.damask.event.StateView;
import dev.damask.store.CaseStatus;
import dev.damask.store.MemoryStore;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Addresses of executions such as `A[2]#1`, and late failures, in an engine's views.
@Timeout(30)
final class TaskAddressesTest {
  private final MemoryStore store = new MemoryStore();

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(1).withGrace(Duration.ofMillis(20));
  }

  private static List<String> addresses(Engine engine) {
    return engine.status("one").tasks().stream().map(task -> task.address().toString()).toList();
  }

  @Test
  void an_execution_is_answered_by_its_address_also_after_a_restart() throws Exception {
    WorkflowDefinition flow = workflow("rounds", repeat(2, par(effect("A"), effect("B"))));
    try (var engine = Engine.open(options(), store, flow)) {
      engine.start(flow, "one", Context.empty());
      assertThat(addresses(engine)).containsExactly("A#1", "B#1");
      assertThat(engine.completeTask("one", "A#2", Map.of()).kind()).isEqualTo(Reply.LATE);
      assertThat(engine.completeTask("one", "A#1", Map.of()).kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.completeTask("one", "B", Map.of()).kind()).isEqualTo(Reply.ACCEPTED);
    }
    try (var engine = Engine.open(options(), store.reopened(), flow)) {
      assertThat(addresses(engine)).containsExactly("A#2", "B#2");
      assertThat(engine.state("one").tokens())
          .extracting(StateView.Token::task)
          .containsExactly("A#2", "B#2");
      CaseReply late = engine.completeTask("one", "A#1", Map.of());
      assertThat(late).isEqualTo(new CaseReply(Reply.LATE, engine.status("one").revision()));
      assertThat(engine.complete("one", "A#2").kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.failTask("one", "B#2", "broken").kind()).isEqualTo(Reply.ACCEPTED);
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Failed.class);
    }
  }

  @Test
  void executions_in_instances_are_numbered_per_instance() {
    WorkflowDefinition flow =
        workflow("set", repeat(2, instances("m", InstancePolicy.fixed(2), effect("A"))));
    try (var engine = Engine.open(options(), store, flow)) {
      Run<Context> run = engine.start(flow, "one", Context.empty());
      run.completeTask("A[2]#1", Map.of());
      assertThat(addresses(engine)).containsExactly("A[1]#1");
      run.completeTask("A[1]#1", Map.of());

      assertThat(addresses(engine)).containsExactly("A[1]#2", "A[2]#2");
      assertThat(run.cancelTask("A[2]#2").isAccepted()).isTrue();
      assertThat(addresses(engine)).containsExactly("A[1]#2");
      assertThat(run.failTask("A[1]#1", "broken").kind()).isEqualTo(Reply.LATE);
    }
  }

  @Test
  void a_late_failure_is_in_the_views_also_after_a_restart() {
    WorkflowDefinition flow =
        workflow("rest", join(JoinPolicy.partial(1), effect("A"), effect("B")));
    try (var engine = Engine.open(options(), store, flow)) {
      Run<Context> run = engine.start(flow, "one", Context.empty());
      run.completeTask("A", Map.of("a", 1));
      assertThat(run.status().lateFailures()).isEmpty();
      run.failTask("B", "broken");
    }
    try (var engine = Engine.open(options(), store.reopened(), flow)) {
      CaseView view = engine.status("one");
      assertThat(view.status()).isEqualTo(CaseStatus.COMPLETED);
      assertThat(view.failure()).isEmpty();
      assertThat(view.lateFailures()).extracting(Failure::reason).containsExactly("broken");
      assertThat(engine.state("one").lateFailures()).isEqualTo(view.lateFailures());
    }
  }
}
