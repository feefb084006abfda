package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The test of the tests: the simulation with several nodes finds planted bugs. It runs with
/// `-Ddamask.nodes=true` and plants one; `-Ddamask.nodes.mutants=all` plants all.
@Timeout(600)
@EnabledIfSystemProperty(named = "damask.nodes", matches = "true")
final class NodesMutantsTest {
  private static final long RUNS_MAX = 150;

  static List<NodesMutant> mutants() {
    return System.getProperty("damask.nodes.mutants", "").equals("all")
        ? List.of(NodesMutant.values())
        : List.of(NodesMutant.IGNORES_THE_FENCE);
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void the_simulation_finds(NodesMutant mutant) throws Exception {
    Optional<NodesSimulator.Found> found =
        new NodesSimulator(mutant.load()).search(mutant.theme(), RUNS_MAX);

    assertThat(found).as("%s after %d runs", mutant, RUNS_MAX).isPresent();
    System.out.printf(
        "%s: found by seed %d: %s%n",
        mutant, found.orElseThrow().seed(), found.orElseThrow().violation());
  }
}
