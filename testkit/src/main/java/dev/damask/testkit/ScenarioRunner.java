package dev.damask.testkit;

import dev.damask.compile.Compiler;
import dev.damask.document.Observation;
import dev.damask.document.ScenarioDocument;
import dev.damask.document.ScenarioEnd;
import dev.damask.document.ScenarioEvent;
import dev.damask.document.ScenarioStep;
import dev.damask.exec.ExecState;
import dev.damask.exec.Failure;
import dev.damask.exec.Input;
import dev.damask.exec.Reply;
import dev.damask.exec.Tracer;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.task.Context;
import dev.damask.testkit.ScenarioResult.Mismatch;
import dev.damask.trace.TracePrinter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;

/// Plays a scenario document on a machine and compares what is seen with what must be seen.
public final class ScenarioRunner {
  /// The optimised program, the deterministic scheduler, nothing rewritten.
  public static final MachineCase.Style PLAIN =
      new MachineCase.Style(InOrder.INSTANCE, false, false, 100);

  /// A case that a scenario is played on.
  public interface Stage {
    /// Lets something happen and runs as far as the case goes by itself.
    Reply apply(Input input);

    void advance(long millis);

    ExecState state();

    /// Called behind every event, the start included, before anything is compared.
    default void settle(ScenarioStep step) {}
  }

  /// Starts the case of a scenario.
  @FunctionalInterface
  public interface Stages {
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

  public static ScenarioResult run(ScenarioDocument scenario) {
    return run(scenario, PLAIN);
  }

  public static ScenarioResult run(ScenarioDocument scenario, MachineCase.Style style) {
    return run(scenario, style, state -> {});
  }

  /// Plays a scenario and shows the state after every event.
  public static ScenarioResult run(
      ScenarioDocument scenario, MachineCase.Style style, Consumer<ExecState> watcher) {
    Stages stages = (program, tracer) -> new MachineCase(program, style, scenario.with(), tracer);
    return new ScenarioRunner(scenario, stages, watcher).run();
  }

  /// Plays a scenario on cases of the caller's.
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

  /// As lists in a strict scenario; else as multisets, observations of one task in their order.
  private boolean same(List<String> expected, List<String> actual) {
    if (scenario.strict()) {
      return expected.equals(actual);
    }
    return sorted(expected).equals(sorted(actual));
  }

  /// Sorts by task name alone, so that the order within one task stays.
  private static List<String> sorted(List<String> observations) {
    List<String> copy = new ArrayList<>(observations);
    copy.sort(java.util.Comparator.comparing(ScenarioRunner::taskOf));
    return copy;
  }

  private static String taskOf(String observation) {
    int end = observation.length();
    for (char mark : new char[] {'[', '#', '⊘'}) {
      int at = observation.indexOf(mark);
      end = at >= 0 ? Math.min(end, at) : end;
    }
    return observation.substring(0, end);
  }

  private void end(ExecState state) {
    ScenarioEnd end = scenario.end();
    String status = state.status().name().toLowerCase(Locale.ROOT);
    if (end.status() != null) {
      expect("status", end.status().name().toLowerCase(Locale.ROOT), status);
    }
    if (end.reason() != null) {
      expect("reason", end.reason(), state.failure().map(Failure::reason).orElse("none"));
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
  }

  private void expect(
      String what,
      @org.jspecify.annotations.Nullable Object expected,
      @org.jspecify.annotations.Nullable Object actual) {
    if (!Objects.equals(expected, actual)) {
      failures.add(new Mismatch(0, what + " " + expected, what + " " + actual));
    }
  }
}
