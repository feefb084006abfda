package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.registry.RegistryEntry;
import dev.damask.store.Store;
import dev.damask.store.StoreProvider;
import dev.damask.store.TableRow;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A session of a store of format 4 whose step has the result of its first read and waits for the
/// second. The file was written once by the version that had this format and is never written
/// again: rule `r` reads `first()` as `one` and `second()` as `two` and adds them to its input.
final class GoldenSessionTest {
  @TempDir Path folder;

  @Test
  void a_step_between_two_reads_continues_with_the_second() throws Exception {
    GoldenStoreTest.unzip("/golden/session-4.zip", folder);
    List<String> asked = new ArrayList<>();
    StoreProvider provider = ServiceLoader.load(StoreProvider.class).findFirst().orElseThrow();

    try (Desk desk =
        new Desk(
            provider.open(folder),
            options ->
                options.withReader(request -> {
                  asked.add(request.function());
                  return List.of(0L);
                }))) {
      SessionKey key = SessionKey.of(Desk.ME, 1);
      assertThat(desk.sessions.engine().verify()).isEmpty();
      assertThat(
              desk.sessions.registry().find(RegistryEntry.Kind.RULE, "r").orElseThrow().version())
          .isEqualTo(2);
      assertThat(desk.sessions.view(key).processes())
          .extracting(ProcessInstance::status)
          .containsExactly(ProcessInstance.Status.RUNNING);
      desk.clock.advance(60_000); // the closing engine cut the first attempt off
      desk.end(key);
      assertThat(desk.sessions.view(key).processes())
          .extracting(ProcessInstance::status)
          .containsExactly(ProcessInstance.Status.DONE);

      assertThat(asked).containsExactly("second()");
      assertThat(desk.result(key)).isEqualTo(Map.of("sum", 42L, "who", "eve"));
      assertThat(desk.sessions.engine().verify()).isEmpty();
    }
  }

  @Test
  void the_registry_and_the_numbers_are_copied_to_the_table_at_the_first_open() throws Exception {
    GoldenStoreTest.unzip("/golden/session-4.zip", folder);
    StoreProvider provider = ServiceLoader.load(StoreProvider.class).findFirst().orElseThrow();
    SessionKey key = SessionKey.of(Desk.ME, 1);
    try (Store store = provider.open(folder)) {
      assertThat(store.ids("registry:")).hasSize(3);
      assertThat(store.table().rows("rule", null, 9)).isEmpty();
    }

    try (Desk desk = new Desk(provider.open(folder), options -> options)) {
      assertThat(desk.sessions.list(Desk.ME, 9)).containsExactly(key);
      assertThat(desk.sessions.nextNumber(Desk.ME)).isEqualTo(2);
      assertThat(desk.sessions.registry().events(RegistryEntry.Kind.RULE, "r")).hasSize(2);
      assertThat(desk.sessions.registry().events(RegistryEntry.Kind.GRAPH, "g")).hasSize(1);
    }

    try (Store store = provider.open(folder)) {
      assertThat(store.ids("registry:")).isEmpty();
      assertThat(store.table().rows("rule", null, 9))
          .extracting(TableRow::version)
          .containsExactly(2L, 1L);
      assertThat(store.table().rows("graph", null, 9)).hasSize(1);
      assertThat(store.table().find("session", Desk.ME, 1)).isPresent();
      assertThat(store.verify()).isEmpty();
    }
  }
}
