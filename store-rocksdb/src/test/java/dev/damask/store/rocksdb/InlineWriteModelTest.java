package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.store.CommitBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Committers that write their own batch, under the interleavings with those who queue, the thread
/// that adds and the thread that writes: a batch is on the disk when its future completes, once and
/// in order.
@Timeout(180)
class InlineWriteModelTest {
  private static final CommitBatch ONE = new CommitBatch(List.of());
  private static final CommitBatch TWO = new CommitBatch(List.of());

  @Test
  void no_interleaving_of_inline_and_queued_writes_loses_doubles_or_reorders_a_batch() {
    options().check(RealQueue.class);
  }

  @Test
  void the_checker_finds_a_committer_that_looks_before_it_enters() {
    assertThatThrownBy(() -> options().check(LooksFirst.class))
        .isInstanceOf(LincheckAssertionError.class);
  }

  private static ModelCheckingOptions options() {
    return new ModelCheckingOptions()
        .sequentialSpecification(PlainQueue.class)
        .iterations(12)
        .invocationsPerIteration(60)
        .threads(3)
        .actorsPerThread(3)
        .actorsBefore(2)
        .actorsAfter(3)
        .minimizeFailedScenario(false);
  }

  /// What is written. Adding, taking and syncing are not made for two threads at a time.
  private static final class Disk implements GroupCommit.Pen<String> {
    private String untaken = "";
    private volatile String content = "";

    @Override
    public void look(CommitBatch batch, Runnable awaitDisk) {}

    @Override
    public void add(CommitBatch batch) {
      untaken += batch == ONE ? "1" : "2";
    }

    @Override
    public boolean isFull() {
      return false;
    }

    @Override
    public String take() {
      String all = untaken;
      untaken = "";
      return all;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // two writers at a time would lose a batch
    public void sync(String taken) {
      content += taken;
    }
  }

  /// The queue of the writer.
  public static class RealQueue {
    private final Disk disk = new Disk();
    private final GroupCommit<String> commits = new GroupCommit<>(disk);

    @Operation
    public String here() {
      CompletableFuture<Void> done = commits.commitHere(ONE);
      return done.isDone() ? "written" : "queued";
    }

    @Operation
    public void queue() {
      var _ = commits.commit(TWO);
    }

    @Operation(nonParallelGroup = "encoder")
    public boolean add() {
      return commits.tryAdd();
    }

    @Operation(nonParallelGroup = "writer")
    public boolean write() {
      return commits.tryWrite();
    }

    @Operation
    public String disk() {
      return disk.content;
    }
  }

  /// What the queue must look like from outside, written for one thread.
  public static class PlainQueue {
    private final ArrayDeque<String> waiting = new ArrayDeque<>();
    private final List<String> added = new ArrayList<>();
    private String content = "";

    public String here() {
      if (waiting.isEmpty() && added.isEmpty()) {
        content += "1";
        return "written";
      }
      waiting.addLast("1");
      return "queued";
    }

    public void queue() {
      waiting.addLast("2");
    }

    public boolean add() {
      String next = waiting.pollFirst();
      if (next != null) {
        added.add(next);
      }
      return next != null;
    }

    public boolean write() {
      boolean isEmpty = added.isEmpty();
      content += String.join("", added);
      added.clear();
      return !isEmpty;
    }

    public String disk() {
      return content;
    }
  }

  /// Broken on purpose: what is queued is looked at before the write is claimed.
  public static class LooksFirst {
    private final ArrayDeque<String> waiting = new ArrayDeque<>();
    private final List<String> added = new ArrayList<>();
    private String content = "";

    @Operation
    public String here() {
      boolean isIdle;
      synchronized (this) {
        isIdle = waiting.isEmpty() && added.isEmpty();
      }
      synchronized (this) {
        if (isIdle) {
          content += "1";
          return "written";
        }
        waiting.addLast("1");
        return "queued";
      }
    }

    @Operation
    public synchronized void queue() {
      waiting.addLast("2");
    }

    @Operation(nonParallelGroup = "encoder")
    public synchronized boolean add() {
      String next = waiting.pollFirst();
      if (next != null) {
        added.add(next);
      }
      return next != null;
    }

    @Operation(nonParallelGroup = "writer")
    public synchronized boolean write() {
      boolean isEmpty = added.isEmpty();
      content += String.join("", added);
      added.clear();
      return !isEmpty;
    }

    @Operation
    public synchronized String disk() {
      return content;
    }
  }
}
