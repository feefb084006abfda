package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Nurseries that children own (N4, N6).
@ExtendWith(NoThreadLeft.class)
class NestedNurseryTest {

  private final CopyOnWriteArrayList<String> log = new CopyOnWriteArrayList<>();

  @Test
  void a_nursery_that_a_child_forgot_to_close_ends_before_the_child_does()
      throws InterruptedException {
    var outer = Nursery.open("outer");
    var isFree = new CountDownLatch(1);
    var owner =
        outer.launch(
            "owner",
            self -> {
              self.deferred(() -> log.add("set up before"));
              var inner = self.open("inner");
              inner.deferred(() -> log.add("inner"));
              inner.launch("leaf", _ -> isFree.await());
              self.deferred(() -> log.add("set up after"));
            });
    Until.isTrue(() -> owner.state() == ChildState.CLEANING_UP);

    isFree.countDown();
    var _ = outer.awaitAll();

    assertThat(log).containsExactly("set up after", "inner", "set up before");
  }

  @Test
  void a_child_that_throws_cancels_the_nursery_it_left_open() throws InterruptedException {
    var outer = Nursery.open("outer");
    var leaf = new AtomicReference<Child<?>>();
    outer.launch(
        "owner",
        self -> {
          leaf.set(self.open("inner").launch("leaf", _ -> new CountDownLatch(1).await()));
          throw new IllegalStateException("broken");
        });

    var result = outer.awaitAll();

    assertThat(result).isInstanceOf(NurseryResult.Failed.class);
    assertThat(leaf.get().await()).isInstanceOf(ChildResult.Cancelled.class);
  }

  @Test
  void an_error_in_a_nursery_that_nobody_looked_at_fails_the_child_that_owns_it()
      throws InterruptedException {
    var outer = Nursery.open("outer");
    var broken = new IllegalStateException("broken");
    var owner =
        outer.launch(
            "owner",
            self -> {
              var inner = self.open("inner");
              var leaf =
                  inner.launch(
                      "leaf",
                      _ -> {
                        throw broken;
                      });
              leaf.await();
              Until.isTrue(() -> inner.state().isTerminal());
            });

    var result = outer.awaitAll();

    assertThat(((NurseryResult.Failed) result).first().child()).isEqualTo("owner");
    assertThat(((NurseryResult.Failed) result).first().error())
        .isInstanceOf(NurseryFailed.class)
        .hasCause(broken);
    assertThat(owner.await()).isInstanceOf(ChildResult.Failed.class);
  }

  @Test
  void an_error_that_the_owner_has_dealt_with_does_not_fail_the_owner()
      throws InterruptedException {
    var outer = Nursery.open("outer");
    outer.launch(
        "owner",
        self -> {
          try (var inner = self.open("inner")) {
            inner.launch(
                "leaf",
                _ -> {
                  throw new IllegalStateException("expected");
                });
            var _ = inner.awaitAll();
          }
        });

    assertThat(outer.awaitAll()).isEqualTo(new NurseryResult.Success());
  }

  @Test
  void a_nursery_opened_by_a_cancelled_child_is_cancelled_from_the_start()
      throws InterruptedException {
    var outer = Nursery.open("outer");
    var state = new AtomicReference<NurseryState>();
    var isUp = new CountDownLatch(1);
    outer.launch(
        "owner",
        self -> {
          isUp.countDown();
          Until.isTrue(self::isCancelled);
          state.set(self.open("inner").state());
        });
    isUp.await();

    outer.cancel("enough");
    var _ = outer.awaitAll();

    assertThat(state.get()).isEqualTo(NurseryState.CANCELLED);
  }

  @Test
  void cancelling_one_child_cancels_the_nurseries_it_owns_and_no_others()
      throws InterruptedException {
    var outer = Nursery.open("outer");
    var isUp = new CountDownLatch(2);
    var isFree = new CountDownLatch(1);
    var states = new ConcurrentHashMap<String, NurseryState>();
    ChildAction owner =
        self -> {
          var inner = self.open("inner of " + self.name());
          try (inner) {
            inner.launch(
                "leaf",
                _ -> {
                  isUp.countDown();
                  isFree.await();
                });
            log.add(self.name() + " " + inner.awaitAll().getClass().getSimpleName());
          } finally {
            states.put(self.name(), inner.state());
          }
        };
    var goes = outer.launch("goes", owner);
    outer.launch("stays", owner);
    isUp.await();

    goes.cancel(CancelReason.explicit("you"));
    goes.await();
    isFree.countDown();

    assertThat(outer.awaitAll()).isEqualTo(new NurseryResult.Success());
    // Its owner is interrupted, or hears it from the inner nursery if that has ended before.
    assertThat(log).contains("stays Success").isSubsetOf("stays Success", "goes Cancelled");
    assertThat(states)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("goes", NurseryState.CANCELLED, "stays", NurseryState.CLOSED));
  }

  @Test
  void a_child_that_opens_many_nurseries_remembers_none_that_has_ended()
      throws InterruptedException {
    var outer = Nursery.open("outer");
    var remembered = new AtomicReference<Integer>();
    outer.launch(
        "owner",
        self -> {
          for (int i = 0; i < 1_000; i++) {
            try (var inner = self.open("inner")) {
              inner.spawn("leaf", () -> 1);
              inner.awaitAll().orThrow();
            }
          }
          remembered.set(
              ((RunningChild<?>) self).nurseries().size() + self.cancelToken().callbacks());
        });

    var _ = outer.awaitAll();

    assertThat(remembered.get()).isZero();
  }
}
