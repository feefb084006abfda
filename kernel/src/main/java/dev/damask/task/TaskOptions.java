package dev.damask.task;

import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What may be said about a task besides what it does.
///
/// @param timeout per attempt; null when it may take as long as it likes
/// @param result the key that receives the whole result; null writes the result entry by entry
/// @param key an expression for the idempotency key; null lets the engine make one
public record TaskOptions(
    Delivery delivery,
    @Nullable Duration timeout,
    Retry retry,
    @Nullable String result,
    @Nullable Expression key,
    BigDecimal cost,
    String description) {
  public static final TaskOptions DEFAULT =
      new TaskOptions(Delivery.KEYED, null, Retry.NONE, null, null, BigDecimal.ZERO, "");

  public TaskOptions {
    if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
      throw new IllegalArgumentException("a task's timeout is positive, got " + timeout);
    }
    if (cost.signum() < 0) {
      throw new IllegalArgumentException("a task's cost is not negative, got " + cost);
    }
  }

  public TaskOptions withDelivery(Delivery value) {
    return new TaskOptions(value, timeout, retry, result, key, cost, description);
  }

  public TaskOptions withTimeout(Duration value) {
    return new TaskOptions(delivery, value, retry, result, key, cost, description);
  }

  public TaskOptions withRetry(Retry value) {
    return new TaskOptions(delivery, timeout, value, result, key, cost, description);
  }

  public TaskOptions withResult(String value) {
    return new TaskOptions(delivery, timeout, retry, value, key, cost, description);
  }

  public TaskOptions withKey(Expression value) {
    return new TaskOptions(delivery, timeout, retry, result, value, cost, description);
  }

  public TaskOptions withCost(BigDecimal value) {
    return new TaskOptions(delivery, timeout, retry, result, key, value, description);
  }

  public TaskOptions withDescription(String value) {
    return new TaskOptions(delivery, timeout, retry, result, key, cost, value);
  }
}
