package dev.damask.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class OwnLeaseTest {
  private static final long LEASE = 6_000;

  private final OwnLease lease = new OwnLease(LEASE, 0);

  @Test
  void the_counter_is_due_every_third_of_the_lease() {
    assertThat(lease.isRaiseDue(LEASE / 3 - 1)).isFalse();
    assertThat(lease.isRaiseDue(LEASE / 3)).isTrue();

    lease.raised(LEASE / 3);

    assertThat(lease.isRaiseDue(LEASE / 3 + 1)).isFalse();
  }

  @Test
  void a_node_stops_after_two_thirds_of_a_lease_and_resumes_when_the_counter_is_raised() {
    assertThat(lease.mayWork(LEASE / 3 * 2 - 1)).isTrue();
    assertThat(lease.mayWork(LEASE / 3 * 2)).isFalse();

    lease.raised(LEASE);

    assertThat(lease.mayWork(LEASE + 1)).isTrue();
  }

  @Test
  void a_pause_is_known_to_the_poll_that_ends_it_if_a_call_was_refused() {
    assertThat(lease.mayWork(LEASE / 3)).isTrue();
    lease.raised(LEASE / 3);
    assertThat(lease.takeRefused()).isFalse();

    assertThat(lease.mayWork(LEASE)).isFalse();
    lease.raised(LEASE);

    assertThat(lease.mayWork(LEASE + 1)).isTrue();
    assertThat(lease.takeRefused()).isTrue();
    assertThat(lease.takeRefused()).isFalse();
  }

  /// The observers wait for a whole lease after they have seen the counter, so the node has stopped
  /// for a third of a lease before anyone takes over.
  @Test
  void a_node_has_stopped_before_any_observer_declares_it_dead() {
    HeartbeatJudge observer = new HeartbeatJudge(LEASE);
    boolean isDead = false;
    for (long time = 0; !isDead; time += 100) {
      isDead = !observer.read(time, time, java.util.Map.of(1, 5L)).isEmpty();
      assertThat(isDead && lease.mayWork(time)).as("at %d", time).isFalse();
    }
  }
}
