package dev.damask.exec;

import static dev.damask.exec.Steps.spawns;
import static dev.damask.exec.Steps.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.event.Failure;
import dev.damask.event.Status;
import dev.damask.event.TraceEvent;
import dev.damask.task.ProcessInfo;
import dev.damask.term.Flow;
import dev.damask.term.Limits;
import dev.damask.term.StepFunction;
import dev.damask.term.StepNode;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.StepOutcome;
import dev.damask.value.StepResult;
import dev.damask.value.StepResult.Evaluated;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/// What the task of a step is told, and what happens when it gives its evaluation back.
final class EvaluatedTest {
  private record Told(BiFunction<Context, ProcessInfo, StepResult> body) implements StepFunction {
    @Override
    public StepResult evaluate(Context payload, ProcessInfo process) {
      return body.apply(payload, process);
    }

    @Override
    public Set<StepOutcome> outcomes() {
      return EITHER;
    }
  }

  private static StepNode step(
      String id, StepNode.Branch valid, BiFunction<Context, ProcessInfo, StepResult> body) {
    return new StepNode(id, Flow.task(id, new Told(body)), valid, StepNode.Branch.NONE);
  }

  /// One step that is valid at once and leaves a payload.
  private static WorkflowDefinition valid(StepNode.Branch branch, Context payload) {
    return workflow("A", step("A", branch, (_, _) -> new Evaluated(StepOutcome.VALID, payload)));
  }

  private static Failure failure(WorkflowDefinition flow) {
    Play play = Play.start(flow);
    assertThat(play.status()).isEqualTo(Status.FAILED);
    return play.state.failure().orElseThrow();
  }

  @Test
  void a_step_is_told_its_process_beside_the_payload() {
    List<ProcessInfo> told = new ArrayList<>();
    List<Context> payloads = new ArrayList<>();
    BiFunction<Context, ProcessInfo, StepResult> body =
        (payload, process) -> {
          told.add(process);
          payloads.add(payload);
          return new Evaluated(StepOutcome.VALID, Context.of("by", process.number()));
        };
    WorkflowDefinition flow =
        workflow("A", step("A", spawns("B"), body), step("B", spawns(), body));
    Context common = Context.of("__owner", "eve");

    Play play = Play.start(flow.withContext(flow.context().withAll(common).with("n", 1)));

    assertThat(told)
        .containsExactly(new ProcessInfo(1, 0, "", common), new ProcessInfo(2, 1, "A", common));
    assertThat(payloads).containsExactly(Context.of("n", 1), Context.of("by", 1));
    assertThat(play.result()).isEqualTo(common.with("by", 2));
    assertThat(told.getLast().with(Context.of("x", 1)))
        .isEqualTo(
            Context.of("__from", "A", "__owner", "eve")
                .with("__parent", 1)
                .with("__process", 2)
                .with("x", 1));
  }

  @Test
  void a_step_function_outside_of_a_step_is_told_of_nobody_and_refused() {
    List<ProcessInfo> told = new ArrayList<>();
    Told function =
        new Told((payload, process) -> {
          told.add(process);
          return new Evaluated(StepOutcome.VALID, payload);
        });

    Failure failure = failure(Flow.workflow("w", Flow.task("a", function)));

    assertThat(told).containsExactly(ProcessInfo.NO_PROCESS);
    assertThat(failure.detail()).isEqualTo("only the task of a step can be evaluated");
  }

  @Test
  void a_payload_has_the_limit_of_a_context() {
    WorkflowDefinition flow = valid(spawns(), Context.of("x", "y".repeat(300_000)));

    Failure failure = failure(flow);

    assertThat(failure.reason()).isEqualTo(Failure.LIMIT);
    assertThat(failure.task()).isEqualTo("A");
    assertThat(failure.detail()).startsWith("a context has at most 262144 bytes");
  }

  @Test
  void an_evaluation_and_what_follows_count_as_two_steps() {
    WorkflowDefinition flow = valid(spawns("A"), Context.empty());

    for (long most = 10; most < 20; most++) {
      Play play = Play.start(flow.withLimits(Limits.DEFAULT.withSteps(most)));

      assertThat(play.status()).isEqualTo(Status.FAILED);
      assertThat(play.state.steps()).isEqualTo(most);
      assertThat(play.state.failure().orElseThrow().detail())
          .isEqualTo("more than " + most + " steps");
    }
  }

  @Test
  void a_full_trace_has_both_reductions_with_their_addresses() {
    WorkflowDefinition flow = valid(spawns(), Context.empty());

    Play play = Play.start(flow);

    List<TraceEvent> events =
        play.events().stream().filter(event -> event.before() != event.after()).toList();
    TraceEvent ran =
        events.stream().filter(e -> e.kind() == TraceEvent.Kind.RAN).findFirst().orElseThrow();
    TraceEvent spawned =
        events.stream()
            .filter(e -> e.kind() == TraceEvent.Kind.STEP && e.before() == ran.after())
            .findFirst()
            .orElseThrow();
    assertThat(ran.subject()).isEqualTo("A");
    assertThat(spawned.step()).isEqualTo(ran.step() + 1);
  }

  @Test
  void nothing_in_place_of_an_evaluation_fails_the_task() {
    StepNode none =
        new StepNode("A", Flow.task("A", payload -> payload), spawns(), StepNode.Branch.NONE);
    StepNode empty =
        step("A", spawns(), (_, _) -> new Evaluated(StepOutcome.VALID, absent(Context.class)));

    for (StepNode node : List.of(none, empty)) {
      Failure failure = failure(workflow("A", node));

      assertThat(failure.task()).isEqualTo("A");
      assertThat(failure.reason()).isEqualTo(Failure.EXCEPTION);
      assertThat(failure.detail())
          .isEqualTo(
              node == none
                  ? "the task of a step returned no evaluation"
                  : "java.lang.NullPointerException: payload");
    }
  }

  /// As code without null checks would give it.
  @SuppressWarnings("NullAway")
  private static <T> T absent(Class<T> type) {
    return type.cast(null);
  }

  @Test
  void a_payload_has_no_say_in_the_keys_of_the_engine() {
    List<Context> seen = new ArrayList<>();
    Context forged = Context.of("__owner", "mallory", "x", 1);
    WorkflowDefinition flow =
        workflow(
            "A",
            step("A", spawns("B"), (_, _) -> new Evaluated(StepOutcome.VALID, forged)),
            step(
                "B",
                spawns(),
                (payload, process) -> {
                  seen.add(process.with(payload));
                  return new Evaluated(StepOutcome.VALID, forged);
                }));

    Play play = Play.start(flow.withContext(flow.context().with("__owner", "eve")));

    assertThat(seen.getFirst().get("__owner")).isEqualTo("eve");
    assertThat(play.result()).isEqualTo(Context.of("__owner", "eve", "x", 1));
  }

  @Test
  void the_keys_of_the_engine_count_where_a_payload_is_weighed() {
    WorkflowDefinition flow = valid(spawns(), Context.of("x", "y".repeat(200_000)));

    Play light = Play.start(flow);
    Play heavy = Play.start(flow.withContext(flow.context().with("__wakeUp", "z".repeat(100_000))));

    assertThat(light.status()).isEqualTo(Status.COMPLETED);
    assertThat(heavy.status()).isEqualTo(Status.FAILED);
    assertThat(heavy.state.failure().orElseThrow().reason()).isEqualTo(Failure.LIMIT);
  }

  @Test
  void a_state_that_was_read_knows_its_processes() {
    WorkflowDefinition flow =
        workflow("A", Steps.sure("A", spawns("B", "C")), Steps.leaf("B"), Steps.leaf("C"));
    Play play = Play.start(flow.withContext(flow.context().with("__owner", "eve")));

    ExecState read = StateCodec.decode(play.machine, StateCodec.encode(play.state));

    assertThat(read.effects().inOrder().stream().map(token -> token.process))
        .containsExactly(
            new ProcessInfo(2, 1, "A", Context.of("__owner", "eve")),
            new ProcessInfo(3, 1, "A", Context.of("__owner", "eve")));
  }
}
