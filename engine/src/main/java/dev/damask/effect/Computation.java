package dev.damask.effect;

import dev.damask.event.Failure;
import dev.damask.task.ExpressionFailure;
import dev.damask.task.TaskFunction;
import dev.damask.value.Context;
import dev.damask.value.TaskResult;

/// A task function that runs outside of its shard because it is slow, or because it has a timeout
/// or retries. It is not an effect: it has no intent, no receipt and no key. After a restart it
/// runs again, because the stored case still waits for it.
public final class Computation {
  /// What is in the place of an effect's type. No handler is registered for it.
  public static final String TYPE = "task";

  private Computation() {}

  /// Runs the function. An exception fails the attempt.
  public static EffectResult run(EffectCall call, TaskFunction function) {
    try {
      TaskResult result = function.run(call.context());
      return switch (result) {
        case Context context -> new EffectResult.Ok(context);
        case TaskResult.Wants(var effect, var resume) -> new EffectResult.Wants(effect, resume);
        case TaskResult.Failed(var reason, var detail) -> new EffectResult.Failed(reason, detail);
        case null -> failed("it returned null");
      };
    } catch (ScriptUnwound e) {
      return new EffectResult.Interrupted();
    } catch (ExpressionFailure e) {
      return new EffectResult.Failed(Failure.EXPRESSION, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      return Thread.currentThread().isInterrupted()
          ? new EffectResult.Interrupted()
          : failed(EffectResult.text(e));
    } catch (Throwable e) { // it ends this attempt and nothing else
      return failed(EffectResult.text(e));
    }
  }

  private static EffectResult failed(String detail) {
    return new EffectResult.Failed(EffectResult.EXCEPTION, detail);
  }
}
