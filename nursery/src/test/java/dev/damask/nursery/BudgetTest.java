package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Budgets, by themselves and in nurseries (N8).
@ExtendWith(NoThreadLeft.class)
class BudgetTest {

  private static final Amounts TEN = new Amounts(10, 10, 10, 10);

  @Test
  void taking_is_all_or_nothing() {
    var budget = Budget.of(TEN);

    var isTaken = budget.tryTake(Amounts.NONE.operations(5).effects(11));

    assertThat(isTaken).isFalse();
    assertThat(budget.left()).isEqualTo(TEN);
  }

  @Test
  void a_part_comes_out_of_the_pool_and_what_is_left_of_it_comes_back() {
    var pool = Budget.of(TEN);
    var part = pool.carve(Amounts.NONE.operations(6)).orElseThrow();
    part.tryTake(Amounts.NONE.operations(2));
    var meanwhile = pool.left();

    part.giveBack();
    part.giveBack();

    assertThat(meanwhile).isEqualTo(TEN.operations(4));
    assertThat(pool.left()).isEqualTo(TEN.operations(8));
    assertThat(part.tryTake(Amounts.NONE.operations(1))).isFalse();
  }

  @Test
  void a_part_larger_than_the_pool_is_refused() {
    var pool = Budget.of(TEN);

    var part = pool.carve(Amounts.NONE.memoryUnits(11));

    assertThat(part).isEmpty();
    assertThat(pool.left()).isEqualTo(TEN);
  }

  @Test
  void recharging_a_part_takes_from_its_pool() {
    var pool = Budget.of(TEN);
    var part = pool.carve(Amounts.NONE.operations(1)).orElseThrow();

    var isEnough = part.recharge(Amounts.NONE.operations(4));
    var isTooMuch = part.recharge(Amounts.NONE.operations(6));

    assertThat(isEnough).isTrue();
    assertThat(isTooMuch).isFalse();
    assertThat(part.left().operations()).isEqualTo(5);
    assertThat(pool.left().operations()).isEqualTo(5);
  }

  @Test
  void recharging_a_part_that_was_given_back_changes_nothing() {
    var pool = Budget.of(TEN);
    var part = pool.carve(Amounts.NONE.operations(1)).orElseThrow();
    part.giveBack();

    var isAdded = part.recharge(Amounts.NONE.operations(4));

    assertThat(isAdded).isFalse();
    assertThat(pool.left()).isEqualTo(TEN);
  }

  @Test
  void what_has_no_bound_is_never_used_up() {
    var budget = Budget.of(Amounts.BOUNDLESS.effects(1));

    budget.tryTake(new Amounts(1_000, 1_000, 1, 1_000));

    assertThat(budget.left()).isEqualTo(Amounts.BOUNDLESS.effects(0));
    assertThat(Budget.unlimited().tryTake(TEN)).isTrue();
  }

  @Test
  void negative_amounts_are_refused() {
    assertThatThrownBy(() -> Amounts.NONE.effects(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_child_gets_its_grant_and_the_rest_returns_when_it_ends() throws InterruptedException {
    var nursery = Nursery.open(NurseryOptions.named("grant").withGrant(TEN));
    var options = ChildOptions.named("child").withGrant(Amounts.NONE.effects(4));
    var meanwhile =
        nursery.spawn(
            options,
            self -> {
              self.spend(Amounts.NONE.effects(1));
              return nursery.budget().left();
            });

    var _ = nursery.awaitAll();

    assertThat(meanwhile.value()).isEqualTo(TEN.spawns(9).effects(6));
    assertThat(nursery.budget().left()).isEqualTo(TEN.spawns(9).effects(9));
  }

  @Test
  void a_grant_larger_than_the_pool_is_refused_and_costs_nothing() throws InterruptedException {
    var nursery = Nursery.open(NurseryOptions.named("grant").withGrant(TEN));
    var options = ChildOptions.named("child").withGrant(Amounts.NONE.effects(11));

    var refused = nursery.trySpawn(options, _ -> 1);

    assertThat(refused).isEqualTo(new Spawn.Refused<>(RefusalReason.BUDGET_USED_UP));
    assertThat(nursery.budget().left()).isEqualTo(TEN);
    var _ = nursery.awaitAll();
  }

  @Test
  void a_nested_nursery_gets_its_grant_and_the_rest_returns_when_it_ends()
      throws InterruptedException {
    var outer = Nursery.open(NurseryOptions.named("outer").withGrant(TEN));
    outer.launch(
        "owner",
        self -> {
          var options = NurseryOptions.named("inner").withGrant(Amounts.NONE.spawns(5));
          try (var inner = self.open(options)) {
            inner.spawn("leaf", () -> 1);
            inner.awaitAll().orThrow();
          }
        });

    var _ = outer.awaitAll();

    assertThat(outer.budget().left()).isEqualTo(TEN.spawns(8));
  }

  @Test
  void a_nested_nursery_that_asks_for_too_much_is_refused() throws InterruptedException {
    var outer = Nursery.open(NurseryOptions.named("outer").withGrant(TEN));
    var options = NurseryOptions.named("inner").withGrant(TEN.effects(11));
    outer.launch("owner", self -> self.open(options));

    var result = outer.awaitAll();

    assertThat(((NurseryResult.Failed) result).first().error()).isInstanceOf(SpawnRefused.class);
  }

  @Test
  void an_exhausted_child_waits_until_it_is_recharged() throws InterruptedException {
    var nursery =
        Nursery.open(NurseryOptions.named("wait").withGrant(Amounts.BOUNDLESS.operations(1)));
    var done = new AtomicLong();
    var child =
        nursery.launch(
            "child",
            self -> {
              for (int i = 0; i < 3; i++) {
                self.yieldPoint();
                done.incrementAndGet();
              }
            });
    Until.isParked(child);
    var before = done.get();

    nursery.budget().recharge(Amounts.NONE.operations(2));
    var _ = nursery.awaitAll();

    assertThat(before).isEqualTo(1);
    assertThat(done).hasValue(3);
  }

  @Test
  void an_exhausted_child_waits_until_it_is_cancelled() throws InterruptedException {
    var nursery =
        Nursery.open(NurseryOptions.named("wait").withGrant(Amounts.BOUNDLESS.effects(0)));
    var child = nursery.launch("child", self -> self.spend(Amounts.NONE.effects(1)));
    Until.isParked(child);

    nursery.cancel("enough");

    assertThat(nursery.awaitAll()).isInstanceOf(NurseryResult.Cancelled.class);
  }

  @Test
  void an_exhausted_child_that_swallowed_its_interrupt_is_still_cancelled()
      throws InterruptedException {
    var nursery =
        Nursery.open(NurseryOptions.named("wait").withGrant(Amounts.BOUNDLESS.effects(0)));
    var isUp = new CountDownLatch(1);
    var child =
        nursery.launch(
            "child",
            self -> {
              isUp.countDown();
              Until.isTrue(() -> self.isCancelled() && Thread.interrupted());
              self.spend(Amounts.NONE.effects(1));
            });
    isUp.await();

    nursery.cancel("enough");
    var _ = nursery.awaitAll();

    assertThat(child.await()).isInstanceOf(ChildResult.Cancelled.class);
  }

  @Test
  void nothing_is_made_or_lost_while_many_children_take_and_return() throws InterruptedException {
    long granted = 1_000_000;
    var nursery =
        Nursery.open(NurseryOptions.named("many").withGrant(Amounts.BOUNDLESS.effects(granted)));
    var spent = new AtomicLong();
    for (int i = 0; i < 1_000; i++) {
      var options = ChildOptions.named("child").withGrant(Amounts.NONE.effects(100));
      long cost = i % 50;
      nursery.launch(
          options,
          self -> {
            self.spend(Amounts.NONE.effects(cost));
            spent.addAndGet(cost);
            if (self.budget().recharge(Amounts.NONE.effects(7))) {
              self.spend(Amounts.NONE.effects(3));
              spent.addAndGet(3);
            }
          });
    }

    var _ = nursery.awaitAll();

    assertThat(nursery.budget().left().effects() + spent.get()).isEqualTo(granted);
  }
}
