package dev.damask.store.rocksdb;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Counts the keys and bytes that an effect step writes, in the write-ahead log.
@Timeout(60)
final class StepKeysTest {
  private static final int KEYS_MAX = 5;
  private static final int BYTES_MAX = 560;

  @TempDir Path folder;

  /// One change of a write.
  private record Change(char kind, int bytes) {}

  @Test
  void an_effect_step_writes_few_keys_and_bytes() throws Exception {
    WorkflowDefinition flow =
        workflow("effects5", effect("a"), effect("b"), effect("c"), effect("d"), effect("e"));
    EngineOptions options = EngineOptions.defaults().withShards(1);
    for (String type : List.of("a", "b", "c", "d", "e")) {
      options = options.withHandler(type, _ -> null);
    }
    List<List<Change>> writes = new ArrayList<>();
    try (Engine engine = Engine.open(options, folder, flow)) {
      for (int i = 0; i < 20; i++) {
        Context context = Context.of("n", 0, "customer", "c-17").with("total", 99);
        engine.start(flow, "case000" + (char) ('a' + i), context).await();
      }
      for (List<Change> write : written()) {
        boolean isHead = write.stream().filter(each -> each.kind == 'c').count() == 1;
        boolean isEnd = write.stream().anyMatch(each -> each.kind == 'n');
        boolean isStart = write.stream().anyMatch(each -> each.kind == 'i');
        if (isHead && !isEnd && !isStart) {
          writes.add(write);
        }
      }
    }

    assertThat(writes).hasSizeGreaterThan(60);
    Map<Character, Integer> sizes = new TreeMap<>();
    long bytes = 0;
    for (List<Change> write : writes) {
      assertThat(write).hasSizeLessThanOrEqualTo(KEYS_MAX);
      bytes += write.stream().mapToInt(Change::bytes).sum();
      write.forEach(each -> sizes.merge(each.kind, each.bytes, Integer::sum));
    }
    sizes.replaceAll((_, sum) -> sum / writes.size());
    assertThat(bytes / writes.size()).as("bytes by kind %s", sizes).isLessThanOrEqualTo(BYTES_MAX);
  }

  /// The writes of the log, each a batch in RocksDB's form.
  private List<List<Change>> written() throws IOException {
    List<List<Change>> writes = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder.resolve("data"))) {
      for (Path log : files.filter(file -> file.toString().endsWith(".log")).toList()) {
        for (byte[] batch : LogFile.batches(Files.readAllBytes(log))) {
          writes.add(changes(batch));
        }
      }
    }
    return writes;
  }

  private static List<Change> changes(byte[] batch) {
    ByteBuffer in = ByteBuffer.wrap(batch).order(ByteOrder.LITTLE_ENDIAN);
    in.getLong();
    int count = in.getInt();
    List<Change> changes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int from = in.position();
      int tag = in.get();
      char kind = (char) in.get(in.position() + lengthOfSize(in));
      skip(in);
      if (tag == 1) {
        skip(in);
      }
      assertThat(tag).as("a put or a deletion").isIn(0, 1);
      changes.add(new Change(kind, in.position() - from));
    }
    return changes;
  }

  private static int lengthOfSize(ByteBuffer in) {
    int length = 1;
    while (in.get(in.position() + length - 1) < 0) {
      length++;
    }
    return length;
  }

  private static void skip(ByteBuffer in) {
    int size = 0;
    int shift = 0;
    int octet;
    do {
      octet = in.get();
      size |= (octet & 0x7F) << shift;
      shift += 7;
    } while (octet < 0);
    in.position(in.position() + size);
  }
}
