package dev.damask.cases;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.task.Context;
import dev.damask.task.Secrets;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Fills in the secrets at the call, in the handler's own thread, so that they are stored nowhere.
record SecretFiller(EffectHandler handler, UnaryOperator<String> secrets) implements EffectHandler {
  @Override
  public @Nullable Object call(EffectCall call) throws Exception {
    return handler.call(fill(call));
  }

  @Override
  public void cancel(EffectCall call) {
    handler.cancel(fill(call));
  }

  private EffectCall fill(EffectCall call) {
    Context with = Context.empty();
    for (Map.Entry<String, @Nullable Object> entry : call.with().toMap().entrySet()) {
      with = with.with(entry.getKey(), Secrets.fill(entry.getValue(), secrets));
    }
    return new EffectCall(
        call.caseId(),
        call.id(),
        call.task(),
        call.type(),
        call.key(),
        call.attempt(),
        call.delivery(),
        with,
        call.context());
  }
}
