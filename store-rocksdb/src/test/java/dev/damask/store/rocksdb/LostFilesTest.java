package dev.damask.store.rocksdb;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.store.CaseQuery;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;

/// A store whose files are missing or shorter than they were: nothing is lost in silence.
@Timeout(240)
final class LostFilesTest {
  private static final int CASES = 6;

  /// Whether each file is cut at every length, which takes minutes.
  private static final boolean EVERY_LENGTH = Boolean.getBoolean("damask.lengths");

  /// The size in bytes up to which a file is cut at every length in each build.
  private static final long SMALL = 600;

  private static final WorkflowDefinition WORKFLOW = workflow("wait", effect("wait"));

  @TempDir Path folder;

  private static EngineOptions options() {
    return EngineOptions.defaults().withShards(1).withGrace(Duration.ZERO);
  }

  private static void fill(Path store, int from, int to) {
    try (var engine = Engine.open(options(), store, WORKFLOW)) {
      for (int i = from; i < to; i++) {
        engine.start(WORKFLOW, "case-" + i, Context.of("k", "v".repeat(200)));
      }
    }
  }

  /// A store with cases in a table file and in the write-ahead log.
  private Path filled() throws Exception {
    Path store = folder.resolve("store");
    fill(store, 0, CASES / 2);
    try (RocksDB db = RocksDB.open(store.resolve("data").toString());
        FlushOptions flush = new FlushOptions()) {
      db.flush(flush);
    }
    fill(store, CASES / 2, CASES);
    return store;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path copy = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    }
  }

  private static List<Path> files(Path store) throws IOException {
    try (Stream<Path> files = Files.walk(store)) {
      return files.filter(Files::isRegularFile).map(store::relativize).sorted().toList();
    }
  }

  /// Empty when the store opens with everything in it, else the sentence that refuses it.
  private static String look(Path store) {
    try (var engine = Engine.open(options(), store, WORKFLOW)) {
      List<String> problems = engine.verify();
      int found = engine.list(CaseQuery.ALL).cases().size();
      if (!problems.isEmpty()) {
        return problems.getFirst();
      }
      assertThat(found).as("cases that are left, and verify reports nothing").isEqualTo(CASES);
      return "";
    } catch (StoreException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void a_mark_that_a_crash_left_behind_the_last_write_is_harmless() throws Exception {
    Path store = folder.resolve("store");
    fill(store, 0, CASES / 2);
    Path mark = store.resolve(DurableMark.FILE);
    byte[] before = Files.readAllBytes(mark);
    fill(store, CASES / 2, CASES);

    Files.write(mark, before);

    assertThat(look(store)).isEmpty();
  }

  @Test
  void a_missing_file_is_harmless_or_noticed_whichever_it_is() throws Exception {
    Path store = filled();
    int tried = 0;
    for (Path file : files(store)) {
      Path damaged = folder.resolve("without-" + tried++);
      copy(store, damaged);
      Files.delete(damaged.resolve(file));

      assertThat(look(damaged)).as("without %s", file).isNotNull();
      if (file.toString().matches("data/(CURRENT|MANIFEST.*|.*\\.log|.*\\.sst)")) {
        assertThat(look(damaged)).as("without %s", file).contains("store " + damaged);
      }
    }
    assertThat(tried).isGreaterThan(6);
  }

  @Test
  void a_file_cut_at_any_length_is_harmless_or_noticed() throws Exception {
    Path store = filled();
    Set<String> small = new TreeSet<>();
    for (Path file : files(store)) {
      long size = Files.size(store.resolve(file));
      long step = EVERY_LENGTH || size <= SMALL ? 1 : Math.max(1, size / samples(file));
      for (long length = 0; length < size; length += step) {
        cutIsNoticed(store, file, length);
      }
      cutIsNoticed(store, file, Math.max(0, size - 1));
      if (step == 1) {
        small.add(String.valueOf(file.getFileName()).replaceAll("-.*", ""));
      }
    }
    assertThat(small).contains("CURRENT", "MANIFEST", "IDENTITY", DurableMark.FILE);
  }

  /// The number of lengths of a larger file: more for one that has cases.
  private static int samples(Path file) {
    return file.toString().matches("data/.*\\.(log|sst)") ? 60 : 12;
  }

  private void cutIsNoticed(Path store, Path file, long length) throws IOException {
    Path damaged = Files.createTempDirectory(folder, "cut");
    Files.delete(damaged);
    copy(store, damaged);
    try (FileChannel channel = FileChannel.open(damaged.resolve(file), StandardOpenOption.WRITE)) {
      channel.truncate(length);
    }

    String noticed = look(damaged);

    if (file.toString().matches("data/(CURRENT|MANIFEST.*|.*\\.log|.*\\.sst)")) {
      assertThat(noticed).as("%s cut to %d", file, length).isNotEmpty();
    }
  }

  @Test
  void a_store_that_lost_the_end_of_its_log_is_refused_until_the_mark_is_removed()
      throws Exception {
    Path store = filled();
    Path log =
        files(store).stream()
            .filter(file -> file.toString().endsWith(".log"))
            .map(store::resolve)
            .findFirst()
            .orElseThrow();
    try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
      channel.truncate(Files.size(log) / 2);
    }

    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(() -> Engine.open(options(), store, WORKFLOW))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("data is missing: its last write has number")
          .hasMessageContaining("restore the files or a backup");
    }

    Files.delete(store.resolve(DurableMark.FILE));
    try (var engine = Engine.open(options(), store, WORKFLOW)) {
      assertThat(engine.verify()).isEmpty();
      assertThat(engine.list(CaseQuery.ALL).cases()).hasSizeBetween(CASES / 2, CASES - 1);
    }
  }

  @Test
  void a_backup_has_its_own_files_and_its_own_mark() throws Exception {
    Path store = filled();
    Path backup = folder.resolve("backup");
    try (var engine = Engine.open(options(), store, WORKFLOW)) {
      engine.backup(backup);
      engine.start(WORKFLOW, "later", Context.empty());
    }
    for (Path file : files(store)) {
      Files.delete(store.resolve(file));
    }

    assertThat(look(backup)).isEmpty();
    assertThat(files(backup)).contains(Path.of(DurableMark.FILE));
  }

  @Test
  void a_backup_by_links_shares_its_table_files() throws Exception {
    Path store = filled();
    Path linked = folder.resolve("linked");
    Path copied = folder.resolve("copied");
    try (var engine = Engine.open(options(), store, WORKFLOW)) {
      engine.backup(linked, Store.Backup.LINKS);
      engine.backup(copied);
    }

    assertThat(links(linked)).isGreaterThan(1);
    assertThat(links(copied)).isEqualTo(1);
    assertThat(look(linked)).isEmpty();
  }

  private static int links(Path store) throws IOException {
    Path table =
        files(store).stream()
            .filter(file -> file.toString().endsWith(".sst"))
            .findFirst()
            .orElseThrow();
    return (Integer) Files.getAttribute(store.resolve(table), "unix:nlink");
  }

  @Test
  void only_its_owner_can_read_a_store() throws Exception {
    Path store = filled();

    for (Path directory : List.of(store, store.resolve("data"))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
          .isEqualTo("rwx------");
    }
    for (Path file : files(store)) {
      String name = String.valueOf(file.getFileName());
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(store.resolve(file))))
          .as(name)
          .isEqualTo("rw-------");
    }
  }
}
