package dev.damask.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.compile.Compiler;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.store.MemoryStore;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Scenarios that only start a case and answer its oldest running task have the same result when
/// their workflow is called.
final class ScenarioCallTest {
  /// What a call of the workflow must do: the answers in order, and the result.
  private record Expected(List<ScenarioEvent> answers, List<String> tasks, Outcome outcome) {}

  @Test
  void scenarios_that_answer_the_oldest_task_have_the_same_result_by_call() throws IOException {
    int count = 0;
    for (Path file : ScenarioSuiteTest.scenarios()) {
      ScenarioDocument scenario = new ScenarioReader().read(file);
      Expected expected = expected(scenario);
      if (expected != null) {
        count += run(file, scenario, expected) ? 1 : 0;
      }
    }

    System.out.println(count + " scenarios run by call");
    assertThat(count).isGreaterThanOrEqualTo(60);
  }

  /// Null if a call cannot play the scenario.
  private static @Nullable Expected expected(ScenarioDocument scenario) {
    List<ScenarioStep> steps = scenario.steps();
    if (steps.isEmpty() || !(steps.getFirst().event() instanceof ScenarioEvent.Start)) {
      return null;
    }
    Executions executions = new Executions();
    MachineCase running =
        new MachineCase(
            Compiler.compile(scenario.workflow().workflow()),
            ScenarioRunner.PLAIN,
            scenario.with(),
            executions);
    List<ScenarioEvent> answers = steps.stream().skip(1).map(ScenarioStep::event).toList();
    List<String> tasks = new ArrayList<>();
    for (ScenarioEvent answer : answers) {
      List<EffectRequest> pending = running.state().pendingEffects();
      if (pending.isEmpty()) {
        return null;
      }
      EffectRequest oldest = pending.getFirst();
      Input input =
          switch (answer) {
            case ScenarioEvent.Done(var task, var data)
                when executions.find(task).equals(oldest.token()) ->
                new Input.TaskDone(oldest.token(), data);
            case ScenarioEvent.Fail(var task, var reason)
                when executions.find(task).equals(oldest.token()) ->
                new Input.TaskFailed(oldest.token(), reason);
            default -> null;
          };
      if (input == null) {
        return null;
      }
      tasks.add(oldest.task().name());
      running.apply(input);
    }
    boolean isOver = running.state().isDone() || running.outcome() instanceof Outcome.Deadlocked;
    return isOver && running.state().pendingEffects().isEmpty()
        ? new Expected(answers, tasks, running.outcome())
        : null;
  }

  private static Set<String> types(WorkflowDefinition workflow) {
    Set<String> types = new TreeSet<>();
    BiConsumer<TermPath, Term> note =
        (_, term) -> {
          if (term instanceof Term.Task(var name, Term.Work.Effect(var template, _), _, _)) {
            types.add(template.type().isEmpty() ? name : template.type());
          }
        };
    TermWalker.walk(TermPath.BODY, workflow.body(), note);
    workflow.definitions().forEach(each -> TermWalker.walk(TermPath.BODY, each.body(), note));
    return types;
  }

  /// False if the workflow is one that cannot be called.
  private static boolean run(Path file, ScenarioDocument scenario, Expected expected) {
    ArrayDeque<ScenarioEvent> left = new ArrayDeque<>(expected.answers);
    List<String> called = new ArrayList<>();
    EngineOptions options = EngineOptions.defaults().withShards(1);
    for (String type : types(scenario.workflow().workflow())) {
      options = options.withHandler(type, call -> answer(call, called, left));
    }
    try (Engine engine = Engine.open(options, new MemoryStore())) {
      CaseResult<Context> result =
          engine.callResult(scenario.workflow().workflow(), scenario.with());

      assertThat(called).as(file.toString()).isEqualTo(expected.tasks);
      assertThat(left).as(file.toString()).isEmpty();
      assertThat(kind(result)).as(file.toString()).isEqualTo(kind(expected.outcome));
      return true;
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining("cannot be called");
      return false;
    }
  }

  private static Context answer(
      EffectCall call, List<String> called, ArrayDeque<ScenarioEvent> left) throws EffectException {
    called.add(call.task());
    return switch (Objects.requireNonNull(left.pollFirst())) {
      case ScenarioEvent.Done(_, var data) -> data;
      case ScenarioEvent.Fail(_, var reason) -> throw new EffectException(reason, "");
      default -> throw new IllegalStateException("only answers are played");
    };
  }

  private static Object kind(CaseResult<Context> result) {
    return switch (result) {
      case CaseResult.Completed(var context) -> context;
      case CaseResult.Failed(var failure) -> failure.reason() + " in " + failure.task();
      case CaseResult.Cancelled(var scope, _) -> "cancelled " + scope;
      case CaseResult.Stuck(var report) -> report.lines();
    };
  }

  private static Object kind(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Done(var context) -> context;
      case Outcome.Failed(var failure) -> failure.reason() + " in " + failure.task();
      case Outcome.Cancelled(var scope, _, _) -> "cancelled " + scope;
      case Outcome.Deadlocked(var report) -> report;
      case Outcome.Waits waits -> waits;
      case Outcome.Yielded yielded -> yielded;
    };
  }
}
