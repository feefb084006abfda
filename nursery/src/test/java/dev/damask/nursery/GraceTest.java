package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Children that do not stop when they are told to (N9).
@ExtendWith(NoThreadLeft.class)
class GraceTest {

  private final LinkedBlockingQueue<ChildSnapshot> reports = new LinkedBlockingQueue<>();
  private final CountDownLatch isFree = new CountDownLatch(1);
  private final NurseryOptions options =
      NurseryOptions.named("grace").withGrace(Duration.ofMillis(5)).withOnOverdue(reports::add);

  @Test
  void a_child_that_ignores_its_cancellation_is_reported_and_still_waited_for()
      throws InterruptedException {
    var nursery = Nursery.open(options);
    var isUp = new CountDownLatch(1);
    var stubborn = nursery.launch("stubborn", _ -> ignoreInterrupts(isUp));
    isUp.await();

    nursery.cancel("enough");
    var report = reports.take();
    var state = stubborn.state();
    var waiting = nursery.awaitAll(Duration.ofMillis(1));
    isFree.countDown();
    var result = nursery.awaitAll();

    assertThat(report.name()).isEqualTo("stubborn");
    assertThat(report.state()).isEqualTo(ChildState.OVERDUE);
    assertThat(state).isEqualTo(ChildState.OVERDUE);
    assertThat(((NurseryResult.Pending) waiting).notHome())
        .extracting(ChildSnapshot::name)
        .contains("stubborn");
    assertThat(result).isInstanceOf(NurseryResult.Cancelled.class);
    assertThat(reports).isEmpty();
  }

  @Test
  void one_cancelled_child_that_ignores_it_is_reported_as_well() throws InterruptedException {
    var nursery = Nursery.open(options);
    var isUp = new CountDownLatch(1);
    var stubborn = nursery.launch("stubborn", _ -> ignoreInterrupts(isUp));
    isUp.await();

    stubborn.cancel(CancelReason.explicit("you"));
    var report = reports.take();
    isFree.countDown();

    assertThat(report.name()).isEqualTo("stubborn");
    assertThat(nursery.awaitAll()).isEqualTo(new NurseryResult.Success());
  }

  @Test
  void a_child_that_stops_in_time_is_not_reported() throws InterruptedException {
    var nursery = Nursery.open(options.withGrace(Duration.ofHours(1)));
    nursery.launch("polite", _ -> new CountDownLatch(1).await());

    nursery.cancel("enough");
    var _ = nursery.awaitAll();

    assertThat(reports).isEmpty();
  }

  private void ignoreInterrupts(CountDownLatch isUp) {
    isUp.countDown();
    boolean isOver = false;
    while (!isOver) {
      try {
        isFree.await();
        isOver = true;
      } catch (InterruptedException e) {
        // This child is here to ignore it.
      }
    }
  }
}
