package dev.damask.exec;

import static dev.damask.exec.Play.everywhere;
import static dev.damask.exec.Play.pure;
import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.always;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.set;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.Failure;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.schedule.Seeded;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.Retry;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Limits;
import dev.damask.term.Merge;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.TaskResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What once went wrong in the loop, at its limits, and between the two images of a program.
final class MachineRegressionTest {
  private static final Term REST = seq(pure("x"), pure("y"));

  private static Limits limits(int effects, int bytes) {
    return new Limits(100, 100, 50, 10, effects, 10, bytes, 1_000);
  }

  private static Failure failure(WorkflowDefinition workflow, boolean raw) {
    Program program = Compiler.compile(workflow);
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), raw, null));
    ExecState state = machine.start(Context.empty(), 0);
    machine.run(state, 10_000);
    return state.failure().orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_context_too_large_in_the_middle_of_a_run_of_tasks_was_not_noticed(boolean raw) {
    WorkflowDefinition grows =
        workflow(
                "w",
                pure("a"),
                pure("big", context -> context.with("k", "x".repeat(5_000))),
                pure("small", context -> context.without("k")))
            .withLimits(limits(10, 1_000));

    assertThat(failure(grows, raw).task()).isEqualTo("big");
    assertThat(failure(grows, raw).reason()).isEqualTo("limit");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void too_many_effects_in_the_middle_of_a_run_of_tasks_blamed_its_first_task(boolean raw) {
    Term.Task wants = task("w", context -> new TaskResult.Wants(EffectSpec.of("t"), context));
    WorkflowDefinition greedy =
        workflow("w", par(effect("E"), seq(pure("a"), pure("b"), wants)))
            .withLimits(limits(1, 1_000));

    assertThat(failure(greedy, raw).task()).isEqualTo("w");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_case_out_of_steps_was_said_to_stand_at_different_places(boolean raw) {
    Guard always = Guard.named("true", context -> true);
    WorkflowDefinition endless =
        workflow("w", repeatWhile(always, seq(pure("a"), seq(pure("b"), pure("c")))))
            .withLimits(Limits.DEFAULT.withSteps(999));

    assertThat(failure(endless, raw).place()).isEqualTo("do.do[1][1]");
  }

  @Test
  void a_collection_nested_too_deep_for_a_context_threw_out_of_the_machine() {
    Object deep = 1L;
    for (int i = 0; i < 256; i++) {
      deep = List.of(deep);
    }
    Context nested = Context.of("r", deep);
    Term.Task writes = pure("a", context -> context.withAll(nested));
    Term collects = instances("m", InstancePolicy.fixed(2).collect("r"), writes);
    Term merges =
        new Term.Par(
            List.of(writes, pure("b", context -> context.with("r", 2))), Merge.Standard.COLLECT);

    everywhere(collects, play -> assertThat(reason(play)).isEqualTo("limit"));
    everywhere(merges, play -> assertThat(reason(play)).isEqualTo("limit"));
    everywhere(
        effect("A").result("k"),
        play -> {
          play.done("A", nested);
          assertThat(reason(play)).isEqualTo("limit");
        });
  }

  private static String reason(Play play) {
    return play.state.failure().map(Failure::reason).orElse("none");
  }

  @Test
  void joins_and_instances_put_contexts_together_beyond_the_limit() {
    Term.Task big = pure("a", context -> context.with("r", context.get("index") + "x".repeat(600)));
    WorkflowDefinition collects =
        workflow("w", instances("m", InstancePolicy.fixed(4).collect("r"), big))
            .withLimits(limits(10, 1_000));

    everywhere(collects, play -> assertThat(reason(play)).isEqualTo("limit"));
  }

  @Test
  void a_failing_time_out_was_placed_differently_in_the_two_images() {
    Term.Task handler = pure("h", context -> context.with("e", context.get("error")));
    ScopeOptions options = new ScopeOptions(Duration.ofSeconds(5), null, handler, false, null);
    List<String> places = new ArrayList<>();

    everywhere(
        seq(scope("r", options, effect("A")), REST),
        play -> {
          play.advance(6_000);
          places.add(String.valueOf(play.result().get("e")));
        });

    assertThat(places).allMatch(place -> place.contains("place=do[0]"));
  }

  @Test
  void a_failing_join_or_instance_condition_was_placed_at_what_follows_it() {
    Term.Choice one = always(set("k", Expression.constant(1)));
    Term.Choice two = always(set("k", Expression.constant(2)));
    Term joins = new Term.Join(JoinPolicy.all().withMerge(Merge.Standard.FAIL), List.of(one, two));
    InstancePolicy policy =
        InstancePolicy.fixed(2)
            .need(
                new InstancePolicy.Need.When((done, total, results) -> {
                  throw new IllegalStateException("no");
                }));
    List<String> places = new ArrayList<>();

    everywhere(seq(joins, REST), play -> places.add(place(play)));
    everywhere(seq(instances("m", policy, pure("a")), REST), play -> places.add(place(play)));

    assertThat(places).hasSize(10).containsOnly("do[0]");
  }

  private static String place(Play play) {
    return play.state.failure().map(Failure::place).orElse("none");
  }

  @Test
  void a_scheduler_was_asked_twice_for_one_choice_at_the_end_of_a_quantum() {
    Program program =
        Compiler.compile(
            workflow("w", par(seq(pure("a"), pure("b")), seq(pure("c"), pure("d")), pure("e"))));
    Seeded slow = new Seeded(7);
    Seeded fast = new Seeded(7);

    Play small = new Play(program, new Play.Style(slow, false, false, 1), Context.empty());
    Play large = new Play(program, new Play.Style(fast, false, false, 100), Context.empty());

    assertThat(slow.log()).isEqualTo(fast.log());
    assertThat(small.events()).isEqualTo(large.events());
  }

  @Test
  void a_cancelled_case_forgot_its_context_when_it_was_written_and_read_back() {
    WorkflowDefinition short_ = workflow("w", effect("A")).withContext(Context.of("k", 1));

    everywhere(
        short_,
        play -> {
          play.kill("case");
          ExecState back = StateCodec.copy(play.machine, play.state);
          assertThat(back.result()).isEqualTo(Context.of("k", 1));
        });
  }

  @Test
  void a_text_with_half_a_surrogate_pair_made_a_state_that_could_not_be_read_back() {
    Term.Task writes =
        task("a", context -> context.with("\uD800", 1).with("?", 2).with("v", "x\uDC00y"));

    everywhere(
        seq(writes, effect("A")),
        play -> {
          play.done("A");
          assertThat(play.result().get("\uD800")).isEqualTo(1L);
          assertThat(play.result().get("v")).isEqualTo("x\uDC00y");
        });
  }

  @Test
  void a_timer_further_away_than_a_clock_can_say_fired_at_once() {
    Term wait = defer(after(Duration.ofMillis(Long.MAX_VALUE - 1), pure("x")), on("p", pure("y")));

    everywhere(
        seq(effect("A"), wait),
        play -> {
          play.advance(1_000);
          assertThat(play.done("A")).isEqualTo("A-");
        });
  }

  @Test
  void a_duration_too_long_for_the_clock_threw_out_of_the_machine() {
    Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
    Term.Task patient = effect("A").timeout(endless).retry(new Retry(2, endless, 1, 0));

    everywhere(
        seq(patient, defer(after(endless, pure("x")), on("p", pure("y")))),
        play -> {
          assertThat(play.fail("A", "boom")).isEmpty();
          assertThat(play.advance(1_000)).isEmpty();
          assertThat(play.done("A")).isEqualTo("A-");
          assertThat(play.signal("p")).isEqualTo("y");
        });
  }

  @Test
  void a_task_time_out_below_a_millisecond_was_over_before_the_task_began() {
    Term.Task hasty = effect("A").timeout(Duration.ofNanos(10));

    everywhere(hasty, play -> assertThat(play.see()).isEqualTo("A+"));
  }
}
