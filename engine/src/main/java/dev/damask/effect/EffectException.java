package dev.damask.effect;

import dev.damask.task.Retry;
import dev.damask.task.RetryHint;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Thrown by a handler to fail its attempt with a reason that the workflow can test.
public sealed class EffectException extends Exception permits EffectNotSent {
  private static final long serialVersionUID = 1L;

  private final String reason;
  private final boolean isPermanent;
  private final long afterMillis;

  public EffectException(String reason, String detail) {
    this(reason, detail, null, RetryHint.NONE);
  }

  /// Creates an exception with the one that caused it, which appears in the log.
  public EffectException(String reason, String detail, Throwable cause) {
    this(reason, detail, cause, RetryHint.NONE);
  }

  public EffectException(String reason) {
    this(reason, "");
  }

  /// @param cause what the handler caught; null if there is none. It appears in the log
  EffectException(String reason, String detail, @Nullable Throwable cause, RetryHint hint) {
    super(detail);
    if (cause != null) {
      initCause(cause); // a caller may do so as well if there is none
    }
    this.reason = reason;
    this.isPermanent = hint.isPermanent();
    this.afterMillis = hint.afterMillis();
  }

  /// Returns an exception after which no attempt follows: the task fails at once, whatever its
  /// retry and `onExhausted` specify.
  public static EffectException permanent(String reason, String detail) {
    return new EffectException(reason, detail, null, RetryHint.PERMANENT);
  }

  /// Returns an exception after which no attempt follows, with the exception that caused it.
  public static EffectException permanent(String reason, Throwable cause) {
    return new EffectException(reason, EffectResult.text(cause), cause, RetryHint.PERMANENT);
  }

  /// Returns an exception after which the next attempt, if there is one, waits at least this long.
  /// A longer delay of the task's retry takes precedence. The wait is at most [Retry#DELAY_MAX].
  public static EffectException retryAfter(String reason, String detail, Duration delay) {
    long millis =
        delay.compareTo(Retry.DELAY_MAX) > 0 ? Retry.DELAY_MAX.toMillis() : delay.toMillis();
    return new EffectException(reason, detail, null, RetryHint.after(Math.max(0, millis)));
  }

  /// Returns a short word for handlers in the workflow.
  public String reason() {
    return reason;
  }

  /// Returns what this exception requires of the next attempt.
  public RetryHint hint() {
    return new RetryHint(isPermanent, afterMillis);
  }
}
