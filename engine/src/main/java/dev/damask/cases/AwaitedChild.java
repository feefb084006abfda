package dev.damask.cases;

import dev.damask.caller.CaseResult;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.family.ChildCase;
import dev.damask.value.Context;
import org.jspecify.annotations.Nullable;

/// The handler of a script's step that starts a child case and awaits its end. The id of the child
/// is derived from the parent's id and the step, so the child is started once.
record AwaitedChild(Engine engine, ChildCase child) implements EffectHandler {
  private static String idOf(EffectCall call) {
    return call.caseId() + ":" + call.id();
  }

  @Override
  public @Nullable Object call(EffectCall call) throws Exception {
    String id = idOf(call);
    engine.start(child.workflow().definition(), id, child.input().apply(call.context()));
    return switch (engine.await(id)) {
      case CaseResult.Completed<Context>(var context) -> child.result().apply(context);
      case CaseResult.Failed<Context>(var error) ->
          throw new EffectException(ChildCase.REASON, "case " + id + " failed: " + error);
      case CaseResult.Cancelled<Context>(_, var reason) ->
          throw new EffectException(ChildCase.REASON, "case " + id + " was cancelled: " + reason);
      case CaseResult.Stuck<Context>(var report) ->
          throw new EffectException(ChildCase.REASON, "case " + id + " is stuck: " + report);
    };
  }

  @Override
  public void cancel(EffectCall call) {
    engine.cancel(idOf(call));
  }
}
