package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.scenario.ScenarioDocument;
import dev.damask.scenario.ScenarioReader;
import dev.damask.simulation.EngineScenario;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every scenario passes through the engine, on each store, also when the engine is closed and
/// opened again between any two events.
final class EngineScenarioTest {
  @TempDir Path folder;

  static List<Path> scenarios() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("..", "scenarios"))) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void passes_in_memory(Path file) {
    passes(file, MemoryStore::new, false, 1);
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void passes_in_memory_with_another_engine_for_every_event(Path file) {
    MemoryStore store = new MemoryStore();

    passes(file, store::reopened, true, 1);
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void passes_on_disk_with_another_engine_for_every_event(Path file) {
    passes(file, () -> RocksStore.open(folder), true, 1);
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void passes_with_every_result_reported_by_four_threads_at_once(Path file) {
    passes(file, MemoryStore::new, false, 4);
  }

  private static void passes(Path file, Supplier<Store> stores, boolean reopens, int reporters) {
    ScenarioDocument scenario = new ScenarioReader().read(file);
    try (EngineScenario played = new EngineScenario(scenario, stores, reopens, reporters)) {
      assertThat(played.play()).as(file.toString()).isEmpty();
    }
  }
}
