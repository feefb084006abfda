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

/// The queue of the group commit under the interleavings of those who commit, the one who adds and
/// the one who writes: every batch reaches the disk once and in order.
@Timeout(120)
class GroupCommitModelTest {
  private static final CommitBatch ONE = new CommitBatch(List.of());
  private static final CommitBatch TWO = new CommitBatch(List.of());

  @Test
  void no_interleaving_loses_doubles_or_reorders_a_batch() {
    options().check(RealQueue.class);
  }

  @Test
  void the_checker_finds_a_writer_that_takes_in_two_steps() {
    assertThatThrownBy(() -> options().check(TakesTwice.class))
        .isInstanceOf(LincheckAssertionError.class);
  }

  private static ModelCheckingOptions options() {
    return new ModelCheckingOptions()
        .sequentialSpecification(PlainQueue.class)
        .iterations(10)
        .invocationsPerIteration(60)
        .threads(2)
        .actorsPerThread(4)
        .actorsBefore(4)
        .actorsAfter(3)
        .minimizeFailedScenario(false);
  }

  private static String name(CommitBatch batch) {
    return batch == ONE ? "1" : "2";
  }

  /// What is written.
  private static final class Disk implements GroupCommit.Pen<String> {
    private final StringBuilder untaken = new StringBuilder();
    private final StringBuilder content = new StringBuilder();

    @Override
    public void look(CommitBatch batch, Runnable awaitDisk) {}

    @Override
    public void add(CommitBatch batch) {
      untaken.append(name(batch));
    }

    @Override
    public boolean isFull() {
      return false;
    }

    @Override
    public String take() {
      String all = untaken.toString();
      untaken.setLength(0);
      return all;
    }

    @Override
    public synchronized void sync(String taken) {
      content.append(taken);
    }

    synchronized String content() {
      return content.toString();
    }
  }

  /// The queue of the writer.
  public static class RealQueue {
    private final Disk disk = new Disk();
    private final GroupCommit<String> commits = new GroupCommit<>(disk);

    @Operation
    public String commitOne() {
      return commit(ONE);
    }

    @Operation
    public String commitTwo() {
      return commit(TWO);
    }

    private String commit(CommitBatch batch) {
      CompletableFuture<Void> done = commits.commit(batch);
      return done.isCompletedExceptionally() ? "closed" : "in";
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
      return disk.content();
    }
  }

  /// What the queue must look like from outside, written for one thread.
  public static class PlainQueue {
    private final ArrayDeque<String> waiting = new ArrayDeque<>();
    private final List<String> added = new ArrayList<>();
    private String content = "";

    public String commitOne() {
      return commit("1");
    }

    public String commitTwo() {
      return commit("2");
    }

    private String commit(String batch) {
      waiting.addLast(batch);
      return "in";
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

  /// Broken on purpose: between looking at what was added and forgetting it, more may be added.
  public static class TakesTwice {
    private final ArrayDeque<String> waiting = new ArrayDeque<>();
    private final List<String> added = new ArrayList<>();
    private String content = "";

    @Operation
    public synchronized String commitOne() {
      return commit("1");
    }

    @Operation
    public synchronized String commitTwo() {
      return commit("2");
    }

    private String commit(String batch) {
      waiting.addLast(batch);
      return "in";
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
    public boolean write() {
      List<String> taken;
      synchronized (this) {
        taken = List.copyOf(added);
      }
      synchronized (this) {
        content += String.join("", taken);
        added.clear();
      }
      return !taken.isEmpty();
    }

    @Operation
    public synchronized String disk() {
      return content;
    }
  }
}
