package dev.damask.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.store.TableRow;
import dev.damask.term.Schedule;
import dev.damask.term.Schedule.CatchUp;
import dev.damask.term.Schedule.Overlap;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Stored schedules stay readable: their bytes are compared with those of the first version.
final class GoldenScheduleTest {
  private static final Path FILE = Path.of("src/test/resources/golden/rows/schedules-1.txt");
  private static final long NOW = 1_700_000_000_000L;

  private static List<ScheduleRow> rows() {
    Schedule nightly =
        Schedule.cron("0 2 * * MON-FRI", "Europe/Berlin")
            .overlap(Overlap.QUEUE)
            .catchUp(CatchUp.within(Duration.ofHours(6)));
    return List.of(
        ScheduleRow.of("nightly", "report", Context.of("n", 1), nightly, NOW)
            .withStarted("nightly:x", NOW + 1, NOW + 2)
            .withQueued(NOW + 3, NOW + 4),
        ScheduleRow.of(
                "often",
                "w",
                Context.empty(),
                Schedule.every(Duration.ofMinutes(5)).catchUp(CatchUp.none()),
                NOW)
            .withPaused(true, ScheduleRow.NEVER));
  }

  private static String line(ScheduleRow row) {
    TableRow stored = row.row();
    return "%s %s %s"
        .formatted(
            stored.key(),
            stored.indexKey().isEmpty() ? "-" : stored.indexKey(),
            HexFormat.of().formatHex(stored.value().toArray()));
  }

  @Test
  void the_bytes_of_a_schedule_are_those_of_the_first_version() throws IOException {
    List<String> lines = rows().stream().map(GoldenScheduleTest::line).toList();

    assertThat(Files.readAllLines(FILE)).isEqualTo(lines);
    for (int i = 0; i < lines.size(); i++) {
      String[] parts = lines.get(i).split(" ", -1);
      Bytes value = Bytes.of(HexFormat.of().parseHex(parts[2]));
      assertThat(ScheduleRow.of(new TableRow(ScheduleRow.KIND, parts[0], 0, value)))
          .isEqualTo(rows().get(i));
    }
  }
}
