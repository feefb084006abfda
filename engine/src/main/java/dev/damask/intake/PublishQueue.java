package dev.damask.intake;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The handler calls, withdrawals, answers and events that may leave a shard, in commit order.
///
/// The thread that holds the shard's lock adds entries. Entries are published after that lock is
/// released, by one thread at a time. If two threads published, the call of a commit could start
/// after the acknowledged cancellation of a later commit.
public final class PublishQueue {
  /// One entry.
  public interface Entry {
    /// Starts the calls, completes the futures and notifies the listeners of the entry.
    void publish();

    /// Completes the futures of the entry that are not complete exceptionally: the entry is not
    /// published, or not as a whole.
    void refuse(RuntimeException why);
  }

  /// Completes futures that no commit is needed for.
  private record Completion(Runnable completion) implements Entry {
    @Override
    public void publish() {
      completion.run();
    }

    @Override
    public void refuse(RuntimeException why) {
      completion.run();
    }
  }

  /// What the thread that publishes does.
  public final ShardActivity activity = new ShardActivity();

  private final ConcurrentLinkedQueue<Entry> due = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isPublishing = new AtomicBoolean();

  // Written by the thread that publishes, read by the closer; null while none is published.
  private volatile @Nullable Entry current;

  /// Adds an entry. The caller holds the shard's lock.
  public void add(Entry entry) {
    due.add(entry);
  }

  /// Adds the completion of futures that need no commit. The caller holds the shard's lock.
  public void addCompletion(Runnable completion) {
    due.add(new Completion(completion));
  }

  /// Publishes entries until none is left, `isEnough` is true or another thread publishes, which
  /// then continues. Returns false if entries are left that no thread publishes.
  public boolean drain(BooleanSupplier isEnough) {
    while (!due.isEmpty()) {
      if (isEnough.getAsBoolean()) {
        return false;
      }
      if (!enter()) {
        return true;
      }
      try {
        publishNext();
      } finally {
        isPublishing.set(false);
      }
    }
    return true;
  }

  /// Publishes what is left and waits for a thread that publishes. Throws
  /// [ShardActivity.LeftBehind] if the closer has given that thread up.
  public void drainAndWait() {
    while (!due.isEmpty() || isPublishing.get()) {
      activity.requireNotLeft();
      try {
        drain(() -> false);
      } catch (ShardActivity.LeftBehind e) {
        throw e;
      } catch (RuntimeException | Error e) { // the others must not wait for it
        System.getLogger(PublishQueue.class.getName())
            .log(System.Logger.Level.ERROR, "a commit was not published", e);
      }
      if (isPublishing.get()) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
    }
  }

  /// Returns whether this thread may publish. The caller resets the flag.
  private boolean enter() {
    return isPublishing.compareAndSet(false, true);
  }

  /// Calls handlers, listeners and callbacks of futures, so it is an activity.
  private void publishNext() {
    activity.begin();
    try {
      Entry next = due.poll();
      if (next != null) {
        current = next;
        publish(next);
        current = null;
      }
    } finally {
      activity.end();
    }
  }

  /// Publishes an entry. If that breaks, the entry is refused, so that no caller waits for ever.
  private void publish(Entry next) {
    try {
      next.publish();
    } catch (ShardActivity.LeftBehind e) {
      throw e; // the closer refuses the entry
    } catch (RuntimeException | AssertionError | LinkageError | VirtualMachineError e) {
      current = null;
      next.refuse(
          new IllegalStateException(
              "an error prevented the answer; read the case before you try again: " + e, e));
      throw e;
    }
  }

  /// Refuses the entries that were not published.
  public void refuse(RuntimeException why) {
    List<Entry> left = new ArrayList<>();
    Entry stuck = current;
    if (stuck != null) {
      left.add(stuck);
    }
    for (Entry each = due.poll(); each != null; each = due.poll()) {
      left.add(each);
    }
    left.forEach(each -> each.refuse(why));
  }
}
