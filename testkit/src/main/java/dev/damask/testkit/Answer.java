package dev.damask.testkit;

import dev.damask.effect.EffectHandler;
import dev.damask.task.Context;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What the other side does when a test lets an effect reach it.
public sealed interface Answer {
  /// It has this result.
  record Result(Context context) implements Answer {}

  /// The attempt fails.
  record Failing(String reason) implements Answer {}

  /// Nobody ever answers.
  record Never() implements Answer {}

  /// A handler decides, in the thread of the test.
  record Performed(EffectHandler handler) implements Answer {}

  /// The same, but later.
  record Delayed(Duration time, Answer answer) implements Answer {}

  /// A result with nothing in it.
  static Answer ok() {
    return new Result(Context.empty());
  }

  /// A result with one value in it.
  static Answer of(String key, @Nullable Object value) {
    return new Result(Context.of(key, value));
  }

  static Answer of(Context result) {
    return new Result(result);
  }

  /// A failure with the short word that handlers in the workflow look at.
  static Answer failing(String reason) {
    return new Failing(reason);
  }

  static Answer never() {
    return new Never();
  }

  static Answer by(EffectHandler handler) {
    return new Performed(handler);
  }

  /// The same answer after some virtual time.
  default Answer after(Duration time) {
    return new Delayed(time, this);
  }
}
