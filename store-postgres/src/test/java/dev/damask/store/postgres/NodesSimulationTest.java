package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Several engines on the virtual database, with faults. A longer campaign:
/// `-Ddamask.nodes.runs=10000 -Ddamask.nodes.first=1`.
@Timeout(600)
final class NodesSimulationTest {
  private static final long RUNS = Long.getLong("damask.nodes.runs", 20);
  private static final long FIRST = Long.getLong("damask.nodes.first", 1_000);

  private final NodesSimulator simulator = NodesSimulator.sound();

  @Test
  void all_invariants_hold_with_several_nodes() {
    Optional<NodesSimulator.Found> found = simulator.search(FIRST, RUNS, true);

    assertThat(found.map(each -> each.toString())).isEmpty();
  }

  /// The shards waited for the lease, the thread that changes slots for the shards, and the lease
  /// for that thread.
  @Test
  void a_node_that_is_fenced_while_it_takes_slots_up_joins_again() {
    assertThat(simulator.violation(70_014)).isEmpty();
  }

  @Test
  void a_seed_determines_its_run() {
    assertThat(simulator.hash(7)).isEqualTo(NodesSimulator.sound().hash(7));
  }
}
