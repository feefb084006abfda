package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.Encoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The record of a commit keeps its form, and damage to it is noticed.
final class CommitRecordTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden/commit-record-1.txt");
  private static final CommitRecord RECORD =
      new CommitRecord(
          new byte[] {1, 2, 3}, new byte[] {4, 5}, List.of(new byte[] {6}, new byte[] {7, 8, 9}));

  private static byte[] written() {
    Encoder out = new Encoder();
    RECORD.write("one", 7, out);
    return out.toBytes();
  }

  private static void requireSame(CommitRecord read) {
    assertThat(read.journal()).isEqualTo(RECORD.journal());
    assertThat(read.trace()).isEqualTo(RECORD.trace());
    assertThat(read.receipts()).containsExactlyElementsOf(RECORD.receipts());
  }

  @Test
  void the_stored_form_never_changes() throws IOException {
    String golden = Files.readString(GOLDEN).strip();

    assertThat(HexFormat.of().formatHex(written())).isEqualTo(golden);
    requireSame(CommitRecord.read("one", 7, HexFormat.of().parseHex(golden)));
  }

  @Test
  void every_changed_byte_and_every_cut_is_noticed() {
    byte[] good = written();
    for (int at = 0; at < good.length; at++) {
      byte[] changed = good.clone();
      changed[at] ^= 0x11;
      byte[] cut = java.util.Arrays.copyOf(good, at);
      for (byte[] bad : List.of(changed, cut)) {
        assertThatThrownBy(() -> CommitRecord.read("one", 7, bad))
            .isInstanceOf(DamagedBytes.class)
            .hasMessageContaining("revision 7");
      }
    }
  }

  @Test
  void a_record_of_another_case_or_revision_is_noticed() {
    byte[] good = written();

    requireSame(CommitRecord.read("one", 7, good));
    assertThatThrownBy(() -> CommitRecord.read("two", 7, good)).isInstanceOf(DamagedBytes.class);
    assertThatThrownBy(() -> CommitRecord.read("one", 8, good)).isInstanceOf(DamagedBytes.class);
  }
}
