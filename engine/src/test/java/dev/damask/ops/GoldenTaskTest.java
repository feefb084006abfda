package dev.damask.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.effect.Effect;
import dev.damask.effect.EffectIntent;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.TableRow;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Stored tasks and claims stay readable: their bytes are compared with those of the first version.
final class GoldenTaskTest {
  private static final Path FILE = Path.of("src/test/resources/golden/rows/tasks-1.txt");
  private static final long NOW = 1_700_000_000_000L;

  private static TableRow task() {
    EffectIntent intent =
        EffectIntent.of(
            new Effect(new EffectId(77), "pack", 1, "pack", "one:77"),
            3,
            false,
            Delivery.KEYED,
            Context.of("assignee", "ann"));
    return TaskRows.row(new IncidentRows.Subject("one", "order"), intent, "pack[2]#1", NOW);
  }

  private static TaskClaim claim() {
    return new TaskClaim(
        "one", new EffectId(77), "c-1", "worker", "pack", 2, true, NOW, NOW + 60_000);
  }

  private static TableRow claimRow() {
    MemoryStore store = new MemoryStore();
    new LocalClaims(store).take(List.of(claim()), NOW);
    return store.table().rows(TaskClaim.KIND, null, 1).getFirst();
  }

  private static String line(TableRow row) {
    return "%s|%s|%s"
        .formatted(
            row.key().replace('\0', '~'),
            row.indexKey(),
            HexFormat.of().formatHex(row.value().toArray()));
  }

  private static List<String> lines() {
    return List.of(line(task()), line(claimRow()));
  }

  @Test
  void the_bytes_of_tasks_and_claims_are_those_of_the_first_version() throws IOException {
    List<String> golden = Files.readAllLines(FILE);

    assertThat(golden).isEqualTo(lines());
    byte[] value = HexFormat.of().parseHex(golden.getFirst().split("\\|", -1)[2]);
    assertThat(TaskRows.read(new TableRow(TaskRows.KIND, "", 1, Bytes.of(value))))
        .isEqualTo(
            new WaitingTask(
                "one",
                "order",
                new EffectId(77),
                "pack",
                "pack[2]#1",
                "pack",
                "ann",
                Instant.ofEpochMilli(NOW)));
    assertThat(new LocalClaims(stored(claimRow())).find("one", new EffectId(77))).contains(claim());
  }

  private static MemoryStore stored(TableRow row) {
    MemoryStore store = new MemoryStore();
    store.commit(CommitBatch.ofRows(List.of(new RowChange.Put(row)))).join();
    return store;
  }
}
