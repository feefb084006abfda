package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Taking children in, and refusing them.
@ExtendWith(NoThreadLeft.class)
class SpawnTest {

  @Test
  void a_closed_nursery_refuses_a_child_and_says_that_it_is_not_open() {
    var nursery = Nursery.open("closed");
    nursery.seal();

    assertThatThrownBy(() -> nursery.spawn("late", () -> 1))
        .hasMessage("nursery closed refuses child late: it is CLOSED")
        .asInstanceOf(InstanceOfAssertFactories.type(SpawnRefused.class))
        .extracting(SpawnRefused::refusal)
        .isEqualTo(RefusalReason.NOT_OPEN);
  }

  @Test
  void a_nursery_without_spawns_left_refuses_a_child_and_says_that_the_budget_is_used_up()
      throws InterruptedException {
    var nursery = Nursery.open(NurseryOptions.named("poor").withGrant(Amounts.BOUNDLESS.spawns(1)));
    var first = nursery.trySpawn(ChildOptions.named("first"), _ -> 1);

    var second = nursery.trySpawn(ChildOptions.named("second"), _ -> 2);

    assertThat(first).isInstanceOf(Spawn.Spawned.class);
    assertThat(second).isEqualTo(new Spawn.Refused<>(RefusalReason.BUDGET_USED_UP));
    assertThat(nursery.awaitAll()).isEqualTo(new NurseryResult.Success());
  }

  @Test
  void a_refused_child_costs_nothing() {
    var nursery =
        Nursery.open(NurseryOptions.named("closed").withGrant(Amounts.BOUNDLESS.spawns(5)));
    nursery.seal();

    var _ = nursery.trySpawn(ChildOptions.named("late"), _ -> 1);

    assertThat(nursery.budget().left().spawns()).isEqualTo(5);
  }

  @Test
  void children_run_on_virtual_threads_of_their_name_unless_told_otherwise()
      throws InterruptedException {
    try (var nursery = Nursery.open("kinds")) {
      var usual = nursery.spawn("usual", () -> Thread.currentThread());
      var heavy =
          nursery.spawn(
              ChildOptions.named("heavy").withThread(ThreadKind.PLATFORM),
              _ -> Thread.currentThread());
      var _ = nursery.awaitAll();

      assertThat(usual.value().isVirtual()).isTrue();
      assertThat(usual.value().getName()).isEqualTo("usual");
      assertThat(heavy.value().isVirtual()).isFalse();
      assertThat(heavy.value().isDaemon()).isFalse();
    }
  }

  @Test
  void a_nursery_of_platform_threads_gives_them_to_every_child() throws InterruptedException {
    var options = NurseryOptions.named("shards").withThreads(ThreadKind.PLATFORM);
    try (var nursery = Nursery.open(options)) {
      var shard = nursery.spawn("shard", () -> Thread.currentThread().isVirtual());
      var _ = nursery.awaitAll();

      assertThat(shard.value()).isFalse();
    }
  }

  @Test
  void a_child_may_spawn_siblings_after_the_block_has_nothing_more_to_spawn()
      throws InterruptedException {
    var nursery = Nursery.open("siblings");
    var sibling = nursery.spawn("first", () -> nursery.spawn("second", () -> 2));

    var second = ((ChildResult.Done<Child<Integer>>) sibling.await()).value();
    var _ = nursery.awaitAll();

    assertThat(second.value()).isEqualTo(2);
  }

  @Test
  @SuppressWarnings("NullAway") // a null on purpose
  void a_child_whose_thread_cannot_start_is_not_counted_and_costs_nothing() throws Exception {
    var ten = new Amounts(10, 10, 10, 10);
    var nursery = Nursery.open(NurseryOptions.named("names").withGrant(ten));
    // The only way to make a thread fail to start without exhausting the machine.
    var nameless = new RunningChild<Integer>(nursery, null, (ChildBody<Integer>) _ -> 1);
    var options = ChildOptions.named("child").withGrant(Amounts.NONE.effects(3));

    assertThatThrownBy(() -> nursery.admit(nameless, options))
        .isInstanceOf(NullPointerException.class);

    assertThat(nursery.running()).isZero();
    assertThat(nursery.budget().left()).isEqualTo(ten);
    assertThat(nursery.awaitAll()).isEqualTo(new NurseryResult.Success());
  }

  @Test
  void an_ended_child_keeps_neither_its_thread_nor_its_place() throws InterruptedException {
    var nursery = Nursery.open("light");
    var isFree = new CountDownLatch(1);
    var child = nursery.launch("child", _ -> isFree.await());
    isFree.countDown();

    child.await();
    Until.isTrue(() -> nursery.running() == 0);

    assertThat(((RunningChild<?>) child).thread()).isNull();
    assertThat(nursery.roster().children()).isEmpty();
    nursery.close();
  }
}
