package dev.damask.store.rocksdb;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.history.JournalMode;
import dev.damask.store.StoreException;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/// A store that somebody has changed behind the engine's back (S38): `verify` says so.
@Timeout(120)
final class TamperedStoreTest {
  private static final WorkflowDefinition WORKFLOW = workflow("two", effect("ask"), effect("wait"));

  @TempDir Path folder;

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(1).withHandler("ask", call -> Map.of("n", 1));
  }

  /// A store with two cases that have a receipt and wait.
  private Path filled() throws InterruptedException {
    return filled(options());
  }

  private Path filled(EngineOptions options) throws InterruptedException {
    Path store = folder.resolve("store");
    try (var engine = Engine.open(options, store, WORKFLOW)) {
      engine.start(WORKFLOW, "one", Context.of("k", "v", "large", "x".repeat(300)));
      engine.start(WORKFLOW, "two", Context.empty());
      while (engine.receipts("one").isEmpty() || engine.receipts("two").isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
      assertThat(engine.verify()).isEmpty();
    }
    return store;
  }

  private static TreeMap<String, byte[]> records(Path store, byte kind) throws RocksDBException {
    TreeMap<String, byte[]> found = new TreeMap<>();
    try (RocksDB db = RocksDB.openReadOnly(store.resolve("data").toString());
        RocksIterator each = db.newIterator()) {
      for (each.seekToFirst(); each.isValid(); each.next()) {
        if (each.key()[0] == kind) {
          found.put(
              new String(each.key(), java.nio.charset.StandardCharsets.ISO_8859_1), each.value());
        }
      }
    }
    return found;
  }

  private static void put(Path store, String key, byte[] value) throws RocksDBException {
    try (RocksDB db = RocksDB.open(store.resolve("data").toString())) {
      db.put(key.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1), value);
    }
  }

  @Test
  void every_changed_byte_of_a_receipt_and_of_a_state_is_reported() throws Exception {
    changeEveryByte(filled(), Keys.RECORD, Keys.CASE, Keys.STATE, Keys.LASTING);
  }

  /// Receipts of users' keys and large inputs have keys of their own, as all had before format 6.
  @Test
  void every_changed_byte_of_a_receipt_and_of_inputs_with_their_own_keys_is_reported()
      throws Exception {
    Path store = folder.resolve("own");
    var keyed = workflow("keyed", effect("ask").key(context -> "own"), effect("wait"));
    try (var engine = Engine.open(options(), store, keyed)) {
      Map<String, Object> many = new TreeMap<>();
      for (int i = 0; i < 100; i++) {
        many.put("key" + i, "a value of some length");
      }
      engine.start(keyed, "one", Context.from(many));
      while (engine.receipts("one").isEmpty()) {
        LockSupport.parkNanos(100_000);
      }
      assertThat(engine.verify()).isEmpty();
    }
    changeEveryByte(store, Keys.RECEIPT, Keys.JOURNAL);
  }

  /// With a journal, the values of inputs are kept for it.
  @Test
  void every_changed_byte_of_a_value_without_a_journal_is_reported() throws Exception {
    changeEveryByte(filled(options().withJournal(JournalMode.NONE)), Keys.VALUE);
  }

  private static void changeEveryByte(Path store, byte... kinds) throws Exception {
    for (byte kind : kinds) {
      Map.Entry<String, byte[]> entry = records(store, kind).firstEntry();
      byte[] value = entry.getValue();
      for (int at = value.length - 1; at >= 0; at -= 7) { // from the checksum on
        byte[] changed = value.clone();
        changed[at] ^= 0x11;
        put(store, entry.getKey(), changed);

        try (RocksStore opened = RocksStore.open(store)) {
          assertThat(opened.verify()).as("byte %s of %s", at, entry.getKey()).isNotEmpty();
        }
        put(store, entry.getKey(), value);
      }
    }
    try (RocksStore opened = RocksStore.open(store)) {
      assertThat(opened.verify()).isEmpty();
    }
  }

  @Test
  void a_receipt_that_was_taken_out_or_moved_to_another_case_is_reported() throws Exception {
    Path store = filled();
    TreeMap<String, byte[]> receipts = records(store, Keys.RECORD);
    String own = Objects.requireNonNull(receipts.lowerKey("utwo"));
    put(store, own, receipts.lastEntry().getValue());

    try (RocksStore opened = RocksStore.open(store)) {
      assertThat(opened.verify()).anyMatch(problem -> problem.contains("one"));
    }
  }

  @Test
  void a_damaged_file_is_found_when_it_is_opened_or_read() throws Exception {
    Path store = filled();
    List<Path> tables;
    try (var files = Files.list(store.resolve("data"))) {
      tables = files.filter(f -> f.toString().matches(".*\\.(log|sst)")).toList();
    }
    List<String> silent = new ArrayList<>();
    for (Path file : tables) {
      byte[] bytes = Files.readAllBytes(file);
      for (int at = bytes.length / 4; at < bytes.length; at += Math.max(1, bytes.length / 4)) {
        byte[] changed = bytes.clone();
        changed[at] ^= 0x11;
        if (!isNoticed(store, file, changed)) {
          silent.add(file.getFileName() + " at " + at);
        }
        Files.write(file, bytes);
      }
    }

    assertThat(tables).isNotEmpty();
    assertThat(silent).isEmpty();
  }

  @Test
  void a_log_that_a_crash_cut_off_is_read_up_to_the_cut() throws Exception {
    Path store = filled();
    Path log;
    try (var files = Files.list(store.resolve("data"))) {
      log = files.filter(f -> f.toString().endsWith(".log")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(log);
    for (int length = bytes.length - 1; length > bytes.length - 60; length -= 7) {
      Files.write(log, java.util.Arrays.copyOf(bytes, length));
      // A power loss that cut the log has not kept a mark of writes after the cut.
      Files.deleteIfExists(store.resolve(DurableMark.FILE));

      try (RocksStore opened = RocksStore.open(store)) {
        assertThat(opened.verify()).as("cut at %s", length).isEmpty();
      }
    }
  }

  /// Whether a copy of the store with one file changed is refused, reported, or has lost its tail,
  /// which the count of cases shows.
  private boolean isNoticed(Path store, Path file, byte[] changed) throws IOException {
    Path copy = Files.createTempDirectory(folder, "copy");
    Files.createDirectories(copy.resolve("data"));
    try (var files = Files.list(store.resolve("data"))) {
      for (Path each : files.filter(Files::isRegularFile).toList()) {
        Files.write(
            copy.resolve("data").resolve(each.getFileName()),
            each.equals(file) ? changed : Files.readAllBytes(each));
      }
    }
    try (RocksStore opened = RocksStore.open(copy)) {
      return !opened.verify().isEmpty()
          || opened.record("one").isEmpty()
          || opened.record("two").isEmpty();
    } catch (StoreException e) {
      return true;
    }
  }
}
