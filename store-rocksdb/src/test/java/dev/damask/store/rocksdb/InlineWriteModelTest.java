package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.store.CommitBatch;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Committers that write their own batch, under the interleavings with those that queue theirs: a
/// batch is on the disk when its future completes, and once.
@Timeout(180)
class InlineWriteModelTest {
  private static final CommitBatch ONE = new CommitBatch(List.of());
  private static final CommitBatch TWO = new CommitBatch(List.of());

  @Test
  void no_interleaving_of_inline_and_queued_writes_loses_or_doubles_a_batch() {
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
        .iterations(8)
        .invocationsPerIteration(200)
        .threads(2)
        .actorsPerThread(2)
        .actorsBefore(1)
        .actorsAfter(1)
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

  /// The queue of the writer. A committer whose batch is queued does the work of the two threads.
  public static class RealQueue {
    private final Disk disk = new Disk();
    private final GroupCommit<String> commits = new GroupCommit<>(disk);

    @Operation
    public void here() {
      await(commits.commitHere(ONE));
    }

    @Operation
    public void queue() {
      await(commits.commit(TWO));
    }

    private void await(CompletableFuture<Void> done) {
      while (!done.isDone()) {
        commits.tryAdd();
        commits.tryWrite();
      }
    }

    @Operation
    public String disk() {
      return disk.content;
    }
  }

  /// What the queue must look like from outside, written for one thread.
  public static class PlainQueue {
    private String content = "";

    public void here() {
      content += "1";
    }

    public void queue() {
      content += "2";
    }

    public String disk() {
      return content;
    }
  }

  /// Broken on purpose: whether another thread writes is looked at before the write is claimed.
  public static class LooksFirst {
    private volatile boolean isWriting;
    private volatile String content = "";

    @Operation
    public void here() {
      write("1");
    }

    @Operation
    public void queue() {
      write("2");
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // that is the bug
    private void write(String batch) {
      while (isWriting) {
        Thread.onSpinWait();
      }
      isWriting = true;
      content += batch;
      isWriting = false;
    }

    @Operation
    public String disk() {
      return content;
    }
  }
}
