package dev.damask.cases;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.intake.Inbox;
import dev.damask.intake.PublishQueue;
import dev.damask.intake.Request;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The ways into a shard together: callers that take a turn, callers that queue, the shard's own
/// rounds, commits in flight and the publish queue. The inbox and the publish queue are those of
/// the engine; a counter takes the place of the cases, because the checker does not finish on a
/// whole machine.
///
/// An input that a thread has queued is applied before what the same thread asks for later, and
/// commits are published in their order.
@Timeout(120)
class CallerTurnModelTest {
  @Test
  void no_interleaving_of_turns_and_rounds_overtakes_an_input_or_a_commit() {
    options().check(RealWays.class);
  }

  @Test
  void the_checker_finds_a_shard_that_takes_requests_before_it_locks() {
    assertThatThrownBy(() -> options().check(TakesFirst.class))
        .isInstanceOf(LincheckAssertionError.class);
  }

  @Test
  void the_checker_finds_a_caller_that_does_not_look_for_commits_in_flight() {
    assertThatThrownBy(() -> options().check(IgnoresCommits.class))
        .isInstanceOf(LincheckAssertionError.class);
  }

  private static ModelCheckingOptions options() {
    return new ModelCheckingOptions()
        .sequentialSpecification(PlainWays.class)
        .iterations(12)
        .invocationsPerIteration(300)
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(0)
        .actorsAfter(1)
        .minimizeFailedScenario(false);
  }

  /// The rules of [CallerTurn] and [ShardThread], with a counter as the state.
  public static class RealWays {
    final ReentrantLock lock = new ReentrantLock();
    final Inbox inbox = new Inbox(64, true);
    final PublishQueue publishing = new PublishQueue();

    // Guarded by the lock.
    final ArrayDeque<Integer> inFlight = new ArrayDeque<>();
    final List<Request> taken = new ArrayList<>();
    final IdentityHashMap<Request, Integer> applied = new IdentityHashMap<>();
    int count;

    private volatile int published;
    private volatile boolean isWrong;

    /// As a caller that does not wait.
    @Operation
    public void queue() {
      inbox.put(request());
    }

    /// As a caller that waits: it takes a turn if the shard is idle. Returns how many inputs were
    /// applied.
    @Operation
    public int ask() {
      if (lock.tryLock()) {
        int mine = 0;
        try {
          if (isIdle()) {
            mine = ++count;
            int number = mine;
            publishing.addCompletion(() -> publish(number));
          }
        } finally {
          lock.unlock();
        }
        if (mine > 0) {
          return published(mine);
        }
      }
      return published(queued());
    }

    boolean isIdle() {
      return inbox.size() == 0 && inFlight.isEmpty() && !lock.hasQueuedThreads();
    }

    /// Queues the input and runs rounds until it is published.
    private int queued() {
      Request mine = request();
      inbox.put(mine);
      while (true) {
        lock.lock();
        try {
          takeRequests();
          apply();
          Integer number = applied.get(mine);
          if (number != null) {
            return number;
          }
        } finally {
          lock.unlock();
        }
      }
    }

    /// One round of the shard's thread.
    @Operation(nonParallelGroup = "shard")
    public void round() {
      beforeRound();
      lock.lock();
      try {
        takeRequests();
        apply();
      } finally {
        lock.unlock();
      }
      publishing.drain(() -> false);
    }

    void beforeRound() {}

    void takeRequests() {
      inbox.take(taken, 8);
    }

    /// Applies what was taken; a commit becomes durable in a later round.
    void apply() {
      while (!inFlight.isEmpty()) {
        int number = inFlight.poll();
        publishing.addCompletion(() -> publish(number));
      }
      for (Request each : taken) {
        inFlight.add(++count);
        applied.put(each, count);
      }
      taken.clear();
    }

    private void publish(int number) {
      isWrong |= number != published + 1;
      published = number;
    }

    /// Runs rounds until a commit is published.
    private int published(int number) {
      while (published < number && !isWrong) {
        lock.lock();
        try {
          apply();
        } finally {
          lock.unlock();
        }
        publishing.drain(() -> false);
      }
      return isWrong ? -1 : number;
    }

    private static Request request() {
      return new Request.Settle("one", new CompletableFuture<>());
    }
  }

  /// What the ways must look like from outside, written for one thread.
  public static class PlainWays {
    private int count;

    public void queue() {
      count++;
    }

    public int ask() {
      return ++count;
    }

    public void round() {}
  }

  /// Broken on purpose: between taking and locking, a caller finds an empty inbox.
  public static class TakesFirst extends RealWays {
    @Override
    void beforeRound() {
      inbox.take(taken, 8);
    }
  }

  /// Broken on purpose: a turn is published before the commits that are in flight.
  public static class IgnoresCommits extends RealWays {
    @Override
    boolean isIdle() {
      return inbox.size() == 0 && !lock.hasQueuedThreads();
    }
  }
}
