package dev.damask.testkit;

import dev.damask.effect.EffectHandler;
import dev.damask.value.Context;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The scripted response of an external service to an effect of a test.
public sealed interface Answer {
  /// The effect has this result.
  record Result(Context context) implements Answer {}

  /// The attempt fails with this reason.
  record Failing(String reason) implements Answer {}

  /// The attempt is never answered.
  record Never() implements Answer {}

  /// A handler answers on the test's thread.
  record Performed(EffectHandler handler) implements Answer {}

  /// The answer arrives after a delay.
  record Delayed(Duration time, Answer answer) implements Answer {}

  /// Returns an empty result.
  static Answer ok() {
    return new Result(Context.empty());
  }

  /// Returns a result with one value.
  static Answer of(String key, @Nullable Object value) {
    return new Result(Context.of(key, value));
  }

  /// Returns this result.
  static Answer of(Context result) {
    return new Result(result);
  }

  /// Returns a failure with this reason, which the workflow's handlers compare.
  static Answer failing(String reason) {
    return new Failing(reason);
  }

  /// Returns an answer that never arrives.
  static Answer never() {
    return new Never();
  }

  /// Returns an answer that the handler computes on the test's thread.
  static Answer by(EffectHandler handler) {
    return new Performed(handler);
  }

  /// Returns the same answer after some virtual time.
  default Answer after(Duration time) {
    return new Delayed(time, this);
  }
}
