package dev.damask.typed;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.event.Failure;
import dev.damask.task.EffectFunction;
import dev.damask.task.ExpressionFailure;
import dev.damask.task.ResultCheck;
import dev.damask.value.Context;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Calls the handler of a typed task: decodes its values and encodes its result.
///
/// @param result the key that receives the result; null drops it
/// @param except the simple names of exceptions after which the task is not tried again
record TypedHandler(
    Invocation invocation, @Nullable BoundKey<?> result, List<String> except, boolean isCpuBound)
    implements EffectHandler, EffectFunction, ResultCheck {
  @Override
  public Context call(EffectCall call) throws Exception {
    Object value;
    try {
      value = invocation.call(call.context(), call);
    } catch (ExpressionFailure e) {
      throw new EffectException(Failure.EXPRESSION, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      throw excepted(e) ? named(e) : e;
    } catch (Exception e) {
      throw excepted(e) && !(e instanceof InterruptedException) ? named(e) : e;
    }
    if (result == null) {
      return Context.empty();
    }
    try {
      return Context.of(result.entry(), result.encode(value));
    } catch (ValueException e) {
      throw new EffectException(
          Failure.EXPRESSION, "the result cannot be stored, " + e.getMessage());
    }
  }

  @Override
  public List<String> problems(Context given) {
    return result == null ? List.of() : result.problems(given);
  }

  private boolean excepted(Exception thrown) {
    for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
      if (except.contains(type.getSimpleName())) {
        return true;
      }
    }
    return false;
  }

  /// The reason is the simple name that the retry excepts.
  private EffectException named(Exception thrown) {
    String reason = Failure.EXCEPTION;
    for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
      if (except.contains(type.getSimpleName())) {
        reason = type.getSimpleName();
        break;
      }
    }
    return new EffectException(reason, String.valueOf(thrown.getMessage()), thrown);
  }

  @Override
  public @Nullable Object call(Context context) {
    throw new IllegalStateException("a typed handler is called with an EffectCall");
  }
}
