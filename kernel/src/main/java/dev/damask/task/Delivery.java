package dev.damask.task;

/// How often an effect may reach the outside when the engine cannot know whether it already did.
public enum Delivery {
  /// At least once, always with the same idempotency key.
  KEYED,
  /// Never twice; an unknown outcome fails the task with `unknown_outcome`.
  AT_MOST_ONCE,
  /// Any number of times; the result that was used is recorded like any other.
  READ
}
