package dev.damask.store.rocksdb;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.event.Reply;
import dev.damask.term.Limits;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A signal costs its own size on the disk, not the size of what the case has already.
@Timeout(120)
final class SignalBytesTest {
  private static final int SIGNALS = 100;

  /// What a commit of this case writes besides the payload at most, if it does not write a base.
  private static final int CONSTANT = 460;

  /// What a value of the payload costs besides its characters: its key, hash and reference.
  private static final long PER_VALUE = 180L;

  private static final int VALUE_MAX = 60_000;

  private static final WorkflowDefinition WAITING =
      workflow("waiting", defer(on("go", defer(on("later", skip())))));

  @TempDir Path folder;

  @Test
  void a_large_signal_writes_its_own_size() throws Exception {
    buffers(Context.empty(), 0, i -> 100_000 + 800 * i);
  }

  @Test
  void a_small_signal_writes_its_own_size() throws Exception {
    buffers(Context.empty(), 2, i -> 10 + i);
  }

  @Test
  void sizes_of_signals_may_alternate() throws Exception {
    buffers(Context.empty(), 0, i -> i % 2 == 0 ? 20 : 180_000 - i);
  }

  @Test
  void a_large_context_of_small_values_is_not_written_again() throws Exception {
    buffers(keys(1_000, 150), 0, i -> i % 2 == 0 ? 20 : 100_000 + i);
  }

  @Test
  void a_large_context_of_one_value_is_not_written_again() throws Exception {
    buffers(Context.of("one", "x".repeat(VALUE_MAX)), 0, i -> i % 2 == 0 ? 20 : 100_000 + i);
  }

  private static Context keys(int count, int size) {
    Map<String, Object> all = new HashMap<>();
    for (int i = 0; i < count; i++) {
      all.put("key " + i, "v".repeat(size));
    }
    return Context.from(all);
  }

  private interface Sizes {
    int of(int signal);
  }

  private void buffers(Context context, int basesMax, Sizes sizes) throws Exception {
    CaseOptions terms = CaseOptions.DEFAULT.withLimits(Limits.DEFAULT.withBytes(32 << 20, 1 << 20));
    try (Engine engine = Engine.open(EngineOptions.defaults(), folder, WAITING)) {
      engine.start(WAITING, "one", context, terms);
      long total = 0;
      int bases = 0;
      for (int i = 0; i < SIGNALS; i++) {
        Map<String, Object> payload = payload(i, sizes.of(i));
        long before = written();

        assertThat(engine.signal("one", "later", payload, "message " + i).kind())
            .isEqualTo(Reply.BUFFERED);

        long besides = written() - before - sizes.of(i) - PER_VALUE * payload.size();
        total += besides;
        bases += besides > CONSTANT ? 1 : 0;
      }
      // Small signals outweigh the state now and then, and then a base is due.
      assertThat(bases).isLessThanOrEqualTo(basesMax);
      assertThat(total).isLessThanOrEqualTo((long) SIGNALS * CONSTANT);
      engine.signal("one", "go", Map.of());
      assertThat(engine.await("one")).isInstanceOf(CaseResult.Completed.class);
    }
  }

  /// A payload of about so many characters, in strings that are legal.
  private static Map<String, Object> payload(int number, int size) {
    Map<String, Object> payload = new HashMap<>();
    for (int left = size; left > 0; left -= VALUE_MAX) {
      payload.put(
          "text " + left,
          (number + " " + left + " ").repeat(VALUE_MAX).substring(0, Math.min(left, VALUE_MAX)));
    }
    return payload;
  }

  /// How many bytes the write-ahead log has.
  private long written() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("data"))) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }
}
