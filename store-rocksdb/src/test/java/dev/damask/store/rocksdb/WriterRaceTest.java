package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.nursery.Nursery;
import dev.damask.store.CommitBatch;
import dev.damask.store.StoreException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The queue of the writer, with many committers, while it fails and while it is closed.
@Timeout(60)
final class WriterRaceTest {
  private static final int COMMITTERS = 6;
  private static final int BATCHES = 300;
  private static final int ROUNDS = 300;
  private static final int FULL = 7;

  /// Writes batches as they are.
  private record Pencil(
      List<CommitBatch> added, Consumer<CommitBatch> add, Consumer<List<CommitBatch>> disk)
      implements GroupCommit.Pen<List<CommitBatch>> {
    Pencil(Consumer<List<CommitBatch>> disk) {
      this(new ArrayList<>(), _ -> {}, disk);
    }

    @Override
    public void look(CommitBatch batch, Runnable awaitDisk) {}

    @Override
    public void add(CommitBatch batch) {
      add.accept(batch);
      added.add(batch);
    }

    @Override
    public boolean isFull() {
      return added.size() >= FULL;
    }

    @Override
    public List<CommitBatch> take() {
      List<CommitBatch> all = List.copyOf(added);
      added.clear();
      return all;
    }

    @Override
    public void sync(List<CommitBatch> taken) {
      disk.accept(taken);
    }
  }

  private static CommitBatch batch() {
    return new CommitBatch(List.of());
  }

  @Test
  void whoever_commits_while_the_store_closes_gets_an_answer() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    AtomicInteger written = new AtomicInteger();
    for (int round = 0; round < ROUNDS; round++) {
      Writer writer = new Writer(new Pencil(_ -> {}));
      List<CompletableFuture<Void>> answers = Collections.synchronizedList(new ArrayList<>());
      CyclicBarrier start = new CyclicBarrier(COMMITTERS + 1);
      try (Nursery nursery = Nursery.open("committers")) {
        for (int i = 0; i < COMMITTERS; i++) {
          nursery.spawn(
              "committer",
              () -> {
                start.await();
                for (int k = 0; k < 5; k++) {
                  answers.add(k % 2 == 0 ? writer.commit(batch()) : writer.commitHere(batch()));
                }
                return "";
              });
        }
        start.await();
        nursery.seal();
        writer.close();
      }
      for (CompletableFuture<Void> answer : answers) {
        answer
            .handle((nothing, problem) -> (problem == null ? written : refused).incrementAndGet())
            .get(10, TimeUnit.SECONDS);
      }
    }

    assertThat(written.get() + refused.get()).isEqualTo(ROUNDS * COMMITTERS * 5);
    assertThat(refused.get()).as("some came too late").isPositive();
  }

  @Test
  void batches_are_synced_once_in_the_order_of_each_committer_before_anybody_is_told()
      throws Exception {
    List<CommitBatch> synced = Collections.synchronizedList(new ArrayList<>());
    List<List<CommitBatch>> sent = new ArrayList<>();
    try (Writer writer = new Writer(new Pencil(synced::addAll));
        Nursery nursery = Nursery.open("committers")) {
      for (int i = 0; i < COMMITTERS; i++) {
        List<CommitBatch> own = new ArrayList<>();
        sent.add(own);
        nursery.spawn(
            "committer",
            () -> {
              for (int k = 0; k < BATCHES; k++) {
                CommitBatch batch = new CommitBatch(new ArrayList<>());
                own.add(batch);
                CompletableFuture<Void> done =
                    k % 3 == 0 ? writer.commitHere(batch) : writer.commit(batch);
                if (k % 10 == 0) {
                  done.get(10, TimeUnit.SECONDS);
                  assertThat(count(synced, batch)).isEqualTo(1);
                }
              }
              return "";
            });
      }
      nursery.awaitAll().orThrow();
    }

    assertThat(synced).hasSize(COMMITTERS * BATCHES);
    for (List<CommitBatch> own : sent) {
      List<CommitBatch> order =
          synced.stream().filter(each -> own.stream().anyMatch(one -> one == each)).toList();
      for (int i = 0; i < own.size(); i++) {
        assertThat(order.get(i) == own.get(i)).isTrue();
      }
    }
  }

  private static long count(List<CommitBatch> synced, CommitBatch batch) {
    synchronized (synced) {
      return synced.stream().filter(each -> each == batch).count();
    }
  }

  @Test
  void after_the_first_failure_nothing_is_written_and_nobody_is_told_it_was() {
    AtomicInteger syncs = new AtomicInteger();
    Pencil pencil =
        new Pencil(_ -> {
          if (syncs.incrementAndGet() == 2) {
            throw new StoreException("the disk is gone");
          }
        });
    try (Writer writer = new Writer(pencil)) {
      writer.commit(batch()).join();

      for (int i = 0; i < 50; i++) {
        CompletableFuture<Void> late = writer.commit(batch());
        assertThatThrownBy(late::join)
            .isInstanceOf(CompletionException.class)
            .hasMessageContaining("the disk is gone");
      }
      assertThat(syncs.get()).isEqualTo(2);
    }
  }

  @Test
  void a_batch_is_written_by_its_committer_while_nothing_else_is_written() {
    List<Thread> writers = Collections.synchronizedList(new ArrayList<>());
    try (Writer writer = new Writer(new Pencil(_ -> writers.add(Thread.currentThread())))) {
      for (int i = 0; i < 20; i++) {
        assertThat(writer.commitHere(batch())).isDone();
      }
    }
    assertThat(writers).hasSize(20).containsOnly(Thread.currentThread());
  }

  @Test
  void batches_that_arrive_during_an_inline_write_form_the_next_one() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
    Pencil pencil =
        new Pencil(batches -> {
          sizes.add(batches.size());
          writing.countDown();
          try {
            free.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    try (Writer writer = new Writer(pencil)) {
      Thread first = Thread.ofPlatform().start(() -> writer.commitHere(batch()).join());
      writing.await();
      List<CompletableFuture<Void>> later = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        later.add(i % 2 == 0 ? writer.commitHere(batch()) : writer.commit(batch()));
      }
      assertThat(later).noneMatch(CompletableFuture::isDone);
      while (pencil.added().size() < 5) {
        LockSupport.parkNanos(100_000);
      }
      free.countDown();
      first.join();
      later.forEach(CompletableFuture::join);
    }
    assertThat(sizes).containsExactly(1, 5);
  }

  @Test
  void a_failure_of_an_inline_write_is_told_and_stops_the_queue() {
    try (Writer writer =
        new Writer(
            new Pencil(_ -> {
              throw new StoreException("the disk is gone");
            }))) {
      assertThatThrownBy(writer.commitHere(batch())::join).hasMessageContaining("disk is gone");
      assertThatThrownBy(writer.commitHere(batch())::join).hasMessageContaining("disk is gone");
      assertThatThrownBy(writer.commit(batch())::join).hasMessageContaining("disk is gone");
    }
  }

  static Stream<RuntimeException> whatIsThrown() {
    return Stream.of(
        new IllegalStateException("not the next revision"),
        new StoreException("not the next revision"));
  }

  @Test
  void an_error_while_a_batch_is_added_is_no_success() {
    List<CommitBatch> written = Collections.synchronizedList(new ArrayList<>());
    Pencil pencil =
        new Pencil(
            new ArrayList<>(),
            _ -> {
              throw new OutOfMemoryError("planted");
            },
            written::addAll);
    try (Writer writer = new Writer(pencil)) {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(writer.commit(batch())::join)
            .isInstanceOf(CompletionException.class)
            .hasMessageContaining("planted");
      }
    }
    assertThat(written).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("whatIsThrown")
  void what_cannot_be_added_is_not_written_and_neither_is_what_comes_behind_it(
      RuntimeException thrown) {
    List<CommitBatch> written = Collections.synchronizedList(new ArrayList<>());
    CommitBatch good = new CommitBatch(new ArrayList<>());
    CommitBatch bad = new CommitBatch(new ArrayList<>());
    Pencil pencil =
        new Pencil(
            new ArrayList<>(),
            batch -> {
              if (batch == bad) {
                throw thrown;
              }
            },
            written::addAll);
    try (Writer writer = new Writer(pencil)) {
      writer.commit(good).join();

      for (CommitBatch late : List.of(bad, batch())) {
        assertThatThrownBy(writer.commit(late)::join)
            .isInstanceOf(CompletionException.class)
            .hasMessageContaining("not the next revision");
      }
      assertThat(written).hasSize(1).allMatch(each -> each == good);
    }
  }

  @Test
  void what_comes_while_the_disk_is_busy_shares_the_next_sync() throws Exception {
    CountDownLatch isBusy = new CountDownLatch(1);
    CountDownLatch isFree = new CountDownLatch(1);
    List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch allAdded = new CountDownLatch(6);
    Pencil pencil =
        new Pencil(
            new ArrayList<>(),
            _ -> allAdded.countDown(),
            taken -> {
              sizes.add(taken.size());
              isBusy.countDown();
              try {
                isFree.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    try (Writer writer = new Writer(pencil)) {
      List<CompletableFuture<Void>> answers = new ArrayList<>();
      answers.add(writer.commit(batch()));
      isBusy.await();
      for (int i = 0; i < 5; i++) {
        answers.add(writer.commit(batch()));
      }
      allAdded.await();
      assertThat(answers).noneMatch(CompletableFuture::isDone);
      isFree.countDown();
      answers.forEach(CompletableFuture::join);

      assertThat(sizes).containsExactly(1, 5);
    }
  }

  @Test
  void whoever_looks_may_wait_until_the_disk_has_all_that_was_added() {
    AtomicInteger looks = new AtomicInteger();
    List<CommitBatch> disk = Collections.synchronizedList(new ArrayList<>());
    Pencil pencil = new Pencil(disk::addAll);
    GroupCommit.Pen<List<CommitBatch>> careful =
        new GroupCommit.Pen<>() {
          @Override
          public void look(CommitBatch batch, Runnable awaitDisk) {
            awaitDisk.run();
            assertThat(disk).hasSize(looks.getAndIncrement());
          }

          @Override
          public void add(CommitBatch batch) {
            pencil.add(batch);
          }

          @Override
          public boolean isFull() {
            return pencil.isFull();
          }

          @Override
          public List<CommitBatch> take() {
            return pencil.take();
          }

          @Override
          public void sync(List<CommitBatch> taken) {
            pencil.sync(taken);
          }
        };
    List<CompletableFuture<Void>> answers = new ArrayList<>();
    try (Writer writer = new Writer(careful)) {
      for (int i = 0; i < BATCHES; i++) {
        answers.add(writer.commit(batch()));
      }
    }

    assertThat(answers).allMatch(CompletableFuture::isDone);
    assertThat(answers).noneMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(looks).hasValue(BATCHES);
  }
}
