package dev.damask.intake;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/// The inbox of a shard under the interleavings of three threads: nothing is lost, doubled or
/// overtaken, nothing gets in once it is closed, and the bound holds.
class InboxModelTest {
  private static final int MAX = 2;

  @Test
  void no_interleaving_of_callers_breaks_the_inbox() {
    options().check(RealInbox.class);
  }

  @Test
  void the_checker_finds_an_inbox_that_looks_before_it_locks() {
    assertThatThrownBy(() -> options().check(LooksFirst.class))
        .isInstanceOf(LincheckAssertionError.class);
  }

  private static ModelCheckingOptions options() {
    return new ModelCheckingOptions()
        .sequentialSpecification(PlainInbox.class)
        .iterations(4)
        .invocationsPerIteration(200)
        .threads(3)
        .actorsPerThread(3)
        .actorsBefore(1)
        .actorsAfter(2)
        .minimizeFailedScenario(false);
  }

  private static Request request(int number) {
    return new Request.Look(Integer.toString(number), new CompletableFuture<>());
  }

  /// The inbox that shards use, refusing where it would make a caller wait.
  public static class RealInbox {
    private final Inbox inbox = new Inbox(MAX, true);

    @Operation
    public String putOne() {
      return put(1);
    }

    @Operation
    public String putTwo() {
      return put(2);
    }

    private String put(int number) {
      try {
        return inbox.put(request(number)) ? "in" : "closed";
      } catch (IllegalStateException e) {
        return "full";
      }
    }

    @Operation
    public String take() {
      List<Request> taken = new ArrayList<>();
      inbox.take(taken, 1);
      return taken.isEmpty() ? "nothing" : taken.getFirst().caseId();
    }

    @Operation
    public int drain() {
      return inbox.drain().size();
    }

    @Operation
    public int size() {
      return inbox.size();
    }

    @Operation
    public void close() {
      inbox.close();
    }
  }

  /// What the inbox must look like from outside, written for one thread.
  public static class PlainInbox {
    private final ArrayDeque<Integer> numbers = new ArrayDeque<>();
    private boolean isClosed;

    public String putOne() {
      return put(1);
    }

    public String putTwo() {
      return put(2);
    }

    private String put(int number) {
      if (isClosed) {
        return "closed";
      }
      if (numbers.size() >= MAX) {
        return "full";
      }
      numbers.addLast(number);
      return "in";
    }

    public String take() {
      Integer first = numbers.pollFirst();
      return first == null ? "nothing" : first.toString();
    }

    public int drain() {
      int size = numbers.size();
      numbers.clear();
      return size;
    }

    public int size() {
      return numbers.size();
    }

    public void close() {
      isClosed = true;
    }
  }

  /// Broken on purpose: the bound is looked at outside of the lock.
  public static class LooksFirst {
    private final ArrayDeque<Integer> numbers = new ArrayDeque<>();
    private boolean isClosed;

    @Operation
    public String putOne() {
      return put(1);
    }

    @Operation
    public String putTwo() {
      return put(2);
    }

    private String put(int number) {
      int before = size();
      synchronized (numbers) {
        if (isClosed) {
          return "closed";
        }
        if (before >= MAX) {
          return "full";
        }
        numbers.addLast(number);
        return "in";
      }
    }

    @Operation
    public String take() {
      synchronized (numbers) {
        Integer first = numbers.pollFirst();
        return first == null ? "nothing" : first.toString();
      }
    }

    @Operation
    public int drain() {
      synchronized (numbers) {
        int size = numbers.size();
        numbers.clear();
        return size;
      }
    }

    @Operation
    public int size() {
      synchronized (numbers) {
        return numbers.size();
      }
    }

    @Operation
    public void close() {
      synchronized (numbers) {
        isClosed = true;
      }
    }
  }
}
