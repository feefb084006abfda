package dev.damask.script;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectResult;
import dev.damask.effect.ForwardingHandler;

/// Performs a step of a script and hands its result to the run that waits for it. The run reports
/// the result together with its next step, so that the receipt and the next intent share a commit.
/// The case repeats the run if the shard does not accept the result.
///
/// @param run the run that asked for the step
/// @param handler performs the step
public record StepHandler(ScriptRun run, EffectHandler handler) implements ForwardingHandler {
  @Override
  public void hand(EffectCall call, EffectResult result, Runnable report) {
    if (result instanceof EffectResult.Ok(var context)) {
      StepEnding ending = new StepEnding.Ok(context);
      run.reports.hand(call.id(), () -> run.deliver(call.id(), ending), report);
    } else {
      report.run();
    }
  }
}
