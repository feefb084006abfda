package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.CaseStatus;
import dev.damask.term.Flow;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/// Goes over every head, base, delta and value of a store and removes, doubles, swaps and cuts
/// each: the damage is named, and the other case continues.
final class DamagedRecordsTest {
  @TempDir Path folder;

  private static WorkflowDefinition flow() {
    return Flow.workflow("w", Flow.repeat(5, Flow.take("go"))).withPlaces(Place.external("go"));
  }

  @Test
  void every_damaged_record_is_named_and_concerns_its_case_alone() throws Exception {
    for (String id : new String[] {"one", "two"}) {
      write(id);
    }
    TreeMap<String, byte[]> good = read();
    assertThat(good).hasSizeGreaterThan(8);

    for (String key : good.keySet()) {
      String caseId = key.contains("one") ? "one" : "two";
      String partner = partner(good, key, caseId);
      byte[] bytes = good.get(key);
      damaged(caseId, key, Arrays.copyOf(bytes, bytes.length - 1), bytes);
      damaged(caseId, key, good.get(partner), bytes);
      if (key.charAt(0) != 'c') {
        damaged(caseId, key, null, bytes);
      }
    }
  }

  private void write(String id) {
    try (Engine engine = Engine.open(EngineOptions.defaults().withShards(1), folder, flow())) {
      Context context = Context.of("large", id.repeat(200), "other", "x".repeat(300));
      var started = engine.start(flow(), id, context);
      for (int i = 0; i < 3; i++) {
        started.signal("go", Map.of("n", i, "text", "y".repeat(280 + i)));
      }
    }
  }

  /// A record of the same kind: of the same case, or else of the other one.
  private static String partner(TreeMap<String, byte[]> all, String key, String caseId) {
    String found = "";
    for (String other : all.keySet()) {
      boolean isOther = !other.equals(key) && other.charAt(0) == key.charAt(0);
      if (isOther && (found.isEmpty() || other.contains(caseId))) {
        found = other;
      }
    }
    return found;
  }

  /// @param now null when the record is removed
  private void damaged(String caseId, String key, byte @Nullable [] now, byte[] before)
      throws RocksDBException {
    put(key, now);
    String other = caseId.equals("one") ? "two" : "one";
    try (Engine engine = Engine.open(EngineOptions.defaults().withShards(1), folder, flow())) {
      assertThat(engine.verify()).as("verify after damage to %s", key).isNotEmpty();
      assertThat(engine.verify().toString()).contains(caseId);
      assertThat(engine.status(caseId).status()).isEqualTo(CaseStatus.CORRUPT);
      assertThat(engine.status(other).status()).isEqualTo(CaseStatus.WAITING);
    }
    put(key, before);
  }

  private TreeMap<String, byte[]> read() throws RocksDBException {
    TreeMap<String, byte[]> records = new TreeMap<>();
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, folder.resolve("data").toString());
        var iterator = db.newIterator()) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        byte kind = iterator.key()[0];
        if (kind == Keys.CASE || kind == Keys.STATE || kind == Keys.VALUE) {
          records.put(text(iterator.key()), iterator.value());
        }
      }
    }
    return records;
  }

  private static String text(byte[] key) {
    return new String(key, java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  private void put(String key, byte @Nullable [] value) throws RocksDBException {
    byte[] bytes = key.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, folder.resolve("data").toString())) {
      if (value == null) {
        db.delete(bytes);
      } else {
        db.put(bytes, value);
      }
    }
  }
}
