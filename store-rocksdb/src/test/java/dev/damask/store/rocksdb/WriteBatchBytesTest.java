package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// Batches written as bytes, against a map.
final class WriteBatchBytesTest {
  private static final int WRITES = 300;

  static {
    RocksDB.loadLibrary();
  }

  private final Random random = new Random(7);
  private final TreeMap<String, String> model = new TreeMap<>();
  private final WriteBatchBytes puts = new WriteBatchBytes();

  private String key() {
    return (random.nextBoolean() ? "c" : "r") + Integer.toString(random.nextInt(60), 36);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void change(boolean withRanges) {
    String key = key();
    switch (random.nextInt(withRanges ? 4 : 3)) {
      case 0 -> {
        String value = "v".repeat(random.nextInt(random.nextBoolean() ? 300 : 3_000));
        puts.put(bytes(key), bytes(value));
        model.put(key, value);
      }
      case 1 -> {
        String state = "s".repeat(random.nextInt(1_500));
        puts.put(
            bytes(key),
            value -> {
              value.octet('x');
              value.raw(bytes(state));
              value.octet('y');
              value.raw(bytes(state));
            });
        model.put(key, "x" + state + "y" + state);
      }
      case 2 -> {
        puts.delete(bytes(key));
        model.remove(key);
      }
      default -> {
        String end = key + "~";
        puts.deleteRange(bytes(key), bytes(end));
        model.subMap(key, end).clear();
      }
    }
  }

  @Test
  void the_store_has_what_was_put_last(@TempDir Path folder) throws Exception {
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, folder.toString());
        WriteOptions plain = new WriteOptions()) {
      for (int i = 0; i < WRITES; i++) {
        puts.clear();
        boolean withRanges = random.nextInt(4) == 0;
        int changes = 1 + random.nextInt(20);
        for (int k = 0; k < changes; k++) {
          change(withRanges);
        }
        try (WriteBatch batch = new WriteBatch(puts.toBytes())) {
          assertThat(batch.count()).isEqualTo(changes);
          db.write(plain, batch);
        }
        assertThat(contentOf(db)).as("write %d", i).isEqualTo(model);
      }
    }
  }

  @Test
  void the_state_of_a_case_is_copied_once_into_the_bytes_of_a_write() {
    byte[] state = new byte[1 << 20];
    puts.put(bytes("c"), new StoredCase(record(state), List.of(), false)::write);
    puts.put(bytes("t"), state);

    state[7] = 42; // would be lost if one of the two had been copied before

    byte[] written = puts.toBytes();
    assertThat(count(written, (byte) 42)).isEqualTo(2);
  }

  private static CaseRecord record(byte[] state) {
    return CaseRecord.of("one", 1, 1, CaseStatus.WAITING, "order").withState(state);
  }

  private static int count(byte[] bytes, byte wanted) {
    int found = 0;
    for (byte each : bytes) {
      found += each == wanted ? 1 : 0;
    }
    return found;
  }

  private static TreeMap<String, String> contentOf(RocksDB db) {
    TreeMap<String, String> content = new TreeMap<>();
    try (RocksIterator each = db.newIterator()) {
      for (each.seekToFirst(); each.isValid(); each.next()) {
        content.put(
            new String(each.key(), StandardCharsets.UTF_8),
            new String(each.value(), StandardCharsets.UTF_8));
      }
    }
    return content;
  }
}
