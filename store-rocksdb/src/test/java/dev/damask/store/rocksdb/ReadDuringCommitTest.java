package dev.damask.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.Run;
import dev.damask.compile.Compiler;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.history.HistoryPolicy;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.StoredState;
import dev.damask.store.SupersededStateException;
import dev.damask.term.Flow;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Readers beside the commits of a case: a base removes older records and values, and no reader
/// takes that for damage.
@Timeout(60)
final class ReadDuringCommitTest {
  private static final String CASE = "one";
  private static final int SIGNALS = 60;
  private static final int SIGNALS_PER_READ = 10;

  @TempDir Path folder;

  private final Machine machine = machine();

  /// A record, and its state when it was read.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Held(CaseRecord record, byte[] state) {}

  private static WorkflowDefinition flow() {
    return Flow.workflow("w", Flow.repeat(100_000, Flow.take("go")))
        .withPlaces(Place.external("go"));
  }

  private static Machine machine() {
    Program program = Compiler.compile(flow());
    return new Machine(
        program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
  }

  private Store store(String kind) {
    return isOnDisk(kind) ? RocksStore.open(folder) : new MemoryStore();
  }

  private static boolean isOnDisk(String kind) {
    return kind.equals("disk");
  }

  private static Engine engine(Store store) {
    EngineOptions options =
        EngineOptions.defaults().withShards(1).withHistory(HistoryPolicy.LAST); // a base removes
    return Engine.open(options, store, flow());
  }

  /// Changes the state by a value of its own and by some bytes within the record.
  private static void signal(Run<?> handle, int number) {
    String text = "%03d".formatted(number % 1_000);
    handle.signal("go", Map.of("large", text.repeat(100), "small", text.repeat(70)));
  }

  private byte[] read(CaseRecord record) {
    return StateCodec.encode(record.decode(machine));
  }

  private static long base(CaseRecord record) {
    return ((StoredState.Head) record.state()).base();
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "disk"})
  void a_record_that_is_held_has_its_own_state_or_says_that_it_was_replaced(String kind) {
    List<Held> held = new ArrayList<>();
    try (Store store = store(kind);
        Engine engine = engine(store)) {
      Run<?> handle = engine.start(flow(), CASE, Context.empty());
      for (int i = 0; i < SIGNALS; i++) {
        signal(handle, i);
        byte[] now = read(store.load(CASE).orElseThrow().record());
        held.add(new Held(store.record(CASE).orElseThrow(), now));
        held.add(new Held(store.list(CaseQuery.ALL).cases().getFirst(), now));
      }

      long last = base(store.record(CASE).orElseThrow());
      TreeSet<Long> bases = new TreeSet<>();
      int replaced = 0;
      for (Held each : held) {
        long base = base(each.record);
        bases.add(base);
        byte[] found = readOrNull(each.record);
        assertThat(found == null || Arrays.equals(found, each.state)).as("its own").isTrue();
        assertThat(found != null || base < last).as("base %d is there", base).isTrue();
        replaced += found == null ? 1 : 0;
      }
      // A record in memory holds its state.
      assertThat(replaced > 0).as("%d records were replaced", replaced).isEqualTo(isOnDisk(kind));
      assertThat(bases).as("bases were replaced").hasSizeGreaterThan(2);
    }
  }

  private byte @Nullable [] readOrNull(CaseRecord record) {
    try {
      return read(record);
    } catch (SupersededStateException e) {
      return null;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "disk"})
  void the_state_of_a_case_that_was_removed_is_replaced_and_not_corrupt(String kind) {
    try (Store store = store(kind);
        Engine engine = engine(store)) {
      signal(engine.start(flow(), CASE, Context.empty()), 1);
      CaseRecord held = store.record(CASE).orElseThrow();
      byte[] state = read(held);

      store.commit(new CommitBatch(List.of(), List.of(), List.of(CASE))).join();

      byte[] found = readOrNull(held);
      assertThat(found == null || Arrays.equals(found, state)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "disk"})
  void a_verification_and_a_read_beside_commits_find_no_damage(String kind) {
    AtomicBoolean isOver = new AtomicBoolean();
    Semaphore allowed = new Semaphore(0); // verification reads all revisions, so they are bounded
    try (Store store = store(kind);
        Engine engine = engine(store)) {
      Run<?> handle = engine.start(flow(), CASE, Context.empty());
      CompletableFuture<Void> signals =
          CompletableFuture.runAsync(() -> {
            for (int i = 0; !isOver.get(); i++) {
              allowed.acquireUninterruptibly();
              signal(handle, i);
            }
          });
      try {
        for (int i = 0; i < 400; i++) {
          allowed.release(SIGNALS_PER_READ);
          assertThat(engine.verify()).isEmpty();
          CaseRecord record = store.load(CASE).orElseThrow().record();
          assertThat(read(record)).isNotEmpty();
        }
      } finally {
        isOver.set(true);
        allowed.release();
      }
      signals.join();
    }
  }
}
