package dev.damask.script;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectResult;
import dev.damask.effect.ForwardingHandler;

/// Performs a step of a script and hands its result to the run that waits for it as soon as the
/// shard has it: the receipt and the intent of the next step then share a commit. The case repeats
/// the run if the shard does not accept the result.
///
/// @param run the run that asked for the step
/// @param handler performs the step
public record StepHandler(ScriptRun run, EffectHandler handler) implements ForwardingHandler {
  @Override
  public void reported(EffectCall call, EffectResult result) {
    if (result instanceof EffectResult.Ok(var context)) {
      run.deliver(call.id(), new StepEnding.Ok(context));
    }
  }
}
