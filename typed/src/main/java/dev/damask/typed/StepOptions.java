package dev.damask.typed;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.script.ScriptStep;
import dev.damask.task.Delivery;
import dev.damask.task.Expression;
import dev.damask.task.OnExhausted;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.value.Context;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// How a step of a script is performed: `StepOptions.<Payment>standard().retry(exponential(5))`.
///
/// @param <R> the result of the step
public final class StepOptions<R> {
  private final TaskOptions options;
  private final @Nullable Undo<R> undo;

  /// Undoes a step that has completed.
  @FunctionalInterface
  public interface Undo<R> {
    /// Performs the undo. The undo is a separate step with its own key.
    void of(R result, EffectCall call) throws Exception;
  }

  private StepOptions(TaskOptions options, @Nullable Undo<R> undo) {
    this.options = options;
    this.undo = undo;
  }

  /// One attempt, called again with the same key after a crash.
  public static <R> StepOptions<R> standard() {
    return new StepOptions<>(TaskOptions.DEFAULT, null);
  }

  /// Tries again after failures.
  public StepOptions<R> retry(Retry retry) {
    return new StepOptions<>(options.withRetry(retry), undo);
  }

  /// Gives an attempt up after a time.
  public StepOptions<R> timeout(Duration timeout) {
    return new StepOptions<>(options.withTimeout(timeout), undo);
  }

  /// Calls the function at most once. Without a receipt after a crash the step fails with
  /// `unknown_outcome`.
  public StepOptions<R> atMostOnce() {
    return new StepOptions<>(options.withDelivery(Delivery.AT_MOST_ONCE), undo);
  }

  /// Declares that the function only reads, so it may be called any number of times.
  public StepOptions<R> readOnly() {
    return new StepOptions<>(options.withDelivery(Delivery.READ), undo);
  }

  /// The idempotency key. Two effects of one type with the same key run once.
  public StepOptions<R> key(String key) {
    return new StepOptions<>(options.withKey(Expression.constant(key)), undo);
  }

  /// What a call costs; counts towards the budget of the case.
  public StepOptions<R> cost(BigDecimal cost) {
    return new StepOptions<>(options.withCost(cost), undo);
  }

  /// What happens when the attempts are used up: `onExhausted(OnExhausted.PARK)` makes the step an
  /// incident, which an operator retries, skips with a result, or fails.
  public StepOptions<R> onExhausted(OnExhausted value) {
    return new StepOptions<>(options.withOnExhausted(value), undo);
  }

  /// The compensation: runs if the script fails or is cancelled after the step has completed, or
  /// the scope around the script fails after the script.
  public StepOptions<R> undo(Undo<R> function) {
    return new StepOptions<>(options, function);
  }

  /// The handler of a step or of its undo; an exception that the retry excepts has its own reason.
  EffectHandler excepting(EffectHandler handler) {
    List<String> except = options.retry().except();
    return call -> {
      try {
        return handler.call(call);
      } catch (InterruptedException | EffectException e) {
        throw e;
      } catch (Exception e) {
        throw TypedHandler.named(e, except);
      }
    };
  }

  TaskOptions options() {
    return options;
  }

  ScriptStep.@Nullable Undo undo(Function<Context, @Nullable R> decoder) {
    Undo<R> function = undo;
    return function == null ? null : result -> excepting(undoing(function, decoder.apply(result)));
  }

  @SuppressWarnings("NullAway") // a step without a result passes null
  private static <R> EffectHandler undoing(Undo<R> function, @Nullable R result) {
    return call -> {
      function.of(result, call);
      return Context.empty();
    };
  }
}
