package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.nursery.Nursery;
import dev.damask.store.CommitBatch;
import dev.damask.store.StoreFailure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The queue of the writer, with many committers, while it fails and while it is closed.
@Timeout(60)
final class WriterRaceTest {
  private static final int COMMITTERS = 6;
  private static final int BATCHES = 300;
  private static final int ROUNDS = 300;

  private static CommitBatch batch() {
    return new CommitBatch(List.of());
  }

  @Test
  void whoever_commits_while_the_store_closes_gets_an_answer() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    AtomicInteger written = new AtomicInteger();
    for (int round = 0; round < ROUNDS; round++) {
      Writer writer = new Writer(batches -> {});
      List<CompletableFuture<Void>> answers = Collections.synchronizedList(new ArrayList<>());
      CyclicBarrier start = new CyclicBarrier(COMMITTERS + 1);
      try (Nursery nursery = Nursery.open("committers")) {
        for (int i = 0; i < COMMITTERS; i++) {
          nursery.spawn(
              "committer",
              () -> {
                start.await();
                for (int k = 0; k < 5; k++) {
                  answers.add(writer.commit(batch()));
                }
                return "";
              });
        }
        start.await();
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
    try (Writer writer = new Writer(synced::addAll);
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
                CompletableFuture<Void> done = writer.commit(batch);
                if (k % 10 == 0) {
                  done.get(10, TimeUnit.SECONDS);
                  assertThat(count(synced, batch)).isEqualTo(1);
                }
              }
              return "";
            });
      }
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
    try (Writer writer =
        new Writer(batches -> {
          if (syncs.incrementAndGet() == 2) {
            throw new StoreFailure("the disk is gone");
          }
        })) {
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
}
