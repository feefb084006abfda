package dev.damask.task;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// How often and how patiently a failing effect is tried again.
///
/// @param max the number of attempts, the first one included
/// @param delay before the second attempt
/// @param backoff what the delay is multiplied with after each further attempt
/// @param jitter the part of the delay, from 0 to 1, that is random
/// @param on which failures are retried
/// @param except the reasons that are not retried
public record Retry(
    int max, Duration delay, double backoff, double jitter, On on, List<String> except) {
  /// Which failures of an attempt lead to another one.
  public enum On {
    /// Every failure that another attempt may repair.
    ANY,
    /// Only a failure with the reason [#NOT_SENT]: the handler states that nothing was sent. The
    /// only retry that an at-most-once effect may have.
    NOT_SENT
  }

  /// The reason of an attempt whose handler states that nothing reached the external system.
  public static final String NOT_SENT = "not_sent";

  /// One attempt, no retry.
  public static final Retry NONE = new Retry(1, Duration.ZERO, 1.0, 0.0);

  /// No delay grows beyond this.
  public static final Duration DELAY_MAX = Duration.ofDays(1);

  public Retry {
    if (max < 1) {
      throw new IllegalArgumentException(
          "retry: max counts attempts and must be at least 1, got " + max);
    }
    if (delay.isNegative()) {
      throw new IllegalArgumentException("retry: delay is not negative, got " + delay);
    }
    if (!(backoff >= 1.0 && backoff <= 1_000.0)) {
      throw new IllegalArgumentException("retry: backoff is between 1 and 1000, got " + backoff);
    }
    if (!(jitter >= 0.0 && jitter <= 1.0)) {
      throw new IllegalArgumentException("retry: jitter is between 0 and 1, got " + jitter);
    }
    except = List.copyOf(except);
  }

  /// Retries every reason.
  public Retry(int max, Duration delay, double backoff, double jitter, On on) {
    this(max, delay, backoff, jitter, on, List.of());
  }

  /// Retries every failure.
  public Retry(int max, Duration delay, double backoff, double jitter) {
    this(max, delay, backoff, jitter, On.ANY);
  }

  /// Returns this retry, limited to attempts whose handler states that nothing was sent.
  public Retry onNotSent() {
    return new Retry(max, delay, backoff, jitter, On.NOT_SENT, except);
  }

  /// Returns this retry without attempts after these reasons.
  public Retry except(String... reasons) {
    List<String> all = new ArrayList<>(except);
    all.addAll(List.of(reasons));
    return new Retry(max, delay, backoff, jitter, on, all);
  }

  /// Returns this retry without attempts after these exceptions and their subclasses. A typed task
  /// that such an exception ends fails with the simple name of the class as its reason.
  public Retry except(Class<?>... types) {
    return except(Arrays.stream(types).map(Class::getSimpleName).toArray(String[]::new));
  }

  /// Whether a failure with this reason is retried while attempts are left.
  public boolean covers(String reason) {
    return (on == On.ANY || reason.equals(NOT_SENT)) && !except.contains(reason);
  }

  /// Doubles the delay from one second on, with a little jitter.
  public static Retry exponential(int max) {
    return new Retry(max, Duration.ofSeconds(1), 2.0, 0.2);
  }

  /// The wait after the given failed attempt, in milliseconds. The jitter comes from `entropy`, so
  /// that the same execution always waits equally long.
  public long delayMillis(int attempt, long entropy) {
    double base = (double) Millis.of(delay) * Math.pow(backoff, attempt - 1.0);
    double spread = ((entropy >>> 11) * 0x1.0p-53 - 0.5) * jitter;
    return Math.min((long) (base * (1.0 + spread)), DELAY_MAX.toMillis());
  }
}
