package dev.damask.nursery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Seeing who has not come home.
@ExtendWith(NoThreadLeft.class)
class SnapshotTest {

  @Test
  void a_snapshot_shows_the_tree_with_states_ages_and_what_each_one_waits_for()
      throws InterruptedException {
    var outer = Nursery.open("outer");
    var isUp = new CountDownLatch(1);
    var isFree = new CountDownLatch(1);
    var owner =
        outer.launch(
            "owner",
            self -> {
              try (var inner = self.open("inner")) {
                var leaf = inner.launch("leaf", _ -> isFree.await());
                inner.spawn("done", () -> 1).await();
                Until.isParked(leaf);
                Until.isTrue(() -> inner.running() == 1);
                isUp.countDown();
                var _ = inner.awaitAll();
              }
            });
    isUp.await();
    Until.isParked(owner);

    var snapshot = outer.snapshot();
    isFree.countDown();
    var _ = outer.awaitAll();

    var child = snapshot.children().getFirst();
    var inner = child.nurseries().getFirst();
    var leaf = inner.children().getFirst();
    assertThat(snapshot.state()).isEqualTo(NurseryState.OPEN);
    assertThat(inner.spawned()).isEqualTo(2);
    assertThat(inner.children()).hasSize(1);
    assertThat(leaf.waitsFor()).contains("SnapshotTest").contains("SnapshotTest.java");
    assertThat(leaf.age()).isPositive();
    assertThat(snapshot.toText().replaceAll("\\d+\\.\\d{3} s", "AGE").replaceAll("waits.*", "W"))
        .isEqualTo(
            """
            nursery outer: open, 1 of 1 running, AGE
            └─ child owner: running, AGE, W
               └─ nursery inner: closing, 1 of 2 running, AGE
                  └─ child leaf: running, AGE, W
            """);
  }

  @Test
  void a_snapshot_of_a_cancelled_nursery_tells_why() throws InterruptedException {
    var nursery = Nursery.open("gone");
    nursery.cancel("enough");
    var _ = nursery.awaitAll();

    var text = nursery.snapshot().toText();

    assertThat(text)
        .contains("nursery gone: cancelled, 0 of 0 running")
        .contains("cancelled, explicit: enough");
  }
}
