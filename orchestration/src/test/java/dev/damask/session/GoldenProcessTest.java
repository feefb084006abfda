package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.session.StoredProcess.End;
import dev.damask.session.StoredProcess.Sent;
import dev.damask.session.StoredProcess.Spawn;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.Table;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Rows of processes stay readable: their bytes are compared with those of the first version.
final class GoldenProcessTest {
  private static final Path FILE = Path.of("src/test/resources/golden/rows/processes-1.txt");
  private static final String CASE = "session:eve:1";
  private static final long NOW = 1_700_000_000_000L;
  private static final String NOTE =
      "{\"wakeUps\":[{\"runner\":\"bob\",\"sessionId\":2,\"stepId\":\"Doc\",\"woken\":1}]}";

  private static final Spawn FIRST = new Spawn(0, "A", 0, 2, NOW);
  private static final Spawn SECOND = new Spawn(1, "B", 7, 3, NOW + 1);
  private static final Spawn THIRD = new Spawn(1, "C", 7, 4, NOW + 1);

  private static SessionTotals totals() {
    SessionTotals totals = new SessionTotals();
    totals.cost = 15_700;
    totals.made = 3;
    totals.done = 1;
    totals.aborted = 1;
    totals.lastMillis = NOW + 2;
    totals.root = 1;
    totals.cancelledBy = "A";
    totals.received("tag", 2);
    return totals;
  }

  private static List<TableRow> written() {
    return List.of(
        totals().row(CASE),
        FIRST.row(CASE, 1, End.done(true, "", NOW).at("A", 0)),
        new Sent(NOTE, NOW + 2).row(CASE, 1),
        SECOND.row(CASE, 2, null),
        End.aborted("by its rule", NOW + 2).at("B", 7).row(CASE, 2),
        THIRD.row(CASE, 3, null),
        StoredProcess.changed(CASE, 4, NOW + 2));
  }

  private static String line(TableRow row) {
    return String.join(
        "|",
        row.kind(),
        row.key(),
        String.valueOf(row.version()),
        row.indexKey(),
        HexFormat.of().formatHex(row.value().toArray()));
  }

  private static TableRow row(String line) {
    String[] parts = line.split("\\|", -1);
    return new TableRow(
        parts[0],
        parts[1],
        Long.parseLong(parts[2]),
        Bytes.of(HexFormat.of().parseHex(parts[4])),
        parts[3]);
  }

  @Test
  void rows_are_written_as_the_first_version_has_written_them() throws Exception {
    assertThat(written().stream().map(GoldenProcessTest::line).toList())
        .isEqualTo(Files.readAllLines(FILE));
  }

  @Test
  void rows_of_the_first_version_are_read() throws Exception {
    List<RowChange> rows = new ArrayList<>();
    Files.readAllLines(FILE).forEach(line -> rows.add(new RowChange.Put(row(line))));
    MemoryStore store = new MemoryStore();
    store.commit(CommitBatch.ofRows(rows)).join();
    Table table = store.table();

    SessionTotals read = SessionTotals.find(table, CASE).orElseThrow();
    List<StoredProcess> processes = StoredProcess.page(table, CASE, 4, 9);

    assertThat(read).usingRecursiveComparison().isEqualTo(totals());
    assertThat(processes)
        .containsExactly(
            new StoredProcess(3, THIRD, null, null),
            new StoredProcess(2, SECOND, End.aborted("by its rule", NOW + 2), null),
            new StoredProcess(1, FIRST, End.done(true, "", NOW), new Sent(NOTE, NOW + 2)));
    assertThat(processes.getLast().wakeUps())
        .containsExactly(new SentWakeUp(1, "A", SessionKey.of("bob", 2), "Doc", 1));
    assertThat(StoredProcess.changedMillis(table, CASE, THIRD)).isEqualTo(NOW + 2);
    assertThat(StoredProcess.isAborted(table, CASE, 7, "B")).isTrue();
    assertThat(StoredProcess.isAborted(table, CASE, 7, "C")).isFalse();
  }
}
