package dev.damask.nursery;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A token that can be cancelled once, with a reason. It then runs the callbacks that were
/// registered. Tokens form a tree; cancelling one cancels those below it, with the reason `PARENT`.
///
/// Any thread may use any method. Callbacks run on the thread that cancels, in the order they were
/// registered, each exactly once. If one blocks for longer than 100 ms, the next ones run on
/// another thread; after a deadline all of them do. On a token that is already cancelled a callback
/// runs at once, on the thread that registers it.
public final class CancelToken {

  /// The maximum number of token levels.
  public static final int DEPTH_MAX = 1_000;

  /// A callback that can be removed.
  public interface Registration extends AutoCloseable {
    /// Removes the callback. It may still be running.
    @Override
    void close();
  }

  /// The nursery or child that a token belongs to.
  interface Target {
    /// Changes the state together with the reason of the token: it is called under the lock of the
    /// token, before the reason can be read. Returns the reason, the one that the target got
    /// before, or null if the target has ended.
    @Nullable CancelReason begin(CancelReason why, TreeCancellation work);

    /// Passes the reason on after it can be read. Tokens that follow this one are cancelled
    /// separately.
    default void spread(CancelReason why, TreeCancellation work) {}
  }

  /// A user's action, or a token below this one. Compared by identity: two registrations of one
  /// action are two callbacks.
  private static final class Callback {
    final @Nullable Consumer<? super CancelReason> action; // null for a token
    final @Nullable CancelToken follower; // null for an action

    Callback(@Nullable Consumer<? super CancelReason> action, @Nullable CancelToken follower) {
      this.action = action;
      this.follower = follower;
    }
  }

  private static final Registration NOTHING_TO_TAKE_BACK = () -> {};

  private final @Nullable CancelToken parent; // null at the root of a tree
  private final @Nullable Target target; // null if it belongs to no nursery or child
  private final int depth;
  final Object lock = new Object();

  // written once under the lock, read by any thread
  private volatile @Nullable CancelReason reason;
  // the rest is read and written under the lock
  private @Nullable Set<Callback> callbacks; // null until there is one
  private @Nullable Future<?> timer; // null without a deadline
  private long deadlineNanos;
  private @Nullable Registration link; // null when it follows no token

  private CancelToken(@Nullable CancelToken parent, @Nullable Target target) {
    this.parent = parent;
    this.target = target;
    this.depth = parent == null ? 1 : parent.depth + 1;
    if (depth > DEPTH_MAX) {
      throw new IllegalStateException("cancel tokens nest more than " + DEPTH_MAX + " levels deep");
    }
  }

  /// Creates a token without a parent.
  public static CancelToken create() {
    return new CancelToken(null, null);
  }

  /// Creates the token of a nursery or child. The caller makes it follow the parent.
  static CancelToken below(@Nullable CancelToken parent, Target target) {
    return new CancelToken(parent, target);
  }

  /// Creates a token that is cancelled with this one, or on its own. This token keeps a reference
  /// to it until one of the two is cancelled.
  public CancelToken child() {
    var child = new CancelToken(this, null);
    child.follow(this);
    return child;
  }

  /// Cancels this token and everything below it. Returns false if that has already happened, or if
  /// the token belongs to a nursery that has ended.
  ///
  /// All children below are interrupted before the first callback runs, and every callback runs,
  /// also if others throw. If one blocks, another thread runs the next ones. The first exception
  /// that a callback throws is thrown here at the end, with those of the others suppressed in it.
  public boolean cancel(CancelReason why) {
    return TreeCancellation.of(this, Objects.requireNonNull(why, "reason"));
  }

  /// Sets the reason, together with the state of the nursery or child it belongs to, and collects
  /// the remaining work.
  boolean mark(CancelReason why, TreeCancellation work) {
    CancelReason set;
    Set<Callback> toRun;
    synchronized (lock) {
      set = reason != null ? null : target == null ? why : target.begin(why, work);
      if (set == null) {
        return false;
      }
      reason = set;
      toRun = callbacks;
      callbacks = null;
    }
    CancelReason known = set;
    if (toRun != null) {
      for (Callback callback : toRun) {
        if (callback.follower != null) {
          work.add(callback.follower, known.handedDown());
        } else if (callback.action != null) {
          Consumer<? super CancelReason> action = callback.action;
          work.action(() -> action.accept(known));
        }
      }
    }
    try {
      if (target != null) {
        target.spread(known, work);
      }
    } finally {
      retire();
    }
    return true;
  }

  /// Cancels this token when `above` is cancelled, until it is retired.
  void follow(CancelToken above) {
    var callback = new Callback(null, this);
    CancelReason why = above.register(callback);
    if (why != null) {
      cancel(why.handedDown());
      return;
    }
    synchronized (lock) {
      if (reason == null) {
        link = () -> above.takeBack(callback);
        return;
      }
    }
    above.takeBack(callback);
  }

  /// Returns whether this token was cancelled.
  public boolean isCancelled() {
    return reason != null;
  }

  /// Returns the reason if this token was cancelled.
  public Optional<CancelReason> reason() {
    return Optional.ofNullable(reason);
  }

  @Nullable CancelReason reasonOrNull() {
    return reason;
  }

  /// Returns the token whose cancellation cancels this one.
  public Optional<CancelToken> parent() {
    return Optional.ofNullable(parent);
  }

  /// Throws `NurseryCancelled` if this token was cancelled.
  public void throwIfCancelled() {
    CancelReason why = reason;
    if (why != null) {
      throw new NurseryCancelled("token", why);
    }
  }

  /// Runs the action when this token is cancelled, or immediately if it is cancelled already.
  public Registration onCancel(Consumer<? super CancelReason> action) {
    var callback = new Callback(Objects.requireNonNull(action, "action"), null);
    CancelReason why = register(callback);
    if (why != null) {
      action.accept(why);
      return NOTHING_TO_TAKE_BACK;
    }
    return () -> takeBack(callback);
  }

  private @Nullable CancelReason register(Callback callback) {
    synchronized (lock) {
      if (reason == null) {
        if (callbacks == null) {
          callbacks = new LinkedHashSet<>();
        }
        callbacks.add(callback);
      }
      return reason;
    }
  }

  /// Cancels this token with the reason `TIMEOUT` after this time, or immediately if the time is
  /// zero or negative. If there are several deadlines, the earliest applies.
  public void cancelAfter(Duration time) {
    long nanos = Deadlines.nanos(time);
    if (nanos == 0) {
      cancel(CancelReason.timeout(time + " passed"));
      return;
    }
    long due = System.nanoTime() + nanos;
    synchronized (lock) {
      if (reason != null || (timer != null && deadlineNanos - due <= 0)) {
        return;
      }
      if (timer != null) {
        timer.cancel(false);
      }
      deadlineNanos = due;
      timer = Deadlines.after(time, () -> cancel(CancelReason.timeout(time + " passed")));
    }
  }

  /// Cancels this token if its deadline has passed and the timer is late.
  void expireIfDue() {
    boolean isDue;
    synchronized (lock) {
      isDue = timer != null && deadlineNanos - System.nanoTime() <= 0;
    }
    if (isDue) {
      cancel(CancelReason.timeout("deadline passed"));
    }
  }

  /// Returns the reason, also while another thread is about to publish it.
  @Nullable CancelReason settledReason() {
    synchronized (lock) {
      return reason;
    }
  }

  /// Returns the time left until the earliest deadline of this token or one above it.
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

  /// Stops the timer and removes this token from its parent, because its nursery or child has
  /// ended. A long-lived parent would otherwise keep every token ever created below it.
  void retire() {
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

  /// Returns the number of registered callbacks.
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
}
