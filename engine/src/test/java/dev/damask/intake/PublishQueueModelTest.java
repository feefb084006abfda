package dev.damask.intake;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The publish queue under the interleavings of threads that commit under the shard's lock and
/// publish after they have released it: what is published was committed before, in that order, and
/// every commit is published before its thread returns.
@Timeout(180)
class PublishQueueModelTest {
  @Test
  void no_interleaving_publishes_out_of_commit_order_or_forgets_a_commit() {
    options().check(RealQueue.class);
  }

  @Test
  void the_checker_finds_threads_that_publish_their_own_commit() {
    assertThatThrownBy(() -> options().check(EachItsOwn.class))
        .isInstanceOf(LincheckAssertionError.class);
  }

  private static ModelCheckingOptions options() {
    return new ModelCheckingOptions()
        .sequentialSpecification(PlainQueue.class)
        .iterations(6)
        .invocationsPerIteration(300)
        .threads(2)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(1)
        .minimizeFailedScenario(false);
  }

  /// Two turns that commit one number each.
  public static class RealQueue {
    private final ReentrantLock lock = new ReentrantLock();
    private final PublishQueue queue = new PublishQueue();
    private int commits;
    private volatile int published;
    private volatile boolean isWrong;

    /// Commits a number, publishes, and returns when the number is published.
    @Operation
    public boolean turn() {
      int mine;
      lock.lock();
      try {
        mine = ++commits;
        queue.addCompletion(() -> publish(mine));
      } finally {
        lock.unlock();
      }
      while (published < mine && !isWrong) {
        queue.drain(() -> false);
      }
      return isWrong;
    }

    private void publish(int number) {
      isWrong |= number != published + 1;
      published = number;
    }
  }

  /// Every commit is published in its place.
  public static class PlainQueue {
    public boolean turn() {
      return false;
    }
  }

  /// Broken on purpose: each thread publishes the first entry that it finds, beside the others.
  public static class EachItsOwn {
    private final ReentrantLock lock = new ReentrantLock();
    private final ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
    private int commits;
    private volatile int published;
    private volatile boolean isWrong;

    @Operation
    public boolean turn() {
      lock.lock();
      try {
        queue.add(++commits);
      } finally {
        lock.unlock();
      }
      Integer next = queue.poll();
      if (next != null) {
        isWrong |= next != published + 1;
        published = next;
      }
      return isWrong;
    }
  }
}
