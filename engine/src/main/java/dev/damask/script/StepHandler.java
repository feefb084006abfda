package dev.damask.script;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectResult;
import org.jspecify.annotations.Nullable;

/// Performs a step of a script and hands its result to the run that waits for it as soon as the
/// shard has it: the receipt and the intent of the next step then share a commit. The case repeats
/// the run if the shard does not accept the result.
///
/// @param run the run that asked for the step
/// @param handler performs the step
public record StepHandler(ScriptRun run, EffectHandler handler) implements EffectHandler {
  @Override
  public @Nullable Object call(EffectCall call) throws Exception {
    return handler.call(call);
  }

  @Override
  public void cancel(EffectCall call) {
    handler.cancel(call);
  }

  @Override
  public boolean takesSecrets() {
    return handler.takesSecrets();
  }

  @Override
  public boolean isCpuBound() {
    return handler.isCpuBound();
  }

  @Override
  public void reported(EffectCall call, EffectResult result) {
    if (result instanceof EffectResult.Ok(var context)) {
      run.deliver(call.id(), new StepEnding.Ok(context));
    }
  }
}
