package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// What runs when a child or a nursery ends (N4).
@ExtendWith(NoThreadLeft.class)
class CleanupTest {

  private final CopyOnWriteArrayList<String> log = new CopyOnWriteArrayList<>();

  @Test
  void the_cleanups_of_a_child_run_last_in_first_out_before_it_counts_as_ended()
      throws InterruptedException {
    var nursery = Nursery.open("order");
    var child =
        nursery.launch(
            "child",
            self -> {
              self.deferred(() -> log.add("first given"));
              self.deferred(() -> log.add("second given"));
              log.add("code");
            });

    child.await();
    log.add("seen as ended");

    assertThat(log).containsExactly("code", "second given", "first given", "seen as ended");
    nursery.close();
  }

  @Test
  void the_cleanups_of_a_nursery_run_after_its_last_child_and_before_the_waiter_goes_on()
      throws InterruptedException {
    var nursery = Nursery.open("order");
    nursery.deferred(() -> log.add("first given"));
    nursery.deferred(() -> log.add("second given"));
    nursery.launch("child", _ -> log.add("child"));

    var _ = nursery.awaitAll();
    log.add("waiter");

    assertThat(log).containsExactly("child", "second given", "first given", "waiter");
  }

  @Test
  void cleanups_run_when_the_code_throws_and_when_it_is_cancelled() throws InterruptedException {
    var nursery = Nursery.open(NurseryOptions.named("ends").withPolicy(ErrorPolicy.COLLECT_ALL));
    var throwing =
        nursery.launch(
            "throws",
            self -> {
              self.deferred(() -> log.add("threw"));
              throw new IllegalStateException("broken");
            });
    throwing.await();
    var stops =
        nursery.launch(
            "stops",
            self -> {
              self.deferred(() -> log.add("stopped"));
              new CountDownLatch(1).await();
            });
    Until.isParked(stops);

    nursery.cancel("enough");
    var _ = nursery.awaitAll();

    assertThat(log).containsExactlyInAnyOrder("threw", "stopped");
  }

  @Test
  void a_cleanup_that_throws_fails_the_child_and_the_others_still_run()
      throws InterruptedException {
    var nursery = Nursery.open("broken");
    var broken = new IllegalStateException("broken cleanup");
    var later = new IllegalStateException("another");
    var child =
        nursery.spawn(
            "child",
            self -> {
              self.deferred(() -> {
                throw later;
              });
              self.deferred(() -> log.add("runs"));
              self.deferred(() -> {
                throw broken;
              });
              return 1;
            });

    var result = nursery.awaitAll();

    assertThat(log).containsExactly("runs");
    assertThat(child.await()).isEqualTo(new ChildResult.Failed<>(broken));
    assertThat(broken).hasSuppressedException(later);
    assertThat(((NurseryResult.Failed) result).first().error()).isSameAs(broken);
  }

  @Test
  void a_cleanup_of_the_nursery_that_throws_makes_it_fail() throws InterruptedException {
    var nursery = Nursery.open("broken");
    var broken = new IllegalStateException("broken cleanup");
    nursery.deferred(() -> {
      throw broken;
    });
    nursery.spawn("child", () -> 1);

    var result = nursery.awaitAll();

    assertThat(((NurseryResult.Failed) result).first())
        .isEqualTo(new ChildError("cleanup of broken", broken));
  }

  @Test
  void a_cleanup_may_add_another_one() throws InterruptedException {
    var nursery = Nursery.open("adds");
    nursery.launch(
        "child",
        self ->
            self.deferred(() -> {
              log.add("one");
              self.deferred(() -> log.add("another"));
            }));

    var _ = nursery.awaitAll();

    assertThat(log).containsExactly("one", "another");
  }

  @Test
  void an_ended_nursery_takes_no_cleanup() throws InterruptedException {
    var nursery = Nursery.open("ended");
    var _ = nursery.awaitAll();

    assertThatThrownBy(() -> nursery.deferred(() -> log.add("never")))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void an_interrupt_is_held_off_while_cleanups_run_and_not_swallowed() {
    var nursery = Nursery.open("interrupt");
    var during = new AtomicReference<Boolean>();
    nursery.deferred(() -> during.set(Thread.currentThread().isInterrupted()));

    Thread.currentThread().interrupt();
    nursery.seal();
    var afterwards = Thread.interrupted();

    assertThat(during.get()).isFalse();
    assertThat(afterwards).isTrue();
  }

  @Test
  void only_the_code_of_a_child_may_give_it_cleanups() throws InterruptedException {
    var nursery = Nursery.open("foreign");
    var leaked = new AtomicReference<Self>();
    var isFree = new CountDownLatch(1);
    nursery.launch(
        "child",
        self -> {
          leaked.set(self);
          isFree.await();
        });
    Until.isTrue(() -> leaked.get() != null);

    assertThatThrownBy(() -> leaked.get().deferred(() -> log.add("never")))
        .isInstanceOf(IllegalStateException.class);

    isFree.countDown();
    assertThat(nursery.awaitAll()).isEqualTo(new NurseryResult.Success());
  }
}
