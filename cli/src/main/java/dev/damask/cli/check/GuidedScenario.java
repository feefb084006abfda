package dev.damask.cli.check;

import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.program.Program;
import dev.damask.scenario.ScenarioDocument;
import dev.damask.scenario.ScenarioResult;
import dev.damask.scenario.ScenarioRunner;
import dev.damask.scenario.ScenarioStep;
import dev.damask.trace.SteppedCase;
import dev.damask.verify.CounterexampleReplay;
import dev.damask.verify.Options;
import java.util.List;

/// Runs a scenario with `choices`, which replace the data and the scheduler.
final class GuidedScenario implements ScenarioRunner.Stage {
  private final SteppedCase guided;

  private GuidedScenario(SteppedCase guided) {
    this.guided = guided;
  }

  static GuidedScenario start(Program program, Tracer tracer) {
    return new GuidedScenario(CounterexampleReplay.start(program, Options.DEFAULT, tracer));
  }

  static ScenarioResult run(ScenarioDocument scenario) {
    try {
      return ScenarioRunner.run(scenario, GuidedScenario::start);
    } catch (IllegalStateException e) { // a choice of a token or an answer that does not exist
      var mismatch =
          new ScenarioResult.Mismatch(
              0, "a case that follows the choices", String.valueOf(e.getMessage()));
      return new ScenarioResult(scenario.name(), List.of(mismatch), "");
    }
  }

  @Override
  public Reply apply(Input input) {
    return guided.apply(input, List.of());
  }

  @Override
  public void advance(long millis) {
    guided.apply(new Input.Advance(guided.state().clock() + millis), List.of());
  }

  @Override
  public void settle(ScenarioStep step) {
    settle(step.choices());
  }

  void settle(List<List<Integer>> choices) {
    choices.forEach(each -> guided.step(each.getFirst(), each.subList(1, each.size())));
  }

  @Override
  public ExecState state() {
    return guided.state();
  }
}
