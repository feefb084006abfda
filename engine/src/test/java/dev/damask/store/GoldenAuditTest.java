package dev.damask.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Stored audit entries stay readable: their bytes are compared with those of the first version.
final class GoldenAuditTest {
  private static final Path FILE = Path.of("src/test/resources/golden/rows/audit-1.txt");

  private static AuditEntry entry() {
    return new AuditEntry(
        1_700_000_000_000L, "ann", "signal", "one", "go", "accepted", "ticket\n7");
  }

  private static List<String> lines() {
    TableRow row = AuditRows.put(1L << 40, entry()).row();
    return List.of(row.key() + " " + HexFormat.of().formatHex(row.value().toArray()));
  }

  @Test
  void the_bytes_of_an_entry_are_those_of_the_first_version() throws IOException {
    List<String> golden = Files.readAllLines(FILE);

    assertThat(golden).isEqualTo(lines());
    byte[] value = HexFormat.of().parseHex(golden.getFirst().split(" ", -1)[1]);
    assertThat(AuditEntry.decode(value)).isEqualTo(entry());
  }
}
