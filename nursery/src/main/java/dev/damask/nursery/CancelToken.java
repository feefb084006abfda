package dev.damask.nursery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A promise that somebody may break off: it can be cancelled once, with a reason, and tells
/// everyone who asked to be told. Tokens form a tree; cancelling one cancels those below it, with
/// the reason `PARENT`.
///
/// Any thread may use any method. Callbacks run on the thread that cancels, in the order they were
/// registered, each exactly once; on a token that is already cancelled they run at once, on the
/// thread that registers. They should be short.
public final class CancelToken {

  /// Levels of tokens below each other.
  public static final int DEPTH_MAX = 1_000;

  /// A callback that can be taken back.
  public interface Registration extends AutoCloseable {
    /// Takes the callback back. It may still be running.
    @Override
    void close();
  }

  private record Callback(Consumer<? super CancelReason> action) {
    // Two registrations of one action are two callbacks.
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  private static final Registration NOTHING_TO_TAKE_BACK = () -> {};

  private final @Nullable CancelToken parent; // null at the root of a tree
  private final @Nullable Consumer<? super CancelReason>
      first; // null when no nursery stands behind
  private final int depth;
  private final Object lock = new Object();

  // written once under the lock, read by any thread
  private volatile @Nullable CancelReason reason;
  // the rest is read and written under the lock
  private @Nullable Set<Callback> callbacks; // null until there is one
  private @Nullable Future<?> timer; // null without a deadline
  private long deadlineNanos;
  private @Nullable Registration link; // null when nothing above tells it

  private CancelToken(
      @Nullable CancelToken parent, @Nullable Consumer<? super CancelReason> first) {
    this.parent = parent;
    this.first = first;
    this.depth = parent == null ? 1 : parent.depth + 1;
    if (depth > DEPTH_MAX) {
      throw new IllegalStateException("expected at most " + DEPTH_MAX + " levels of cancel tokens");
    }
  }

  /// A token with nothing above it.
  public static CancelToken create() {
    return new CancelToken(null, null);
  }

  /// A token below `parent` on whose behalf `first` runs before all callbacks. It is not told of
  /// the parent's cancellation: the caller does that, or registers it.
  static CancelToken below(
      @Nullable CancelToken parent, @Nullable Consumer<? super CancelReason> first) {
    return new CancelToken(parent, first);
  }

  /// A token that is cancelled when this one is, or by itself.
  public CancelToken child() {
    var child = new CancelToken(this, null);
    child.follow(this);
    return child;
  }

  /// Cancels this token and everything below it; false if that has already happened.
  ///
  /// Every callback runs, whatever the others do. The first exception one of them throws is thrown
  /// here at the end, with those of the others suppressed in it.
  public boolean cancel(CancelReason why) {
    Set<Callback> toRun;
    synchronized (lock) {
      if (reason != null) {
        return false;
      }
      reason = why;
      toRun = callbacks;
      callbacks = null;
    }
    retire();
    var actions = new ArrayList<Consumer<? super CancelReason>>();
    if (first != null) {
      actions.add(first);
    }
    if (toRun != null) {
      toRun.forEach(callback -> actions.add(callback.action()));
    }
    runAll(actions, why);
    return true;
  }

  /// Cancels this token when `above` is cancelled, until it is retired.
  void follow(CancelToken above) {
    Registration registration = above.onCancel(why -> cancel(why.handedDown()));
    synchronized (lock) {
      link = registration;
    }
  }

  /// Whether it was cancelled.
  public boolean isCancelled() {
    return reason != null;
  }

  /// Why it was cancelled, if it was.
  public Optional<CancelReason> reason() {
    return Optional.ofNullable(reason);
  }

  @Nullable CancelReason reasonOrNull() {
    return reason;
  }

  /// The token whose cancellation cancels this one.
  public Optional<CancelToken> parent() {
    return Optional.ofNullable(parent);
  }

  /// Throws if it was cancelled.
  public void throwIfCancelled() {
    CancelReason why = reason;
    if (why != null) {
      throw new NurseryCancelled("token", why);
    }
  }

  /// Runs the action when this token is cancelled; at once, if it already is.
  public Registration onCancel(Consumer<? super CancelReason> action) {
    var callback = new Callback(action);
    CancelReason why;
    synchronized (lock) {
      why = reason;
      if (why == null) {
        if (callbacks == null) {
          callbacks = new LinkedHashSet<>();
        }
        callbacks.add(callback);
      }
    }
    if (why != null) {
      action.accept(why);
      return NOTHING_TO_TAKE_BACK;
    }
    return () -> takeBack(callback);
  }

  /// Cancels this token with the reason `TIMEOUT` once the time has passed. Of several deadlines
  /// the earliest holds.
  public void cancelAfter(Duration time) {
    long nanos = Timers.nanos(time);
    long due = System.nanoTime() + nanos;
    synchronized (lock) {
      if (reason != null || (timer != null && deadlineNanos - due <= 0)) {
        return;
      }
      if (timer != null) {
        timer.cancel(false);
      }
      deadlineNanos = due;
      timer = Timers.after(time, () -> cancel(CancelReason.timeout(time + " passed")));
    }
  }

  /// The time left until the earliest deadline of this token or one above it.
  public Optional<Duration> timeLeft() {
    Duration least = null;
    for (CancelToken token = this; token != null; token = token.parent) {
      synchronized (token.lock) {
        if (token.timer != null) {
          var left = Duration.ofNanos(Math.max(0, token.deadlineNanos - System.nanoTime()));
          least = least == null || left.compareTo(least) < 0 ? left : least;
        }
      }
    }
    return Optional.ofNullable(least);
  }

  /// Stops its clock and takes it off its parent: what this token stood for has ended. A parent
  /// that lives long would otherwise remember every token there ever was below it.
  public void retire() {
    Registration toClose;
    synchronized (lock) {
      if (timer != null) {
        timer.cancel(false);
        timer = null;
      }
      toClose = link;
      link = null;
    }
    if (toClose != null) {
      toClose.close();
    }
  }

  /// How many callbacks wait for a cancellation.
  int callbacks() {
    synchronized (lock) {
      return callbacks == null ? 0 : callbacks.size();
    }
  }

  private void takeBack(Callback callback) {
    synchronized (lock) {
      if (callbacks != null) {
        callbacks.remove(callback);
      }
    }
  }

  private static void runAll(List<Consumer<? super CancelReason>> actions, CancelReason why) {
    Throwable thrown = null;
    for (var action : actions) {
      try {
        action.accept(why);
      } catch (RuntimeException | Error e) {
        thrown = Errors.joined(thrown, e);
      }
    }
    Errors.rethrow(thrown);
  }
}
