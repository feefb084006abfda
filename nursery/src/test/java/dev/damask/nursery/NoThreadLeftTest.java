package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/// The watch over the other tests is awake.
class NoThreadLeftTest {

  @Test
  void a_thread_that_waits_is_seen_whatever_its_kind() throws InterruptedException {
    var isFree = new CountDownLatch(1);
    try (var nursery = Nursery.open("seen")) {
      var virtual = nursery.launch("virtual one", _ -> isFree.await());
      var platform =
          nursery.launch(
              ChildOptions.named("platform one").withThread(ThreadKind.PLATFORM),
              _ -> isFree.await());
      Until.isParked(virtual);
      Until.isParked(platform);

      var threads = NoThreadLeft.threads();
      isFree.countDown();
      nursery.seal();

      assertThat(threads).anyMatch(thread -> thread.endsWith("virtual one"));
      assertThat(threads).anyMatch(thread -> thread.endsWith("platform one"));
    }
  }
}
