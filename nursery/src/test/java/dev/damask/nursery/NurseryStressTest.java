package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The promises of the nursery under load (N1 to N7).
@ExtendWith(NoThreadLeft.class)
class NurseryStressTest {

  private static final int ROUNDS = 3_000;

  @Test
  void of_100_000_children_every_one_is_home_when_the_waiter_goes_on() throws InterruptedException {
    var ended = new AtomicInteger();
    var nursery = Nursery.open("many");
    for (int i = 0; i < 100_000; i++) {
      nursery.launch("child", _ -> ended.incrementAndGet());
    }

    var result = nursery.awaitAll();

    assertThat(result).isEqualTo(new NurseryResult.Success());
    assertThat(ended).hasValue(100_000);
    assertThat(nursery.running()).isZero();
    assertThat(nursery.roster().added()).isEqualTo(100_000);
  }

  @Test
  void ten_levels_of_nurseries_end_from_the_inside_to_the_outside() throws InterruptedException {
    var ended = new CopyOnWriteArrayList<Integer>();
    var root = Nursery.open("0");
    root.launch("0", self -> nest(self, 1, ended));

    var result = root.awaitAll();

    assertThat(result).isEqualTo(new NurseryResult.Success());
    assertThat(ended).containsExactly(10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
  }

  @Test
  void a_cancellation_reaches_every_leaf_of_a_tree_ten_levels_deep() throws InterruptedException {
    int leaves = 1 << 10;
    var isUp = new CountDownLatch(leaves);
    var ended = new AtomicInteger();
    var root = Nursery.open("root");
    root.launch("0", self -> branch(self, 10, isUp, ended));
    isUp.await();

    root.cancel("enough");
    var result = root.awaitAll();

    assertThat(result).isInstanceOf(NurseryResult.Cancelled.class);
    assertThat(ended).hasValue(leaves);
  }

  @Test
  void a_child_spawned_while_the_nursery_closes_is_either_refused_or_waited_for() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      var nursery = Nursery.open("race");
      var accepted = new AtomicInteger();
      var ended = new AtomicInteger();
      var spawners = spawners(nursery, accepted, ended::incrementAndGet);

      var _ = nursery.awaitAll();
      int endedAtTheBarrier = ended.get();
      join(spawners);

      assertThat(endedAtTheBarrier).isEqualTo(accepted.get());
      assertThat(nursery.state()).isEqualTo(NurseryState.CLOSED);
    }
  }

  @Test
  void a_child_spawned_while_the_nursery_is_cancelled_is_either_refused_or_told() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      var nursery = Nursery.open("race");
      var accepted = new AtomicInteger();
      var never = new CountDownLatch(1);
      var spawners = spawners(nursery, accepted, never::await);

      nursery.cancel("enough");
      var result = nursery.awaitAll();
      join(spawners);

      assertThat(result).isInstanceOf(NurseryResult.Cancelled.class);
      assertThat(nursery.running()).isZero();
    }
  }

  @Test
  void no_wake_up_is_lost_when_the_last_child_ends_while_somebody_begins_to_wait()
      throws InterruptedException {
    for (int round = 0; round < ROUNDS; round++) {
      var nursery = Nursery.open("race");
      var isFree = new AtomicBoolean();
      var child = nursery.launch("child", _ -> Until.isTrue(isFree::get));
      var waiter = Thread.ofVirtual().start(() -> awaitQuietly(child));
      isFree.set(true);

      var result = nursery.awaitAll();
      waiter.join();

      assertThat(result).isEqualTo(new NurseryResult.Success());
    }
  }

  @Test
  void exactly_one_error_wins_and_the_others_are_attached_to_it() throws Exception {
    for (int round = 0; round < 200; round++) {
      var options = NurseryOptions.named("errors").withPolicy(ErrorPolicy.COLLECT_ALL);
      var nursery = Nursery.open(options);
      var start = new CountDownLatch(1);
      for (int i = 0; i < 8; i++) {
        nursery.launch(
            "child",
            _ -> {
              start.await();
              throw new IllegalStateException("broken");
            });
      }
      start.countDown();

      var result = (NurseryResult.Failed) nursery.awaitAll();

      assertThat(result.errors()).hasSize(8).doesNotHaveDuplicates();
      assertThat(result.first().error().getSuppressed()).hasSize(7);
    }
  }

  @Test
  void no_interrupt_outlives_the_code_of_the_child_it_was_meant_for() throws Exception {
    var strays = new AtomicInteger();
    for (int round = 0; round < ROUNDS; round++) {
      var nursery = Nursery.open("race");
      nursery.deferred(() -> count(strays));
      nursery.launch("child", self -> self.deferred(() -> count(strays)));

      nursery.cancel("enough");
      var _ = nursery.awaitAll();
      count(strays);
    }

    assertThat(strays).hasValue(0);
  }

  @Test
  void a_nursery_that_lives_long_keeps_few_places_for_children_that_have_ended()
      throws InterruptedException {
    var nursery = Nursery.open("long");
    for (int i = 0; i < 20_000; i++) {
      nursery.spawn("child", () -> 1).await();
    }

    int entries = nursery.roster().entries();

    assertThat(entries).isLessThanOrEqualTo(3 * ChildSet.EMPTY_MAX);
    assertThat(nursery.roster().added()).isEqualTo(20_000);
    nursery.close();
  }

  private static void nest(Self self, int level, List<Integer> ended) throws Exception {
    try (var nursery = self.open("level " + level)) {
      nursery.deferred(() -> ended.add(level));
      if (level < 10) {
        nursery.launch("child", inner -> nest(inner, level + 1, ended));
      }
      nursery.awaitAll().orThrow();
    }
  }

  private static void branch(Self self, int levels, CountDownLatch isUp, AtomicInteger ended)
      throws Exception {
    if (levels == 0) {
      self.deferred(ended::incrementAndGet);
      isUp.countDown();
      new CountDownLatch(1).await();
    }
    try (var nursery = self.open("level " + levels)) {
      nursery.launch("left", inner -> branch(inner, levels - 1, isUp, ended));
      nursery.launch("right", inner -> branch(inner, levels - 1, isUp, ended));
      nursery.awaitAll().orThrow();
    }
  }

  /// Three threads that spawn until they are refused, or have done enough for one round.
  private static List<Thread> spawners(Nursery nursery, AtomicInteger accepted, Cleanup code)
      throws Exception {
    var threads = new ArrayList<Thread>();
    var start = new CyclicBarrier(4);
    for (int i = 0; i < 3; i++) {
      threads.add(
          Thread.ofVirtual()
              .start(() -> {
                awaitQuietly(start);
                for (int n = 0; n < 8 && isTaken(nursery, code); n++) {
                  accepted.incrementAndGet();
                }
              }));
    }
    start.await();
    return threads;
  }

  private static boolean isTaken(Nursery nursery, Cleanup code) {
    return nursery.trySpawn(ChildOptions.named("child"), _ -> run(code)) instanceof Spawn.Spawned;
  }

  private static int run(Cleanup code) throws Exception {
    code.run();
    return 0;
  }

  private static void join(List<Thread> threads) throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void awaitQuietly(Child<?> child) {
    try {
      child.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitQuietly(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void count(AtomicInteger strays) {
    if (Thread.currentThread().isInterrupted()) {
      strays.incrementAndGet();
    }
  }
}
