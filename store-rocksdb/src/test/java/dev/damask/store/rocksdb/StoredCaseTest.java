package dev.damask.store.rocksdb;

import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectIntent;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import dev.damask.value.Encoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDB;

/// Open intents lie beside the record or under keys of their own; nobody outside can tell.
@Timeout(60)
final class StoredCaseTest {
  private static final byte[] STATE = state();

  @TempDir Path folder;

  private static byte[] state() {
    Program program = Compiler.compile(workflow("empty", skip()));
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    return StateCodec.encode(machine.start(Context.empty(), 0));
  }

  private static EffectIntent intent(long id, int attempt) {
    Effect effect = new Effect(new EffectId(id), "ask", attempt, "ask", "key" + id);
    return EffectIntent.of(effect, (int) id, false, Delivery.KEYED, Context.of("n", id))
        .forAttempt(attempt, true, 0);
  }

  private static CommitBatch batch(
      Store store, long revision, List<EffectIntent> added, List<EffectId> removed) {
    CaseRecord record =
        CaseRecord.of("one", revision, store.epoch(), CaseStatus.WAITING, "empty")
            .withTimes(0, revision, CaseRecord.NEVER)
            .withState(STATE);
    CaseCommit commit =
        new CaseCommit(record, List.of(), List.of(), added, removed, List.of(), new byte[0]);
    return new CommitBatch(List.of(commit), List.of(), List.of());
  }

  private static List<String> active(Store store) {
    List<String> found = new ArrayList<>();
    store.scanActive(found::add);
    return found;
  }

  @Test
  void open_intents_are_the_same_as_in_memory_however_many_there_are() {
    SplittableRandom random = new SplittableRandom(7);
    Store memory = new MemoryStore();
    RocksStore disk = RocksStore.open(folder);
    long revision = 0;
    boolean wasFar = false;
    try {
      for (int round = 0; round < 200; round++) {
        List<EffectIntent> open = memory.intents("one");
        List<EffectIntent> added = new ArrayList<>();
        List<EffectId> removed = new ArrayList<>();
        int target = round < 100 ? StoredCase.NEAR_MAX : 3 * StoredCase.NEAR_MAX;
        for (EffectIntent each : open) {
          switch (random.nextInt(4)) {
            case 0 -> removed.add(each.id());
            case 1 -> added.add(intent(each.id().lineage(), each.attempt() + 1));
            default -> {}
          }
        }
        int room = target - open.size() + removed.size();
        for (int i = random.nextInt(room + 1); i > 0; i--) {
          added.add(intent(1_000L * (round + 1) + i, 1));
        }
        revision++;
        memory.commit(batch(memory, revision, added, removed)).join();
        disk.commit(batch(disk, revision, added, removed)).join();
        if (random.nextInt(10) == 0) {
          // A new writer knows only what is on the disk; revisions go on, the epoch is the new one.
          disk.close();
          disk = RocksStore.open(folder);
        }

        assertThat(disk.intents("one"))
            .as("round %s", round)
            .containsExactlyInAnyOrderElementsOf(memory.intents("one"));
        assertThat(active(disk)).isEqualTo(active(memory));
        assertThat(disk.verify()).isEmpty();
        wasFar |= memory.intents("one").size() > StoredCase.NEAR_MAX;
      }
      List<EffectId> all = memory.intents("one").stream().map(EffectIntent::id).toList();
      disk.commit(batch(disk, revision + 1, List.of(), all)).join();
      assertThat(disk.intents("one")).isEmpty();
      assertThat(active(disk)).isEmpty();
      assertThat(wasFar).isTrue();
    } finally {
      disk.close();
    }
  }

  @Test
  void a_mark_that_is_missing_or_belongs_to_nobody_is_reported() throws Exception {
    try (RocksStore disk = RocksStore.open(folder)) {
      disk.commit(batch(disk, 1, List.of(intent(1, 1)), List.of())).join();
    }
    byte[] mark = Keys.of(Keys.INTENT, "one");
    byte[] stranger = Keys.of(Keys.INTENT, "nobody");
    try (RocksDB db = RocksDB.open(folder.resolve("data").toString())) {
      assertThat(db.get(mark)).isEmpty();
      db.delete(mark);
      db.put(stranger, new byte[0]);
    }

    try (RocksStore disk = RocksStore.open(folder)) {
      assertThat(disk.verify())
          .containsExactlyInAnyOrder(
              "case one is missing in the open-effects index", "intent without a case: nobody");
    }
  }

  @Test
  void every_changed_byte_is_noticed() {
    List<EffectIntent> near = Collections.nCopies(2, intent(1, 1));
    CaseRecord record =
        batch(new MemoryStore(), 1, List.of(), List.of()).cases().getFirst().record();
    Encoder out = new Encoder();
    new StoredCase(record, near, false).write(out);
    byte[] bytes = out.toBytes();
    List<Integer> unnoticed = new ArrayList<>();
    for (int at = 0; at < bytes.length; at++) {
      byte[] changed = bytes.clone();
      changed[at] ^= 0x11;
      try {
        StoredCase.decode("one", changed, _ -> null);
        unnoticed.add(at);
      } catch (dev.damask.value.Decoder.DamagedBytes e) {
        assertThat(e).hasMessageContaining("checksum");
      }
    }
    assertThat(unnoticed).isEmpty();
    assertThat(StoredCase.decode("one", bytes, _ -> null).near()).isEqualTo(near);
  }
}
