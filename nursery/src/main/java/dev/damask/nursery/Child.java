package dev.damask.nursery;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A child of a nursery, seen from outside. Its own code sees it as `Self`.
public sealed interface Child<T extends @Nullable Object> permits RunningChild {

  /// The name it was given.
  String name();

  /// Where it stands.
  ChildState state();

  /// How it ended, if it has.
  Optional<ChildResult<T>> tryResult();

  /// Waits until it has ended, its cleanups included, and says how.
  ChildResult<T> await() throws InterruptedException;

  /// What it returned. `IllegalStateException` if it has not returned, or did not end well.
  T value();

  /// Tells this child alone to stop: sets its token and interrupts it. False if it was told before
  /// or has ended. A child that stops because of this does not make its nursery fail.
  boolean cancel(CancelReason reason);

  /// What it may spend; its own if it was spawned with a grant, otherwise that of its nursery.
  Budget budget();
}
