package dev.damask.task;

import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The options of a task.
///
/// @param timeout per attempt; null for no limit
/// @param result the key that receives the whole result; null writes the result entry by entry
/// @param key an expression for the idempotency key; null if the engine creates one
/// @param onExhausted what happens when the attempts of an effect are used up
/// @param line where the task is written in Java, such as `Shop.java:42`; empty if unknown
public record TaskOptions(
    Delivery delivery,
    @Nullable Duration timeout,
    Retry retry,
    @Nullable String result,
    @Nullable Expression key,
    BigDecimal cost,
    String description,
    OnExhausted onExhausted,
    String line) {
  /// One attempt without a timeout; an effect may be sent again with the same key.
  public static final TaskOptions DEFAULT =
      new TaskOptions(
          Delivery.KEYED, null, Retry.NONE, null, null, BigDecimal.ZERO, "", OnExhausted.FAIL, "");

  public TaskOptions {
    if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
      throw new IllegalArgumentException("a task's timeout must be positive, got " + timeout);
    }
    if (cost.signum() < 0) {
      throw new IllegalArgumentException("a task's cost must not be negative, got " + cost);
    }
  }

  /// Returns these options with another delivery.
  public TaskOptions withDelivery(Delivery value) {
    return new TaskOptions(
        value, timeout, retry, result, key, cost, description, onExhausted, line);
  }

  /// Returns these options with another timeout per attempt.
  public TaskOptions withTimeout(Duration value) {
    return new TaskOptions(
        delivery, value, retry, result, key, cost, description, onExhausted, line);
  }

  /// Returns these options with another retry policy.
  public TaskOptions withRetry(Retry value) {
    return new TaskOptions(
        delivery, timeout, value, result, key, cost, description, onExhausted, line);
  }

  /// Returns these options with another key for the whole result.
  public TaskOptions withResult(String value) {
    return new TaskOptions(
        delivery, timeout, retry, value, key, cost, description, onExhausted, line);
  }

  /// Returns these options with another expression for the idempotency key.
  public TaskOptions withKey(Expression value) {
    return new TaskOptions(
        delivery, timeout, retry, result, value, cost, description, onExhausted, line);
  }

  /// Returns these options with another cost, which counts against the budget of the case.
  public TaskOptions withCost(BigDecimal value) {
    return new TaskOptions(
        delivery, timeout, retry, result, key, value, description, onExhausted, line);
  }

  /// Returns these options with another description.
  public TaskOptions withDescription(String value) {
    return new TaskOptions(delivery, timeout, retry, result, key, cost, value, onExhausted, line);
  }

  /// Returns these options with another consequence of the last failed attempt.
  public TaskOptions withOnExhausted(OnExhausted value) {
    return new TaskOptions(delivery, timeout, retry, result, key, cost, description, value, line);
  }

  /// Returns these options with the line where the task is written.
  public TaskOptions withLine(String value) {
    return new TaskOptions(
        delivery, timeout, retry, result, key, cost, description, onExhausted, value);
  }

  /// Returns whether another attempt may follow a failure with this reason, while attempts are
  /// left. An at-most-once effect is called again only after its handler stated that nothing was
  /// sent, whatever its retry is.
  public boolean isRetried(String reason) {
    return retry.covers(reason)
        && (delivery != Delivery.AT_MOST_ONCE || reason.equals(Retry.NOT_SENT));
  }
}
