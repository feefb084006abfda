package dev.damask.scenario;

import dev.damask.attribute.AttributeValue;
import dev.damask.attribute.AttributeValues;
import dev.damask.attribute.CaseFacts;
import dev.damask.compile.Compiler;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.event.Reply;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.program.Program;
import dev.damask.scenario.ScenarioResult.Mismatch;
import dev.damask.schedule.InOrder;
import dev.damask.trace.TracePrinter;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Runs a scenario document on a case and compares the observations with the expected ones.
@SuppressWarnings("exports") // the state is for our own modules
public final class ScenarioRunner {
  /// The default style: the optimised program, the deterministic scheduler, no re-encoding.
  public static final MachineCase.Style PLAIN =
      new MachineCase.Style(InOrder.INSTANCE, false, false, 100);

  /// A case that a scenario runs on.
  public interface Stage {
    /// Applies an input and runs the case until it waits.
    Reply apply(Input input);

    /// Advances the virtual time.
    void advance(long millis);

    /// Returns the current state of the case.
    ExecState state();

    /// Called after every event, including the start, before results are compared.
    default void settle(ScenarioStep step) {}
  }

  /// Starts the case of a scenario.
  @FunctionalInterface
  public interface Stages {
    /// Starts a case of the program with this tracer.
    Stage start(Program program, Tracer tracer);
  }

  private final ScenarioDocument scenario;
  private final Stages stages;
  private final Consumer<ExecState> watcher;
  private final List<Mismatch> failures = new ArrayList<>();
  private final Executions executions = new Executions();

  private ScenarioRunner(ScenarioDocument scenario, Stages stages, Consumer<ExecState> watcher) {
    this.scenario = scenario;
    this.stages = stages;
    this.watcher = watcher;
  }

  /// Runs a scenario in the default style.
  public static ScenarioResult run(ScenarioDocument scenario) {
    return run(scenario, PLAIN);
  }

  /// Runs a scenario in this style.
  public static ScenarioResult run(ScenarioDocument scenario, MachineCase.Style style) {
    return run(scenario, style, state -> {});
  }

  /// Runs a scenario on a machine and passes the state after every event to the observer.
  public static ScenarioResult run(
      ScenarioDocument scenario, MachineCase.Style style, Consumer<ExecState> watcher) {
    Stages stages = (program, tracer) -> new MachineCase(program, style, scenario.with(), tracer);
    return new ScenarioRunner(scenario, stages, watcher).run();
  }

  /// Runs a scenario on cases that the caller creates.
  public static ScenarioResult run(ScenarioDocument scenario, Stages stages) {
    return new ScenarioRunner(scenario, stages, state -> {}).run();
  }

  private ScenarioResult run() {
    Program program = Compiler.compile(scenario.workflow().workflow());
    List<ScenarioStep> steps = scenario.steps();
    if (steps.isEmpty() || !(steps.getFirst().event() instanceof ScenarioEvent.Start)) {
      failures.add(new Mismatch(1, "start", "a scenario that does not start its case"));
      return result(program);
    }
    List<String> problems =
        scenario.workflow().input().problems(program.context().withAll(scenario.with()));
    if (!problems.isEmpty()) {
      failures.add(new Mismatch(1, "a context that fits 'input'", problems.getFirst()));
      return result(program);
    }
    Stage running = stages.start(program, executions);
    running.settle(steps.getFirst());
    compare(1, steps.getFirst(), Reply.ACCEPTED);
    watcher.accept(running.state());
    for (int i = 1; i < steps.size(); i++) {
      Reply reply = play(running, steps.get(i).event());
      running.settle(steps.get(i));
      compare(i + 1, steps.get(i), reply);
      watcher.accept(running.state());
    }
    end(running.state());
    return result(program);
  }

  private ScenarioResult result(Program program) {
    return new ScenarioResult(
        scenario.name(), failures, TracePrinter.print(program, executions.events()));
  }

  private Reply play(Stage running, ScenarioEvent event) {
    return switch (event) {
      case ScenarioEvent.Start() -> Reply.REJECTED;
      case ScenarioEvent.Done(var task, var data) ->
          running.apply(new Input.TaskDone(executions.find(task), data));
      case ScenarioEvent.Fail(var task, var reason) ->
          running.apply(new Input.TaskFailed(executions.find(task), reason));
      case ScenarioEvent.Retry(var task) ->
          running.apply(new Input.TaskRetried(executions.find(task)));
      case ScenarioEvent.Signal(var place, var data) ->
          running.apply(new Input.Signal(place, data));
      case ScenarioEvent.Cancel(var region) -> running.apply(new Input.Kill(region, false));
      case ScenarioEvent.Complete(var region) -> running.apply(new Input.Kill(region, true));
      case ScenarioEvent.CancelTask(var task) ->
          running.apply(new Input.CancelTask(executions.find(task)));
      case ScenarioEvent.Add(var instances, var hasItem, var item) ->
          running.apply(new Input.AddInstance(instances, item, hasItem));
      case ScenarioEvent.Close(var instances) -> running.apply(new Input.CloseInstances(instances));
      case ScenarioEvent.Advance(var time) -> {
        running.advance(time.toMillis());
        yield Reply.ACCEPTED;
      }
    };
  }

  private void compare(int number, ScenarioStep step, Reply reply) {
    List<String> actual = executions.take();
    if (!step.reply().name().equals(reply.name())) {
      failures.add(new Mismatch(number, "reply " + step.reply(), "reply " + reply));
    }
    if (step.see() != null) {
      List<String> expected = step.see().stream().map(Observation::text).toList();
      if (!same(expected, actual)) {
        failures.add(new Mismatch(number, expected.toString(), actual.toString()));
      }
    }
  }

  /// Compares as lists in a strict scenario, otherwise as multisets in which the observations of
  /// one task keep their order.
  private boolean same(List<String> expected, List<String> actual) {
    if (scenario.strict()) {
      return expected.equals(actual);
    }
    return Observation.sorted(expected).equals(Observation.sorted(actual));
  }

  private void end(ExecState state) {
    ScenarioEnd end = scenario.end();
    String status = state.status().name().toLowerCase(Locale.ROOT);
    if (end.status() != null) {
      expect("status", end.status().name().toLowerCase(Locale.ROOT), status);
    }
    if (end.reason() != null) {
      String cancelled = state.cancelled().map(Outcome.Cancelled::reason).orElse("none");
      expect("reason", end.reason(), state.failure().map(Failure::reason).orElse(cancelled));
    }
    for (String task : end.never()) {
      expect("executions of " + task, 0, executions.count(task));
    }
    end.count().forEach((task, n) -> expect("executions of " + task, n, executions.count(task)));
    Context context = state.result();
    end.context()
        .forEach((key, value) -> {
          expect(key, value, context.has(key) ? context.get(key) : "nothing");
        });
    end.attributes().forEach((name, value) -> attribute(state, name, value));
  }

  private void attribute(ExecState state, String name, @Nullable Object value) {
    CaseFacts facts = AttributeValues.of(state.program().attributes(), state.context());
    AttributeValue expected = value == null ? null : AttributeValue.of(value);
    AttributeValue found = facts.attributes().get(name);
    String problem = facts.problems().get(name);
    expect(
        "attribute " + name,
        expected == null ? "nothing" : expected.plain(),
        problem != null ? problem : found == null ? "nothing" : found.plain());
  }

  private void expect(String what, @Nullable Object expected, @Nullable Object actual) {
    if (!Objects.equals(expected, actual)) {
      failures.add(new Mismatch(0, what + " " + expected, what + " " + actual));
    }
  }
}
