package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.history.JournalMode;
import dev.damask.store.CaseStatus;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.StateChange;
import dev.damask.store.StoredState;
import dev.damask.term.Flow;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/// Goes over every head, base, delta and value of a store and removes, doubles, swaps and cuts
/// each: the damage is named, and the other case continues.
@Timeout(180)
final class DamagedRecordsTest {
  @TempDir Path folder;

  private static WorkflowDefinition flow() {
    return Flow.workflow("w", Flow.repeat(500, Flow.take("go"))).withPlaces(Place.external("go"));
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
      byte[] bytes = good.get(key);
      damaged(caseId, key, Arrays.copyOf(bytes, bytes.length - 1), bytes);
      damaged(caseId, key, good.get(partner(good, key, caseId)), bytes);
      damaged(caseId, key, foreign(good, key), bytes);
      if (key.charAt(0) != 'c') {
        damaged(caseId, key, null, bytes);
      }
    }
  }

  /// Writes a case with several segments and damages one record of each kind and place in the old
  /// ones, and every value that only they refer to.
  @Test
  void every_damaged_record_of_the_past_is_named_and_the_present_state_stays_readable()
      throws Exception {
    long base = writeSegments("one");
    write("two");
    TreeMap<String, byte[]> good = read();
    List<String> old = new ArrayList<>();
    good.forEach((key, bytes) -> {
      boolean isState = key.charAt(0) == 'e' && key.contains("one");
      long revision = isState ? revisionOf(key) : 0;
      boolean isBase = isState && new StateChange.Stored(bytes).header().isBase();
      boolean isNeighbour = revision == 1 || revision == 2 || revision == base - 1;
      if (isState && revision < base && (isBase || isNeighbour)) {
        old.add(key);
      }
    });
    assertThat(old).hasSizeGreaterThan(4);

    for (String key : old) {
      byte[] bytes = Objects.requireNonNull(good.get(key));
      damagedPast(key, revisionOf(key), null, bytes);
      damagedPast(key, revisionOf(key), Arrays.copyOf(bytes, bytes.length - 1), bytes);
      damagedPast(key, revisionOf(key), good.get(partner(good, key, "one")), bytes);
      damagedPast(key, revisionOf(key), foreign(good, key), bytes);
      long next = revisionOf(key) + 1;
      if (next < base) {
        String after = text(Keys.state("one", next));
        damagedPast(after, next, bytes, Objects.requireNonNull(good.get(after))); // doubled
      }
    }
    List<String> values = good.keySet().stream().filter(key -> isOldValue(key, good)).toList();
    assertThat(values).hasSizeGreaterThan(2);
    byte[] valueOfTwo = read(Keys.LASTING).tailMap("wtwo").firstEntry().getValue();
    for (String key : values) {
      byte[] bytes = Objects.requireNonNull(good.get(key));
      damagedPast(key, 0, null, bytes);
      damagedPast(key, 0, good.get(partner(good, key, "one")), bytes);
      damagedPast(key, 0, valueOfTwo, bytes);
    }
  }

  @Test
  void every_damaged_journal_entry_is_named_and_the_present_state_stays_readable()
      throws Exception {
    for (String id : new String[] {"one", "two"}) {
      write(id);
    }
    TreeMap<String, byte[]> good = read(Keys.RECORD, Keys.JOURNAL, Keys.LASTING);
    assertThat(good.keySet().stream().filter(key -> "uj".indexOf(key.charAt(0)) >= 0)).hasSize(8);
    assertThat(good.keySet().stream().filter(key -> key.charAt(0) == 'w')).hasSizeGreaterThan(6);

    for (String key : good.keySet()) {
      if (key.contains("one")) {
        byte[] bytes = good.get(key);
        damagedJournal(key, null, bytes);
        damagedJournal(key, Arrays.copyOf(bytes, bytes.length - 1), bytes);
        damagedJournal(key, good.get(partner(good, key, "one")), bytes);
        damagedJournal(key, foreign(good, key), bytes);
      }
    }
  }

  /// @param now null when the record is removed
  private void damagedJournal(String key, byte @Nullable [] now, byte[] before)
      throws RocksDBException {
    put(key, now);
    try (Engine engine = Engine.open(EngineOptions.defaults().withShards(1), folder, flow())) {
      boolean isEntry = key.charAt(0) != 'w';
      assertThat(engine.verify().toString())
          .as("verify after damage to %s", key)
          .contains("one: ", isEntry ? "revision " + revisionOf(key) : "value")
          .doesNotContain("two");
      assertThatThrownBy(() -> engine.history("one").positions())
          .isInstanceOf(CorruptCaseException.class);
      assertThat(engine.history("two").positions()).hasSize(4);
    }
    put(key, before);
  }

  private static long revisionOf(String stateKey) {
    return Keys.revisionOf(stateKey.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
  }

  /// Whether a value of the first case belongs to old segments only.
  private static boolean isOldValue(String key, TreeMap<String, byte[]> all) {
    return key.charAt(0) == 'v'
        && key.contains("one")
        && new String(all.get(key), java.nio.charset.StandardCharsets.ISO_8859_1).contains("zz");
  }

  /// Returns the revision of the base of the present state.
  private long writeSegments(String id) {
    // With a journal it has the values of the signals, and not the state.
    EngineOptions options = EngineOptions.defaults().withShards(1).withJournal(JournalMode.NONE);
    try (Engine engine = Engine.open(options, folder, flow())) {
      var started = engine.start(flow(), id, Context.empty());
      for (int i = 0; i < 70; i++) {
        String text = i < 10 ? "z".repeat(300 + i) : ("y" + i).repeat(70);
        started.signal("go", Map.of("n", i, "text" + i % 3, text));
      }
    }
    try (RocksStore store = RocksStore.open(folder)) {
      StoredState state = store.record(id).orElseThrow().state();
      return ((StoredState.Head) state).base();
    }
  }

  /// @param revision that cannot be read any more; 0 if it is one of several
  /// @param now null when the record is removed
  private void damagedPast(String key, long revision, byte @Nullable [] now, byte[] before)
      throws RocksDBException {
    put(key, now);
    try (Engine engine = Engine.open(EngineOptions.defaults().withShards(1), folder, flow())) {
      List<String> problems = engine.verify();
      String named = problems.toString();
      assertThat(named).as("verify after damage to %s", key).contains("case one: ");
      assertThat(named).contains(revision > 0 ? "revision" : "value");
      assertThat(problems).noneMatch(problem -> problem.startsWith("case two"));
      assertThat(engine.status("one").status()).isEqualTo(CaseStatus.WAITING);
      if (revision > 0) {
        assertThatThrownBy(() -> engine.history("one").state(revision))
            .isInstanceOf(CorruptCaseException.class)
            .hasMessageContaining("revision " + revision);
      }
    }
    put(key, before);
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

  /// The record at the same place of the other case, or another one of the same kind of it if the
  /// two are the same value.
  private static byte[] foreign(TreeMap<String, byte[]> all, String key) {
    String own = key.contains("one") ? "one" : "two";
    String other = own.equals("one") ? "two" : "one";
    byte[] bytes = all.get(key);
    byte[] same = all.get(key.replace(own, other));
    return same != null && !Arrays.equals(same, bytes)
        ? same
        : all.keySet().stream()
            .filter(each -> each.charAt(0) == key.charAt(0) && each.contains(other))
            .map(all::get)
            .filter(each -> !Arrays.equals(each, bytes))
            .findFirst()
            .orElseThrow();
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
    return read(Keys.CASE, Keys.STATE, Keys.VALUE);
  }

  private TreeMap<String, byte[]> read(byte... kinds) throws RocksDBException {
    TreeMap<String, byte[]> records = new TreeMap<>();
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, folder.resolve("data").toString());
        var iterator = db.newIterator()) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        byte kind = iterator.key()[0];
        for (byte wanted : kinds) {
          if (kind == wanted) {
            records.put(text(iterator.key()), iterator.value());
          }
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
