package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// The five scenarios of the nursery's specification.
@ExtendWith(NoThreadLeft.class)
class ScenarioTest {

  @Test
  void children_that_return_make_a_success() throws InterruptedException {
    var nursery = Nursery.open("basic");
    var one = nursery.spawn("one", () -> 1);
    var two = nursery.spawn("two", () -> 2);

    var result = nursery.awaitAll();

    assertThat(result).isEqualTo(new NurseryResult.Success());
    assertThat(List.of(one.value(), two.value())).containsExactly(1, 2);
    assertThat(nursery.state()).isEqualTo(NurseryState.CLOSED);
  }

  @Test
  void a_child_that_throws_makes_a_failure_with_its_error_and_its_name()
      throws InterruptedException {
    var nursery = Nursery.open("error");
    var broken = new IllegalArgumentException("broken");
    nursery.spawn("good", () -> 1);
    nursery.launch(
        "bad",
        _ -> {
          throw broken;
        });

    var result = nursery.awaitAll();

    var first = new ChildError("bad", broken);
    assertThat(result).isEqualTo(new NurseryResult.Failed(first, List.of(first)));
  }

  @Test
  void cancelling_ends_a_child_that_only_ever_yields() throws InterruptedException {
    var nursery = Nursery.open("cancel");
    var forever = nursery.launch("forever", ScenarioTest::yieldForever);

    nursery.cancel("enough");
    var result = nursery.awaitAll();

    var why = CancelReason.explicit("enough");
    assertThat(result).isEqualTo(new NurseryResult.Cancelled(why));
    assertThat(forever.await()).isEqualTo(new ChildResult.Cancelled<>(why));
    assertThat(nursery.state()).isEqualTo(NurseryState.CANCELLED);
  }

  @Test
  void cancelling_the_outer_nursery_ends_the_children_of_the_inner_one()
      throws InterruptedException {
    var outer = Nursery.open("outer");
    var innermost = new CopyOnWriteArrayList<Child<?>>();
    var isUp = new CountDownLatch(1);
    outer.launch(
        "owner",
        self -> {
          try (var inner = self.open("inner")) {
            innermost.add(inner.launch("innermost", ScenarioTest::yieldForever));
            isUp.countDown();
            var _ = inner.awaitAll();
          }
        });
    isUp.await();

    outer.cancel("enough");
    var result = outer.awaitAll();

    assertThat(result).isEqualTo(new NurseryResult.Cancelled(CancelReason.explicit("enough")));
    assertThat(innermost.getFirst().await())
        .isEqualTo(new ChildResult.Cancelled<>(CancelReason.parent("explicit: enough")));
  }

  @Test
  void cleanup_goes_from_the_inside_to_the_outside() throws InterruptedException {
    var log = new CopyOnWriteArrayList<String>();
    var outer = Nursery.open("outer");
    outer.launch(
        "owner",
        self -> {
          self.deferred(() -> log.add("inner cleanup"));
          try (var inner = self.open("inner")) {
            inner.spawn("leaf", () -> 1);
            inner.awaitAll().orThrow();
          }
          log.add("inner done");
        });
    outer.deferred(() -> log.add("outer cleanup"));

    var _ = outer.awaitAll();

    assertThat(log).containsExactly("inner done", "inner cleanup", "outer cleanup");
  }

  private static void yieldForever(Self self) throws InterruptedException {
    while (true) {
      self.yieldPoint();
    }
  }
}
