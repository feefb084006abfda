package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.registry.RegistryEntry;
import dev.damask.store.StoreProvider;
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
      desk.clock.advance(60_000); // the closing engine cut the first attempt off
      desk.end(key);

      assertThat(asked).containsExactly("second()");
      assertThat(desk.result(key)).isEqualTo(Map.of("sum", 42L, "who", "eve"));
      assertThat(desk.sessions.engine().verify()).isEmpty();
    }
  }
}
