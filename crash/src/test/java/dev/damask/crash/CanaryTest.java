package dev.damask.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/// A secret that an effect was given, and that the other side repeats wherever it can, is nowhere
/// in what is left behind: not in the store, not in a backup, not in what was printed (S34).
final class CanaryTest {
  private static final String CANARY = "canary7Zq2xW9sLk4";
  private static final String DOCUMENT =
      """
      workflow: canary
      do:
        - task: good
          result: good
          effect:
            type: http
            with:
              method: POST
              url: "http://PLACE/good"
              headers: {authorization: "Bearer ${secret.CANARY}"}
              body: {password: "${secret.CANARY}"}
        - task: told
          effect: {type: log, with: {message: "heard ${good} with ${secret.CANARY}"}}
        - task: bad
          result: bad
          retry: {max: 1}
          effect:
            type: http
            with:
              method: POST
              url: "http://PLACE/bad"
              headers: {authorization: "Bearer ${secret.CANARY}"}
              body: "${secret.CANARY}"
      """;

  @TempDir Path folder;

  @Test
  void a_secret_is_in_nothing_that_is_left_behind() throws Exception {
    Path store = folder.resolve("store");
    List<String> said = new ArrayList<>();
    try (EchoServer server = new EchoServer()) {
      Path document =
          Files.writeString(
              folder.resolve("canary.yaml"), DOCUMENT.replace("PLACE", server.place()));
      said.add(
          damask(
              "run",
              document.toString(),
              "--store",
              store.toString(),
              "--allow",
              server.place(),
              "--secret",
              "CANARY",
              "--trace",
              "full",
              "--json"));
      // The other side did hear it, or this test would find nothing whatever we wrote.
      assertThat(server.heard()).hasSizeGreaterThanOrEqualTo(2).allMatch(r -> r.contains(CANARY));
    }
    said.add(damask("show", store.toString(), "canary-1", "--json"));
    said.add(damask("verify", store.toString()));
    said.add(damask("backup", store.toString(), folder.resolve("copy").toString()));

    assertThat(said.getFirst()).contains("failed").doesNotContain("no secret");
    assertThat(said).allMatch(text -> !holds(text.getBytes(StandardCharsets.UTF_8)));
    assertThat(found()).isEmpty();
    assertThat(settled(store.resolve("data"))).isGreaterThan(5);
    assertThat(found()).isEmpty();
  }

  @Test
  void the_search_finds_a_secret_that_was_written() throws IOException {
    Files.write(
        folder.resolve("a.sst"), ("\0\1x" + CANARY + "\0").getBytes(StandardCharsets.UTF_8));
    Files.writeString(
        folder.resolve("b"),
        Base64.getEncoder().encodeToString(CANARY.getBytes(StandardCharsets.UTF_8)));
    Files.writeString(folder.resolve("c"), "canary");

    assertThat(found()).containsExactlyInAnyOrder("a.sst", "b");
  }

  /// Runs one of our commands in a process that knows the secret.
  private String damask(String... arguments) throws Exception {
    Path said = folder.resolve("said.txt");
    Process process =
        Java.start(List.of("env", "CANARY=" + CANARY), folder, "dev.damask.cli.Main", arguments);
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    Files.writeString(said, out);
    return out + Files.readString(folder.resolve("Main.err"));
  }

  private static boolean holds(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    byte[] canary = CANARY.getBytes(StandardCharsets.UTF_8);
    String coded = Base64.getEncoder().withoutPadding().encodeToString(canary);
    return text.contains(CANARY) || text.contains(coded);
  }

  /// The files under the folder that hold the secret.
  private List<String> found() throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        if (holds(Files.readAllBytes(file))) {
          found.add(folder.relativize(file).toString());
        }
      }
    }
    return found;
  }

  /// Writes the store to its tables, where it is packed, and looks at every record unpacked. Says
  /// how many there were.
  private static int settled(Path data) throws RocksDBException {
    int records = 0;
    RocksDB.loadLibrary();
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, data.toString());
        FlushOptions flush = new FlushOptions();
        CompactRangeOptions compact = new CompactRangeOptions()) {
      db.flush(flush);
      db.compactRange(db.getDefaultColumnFamily(), null, null, compact);
      try (RocksIterator each = db.newIterator()) {
        for (each.seekToFirst(); each.isValid(); each.next()) {
          for (Map.Entry<String, byte[]> part :
              Map.of("key", each.key(), "value", each.value()).entrySet()) {
            assertThat(holds(part.getValue())).as(part.getKey()).isFalse();
          }
          records++;
        }
      }
    }
    return records;
  }
}
