package dev.damask.store.rocksdb;

import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.effect.ReceiptChain;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.JournalPart;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Batches by chance, many under way at once: the disk has in the end what memory has. A batch may
/// hold several revisions of one case, a case that has ended may get another one, and one that was
/// removed may begin again.
@Timeout(60)
final class StoresAgreeTest {
  private static final int BATCHES = 1_500;
  private static final int CASES = 25;
  private static final int OPENINGS = 12;

  @TempDir Path folder;

  private final SplittableRandom random = new SplittableRandom(11);
  private final Map<String, CaseRecord> last = new HashMap<>();
  private final Map<String, List<EffectId>> open = new HashMap<>();
  private final Map<String, TreeSet<Long>> running = new HashMap<>();
  private final byte[] state = state();
  private long effects;
  private long epoch = 1;

  private static byte[] state() {
    Program program = Compiler.compile(workflow("empty", skip()));
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    return StateCodec.encode(machine.start(Context.empty(), 0));
  }

  private CaseCommit commit(String caseId) {
    CaseRecord before = last.get(caseId);
    CaseStatus status =
        before != null && before.status().isEnded()
            ? before.status()
            : random.nextInt(6) == 0
                ? CaseStatus.COMPLETED
                : CaseStatus.values()[random.nextInt(3)];
    CaseRecord record =
        CaseRecord.of(caseId, before == null ? 1 : before.revision() + 1, epoch, status, "empty")
            .withTimes(
                5,
                random.nextInt(1_000),
                status.isEnded() || random.nextBoolean() ? CaseRecord.NEVER : random.nextInt(9_000))
            .withState(state);
    last.put(caseId, record);
    List<EffectId> ids = open.computeIfAbsent(caseId, _ -> new ArrayList<>());
    List<EffectId> removed = new ArrayList<>();
    while (!ids.isEmpty() && (status.isEnded() || random.nextInt(3) == 0)) {
      removed.add(ids.removeFirst());
    }
    List<EffectIntent> added = new ArrayList<>();
    for (int left = status.isEnded() ? 0 : random.nextInt(3); left > 0; left--) {
      EffectIntent intent = intent(++effects);
      added.add(intent);
      ids.add(intent.id());
    }
    List<Receipt> receipts = new ArrayList<>();
    ReceiptChain chain = before == null ? ReceiptChain.EMPTY : before.receipts();
    for (int left = random.nextInt(3); left > 0; left--) {
      var result = new Receipt.Result.Failed("no", "x".repeat(random.nextInt(5) == 0 ? 600 : 5));
      receipts.add(chain.next(new Receipt.Body(intent(effects).effect(), 5, result)));
      chain = chain.with(receipts.getLast());
    }
    CaseRecord next = with(record, chain);
    last.put(caseId, next);
    return new CaseCommit(
        next,
        null,
        List.of(),
        receipts,
        added,
        removed,
        random.nextInt(4) == 0 && !receipts.isEmpty()
            ? List.of(new CaseCommit.KeyUse("ask", "key" + ++effects, receipts.getFirst().number()))
            : List.of(),
        new JournalPart(new byte[random.nextInt(3) * random.nextInt(600)], List.of()),
        new byte[random.nextInt(3)],
        dropped(next),
        true);
  }

  private static CaseRecord with(CaseRecord record, ReceiptChain chain) {
    return new CaseRecord(
        record.caseId(),
        record.revision(),
        record.epoch(),
        record.status(),
        record.workflow(),
        record.startedMillis(),
        record.changedMillis(),
        record.dueMillis(),
        chain,
        record.terms(),
        record.evidence(),
        record.state(),
        record.facts());
  }

  /// A revision in which the case was running, or 0. Parts of other revisions are never dropped.
  private long dropped(CaseRecord record) {
    TreeSet<Long> all = running.computeIfAbsent(record.caseId(), _ -> new TreeSet<>());
    if (record.revision() == 1) {
      all.clear(); // it begins again
    }
    Long oldest = random.nextInt(3) == 0 ? all.pollFirst() : null;
    if (record.status() == CaseStatus.RUNNING) {
      all.add(record.revision());
    }
    return oldest == null ? 0 : oldest;
  }

  private static EffectIntent intent(long id) {
    Effect effect = new Effect(new EffectId(id), "ask", 1, "ask", "key" + id);
    return EffectIntent.of(effect, (int) id, false, Delivery.KEYED, Context.empty())
        .forAttempt(1, true, 0);
  }

  private CommitBatch batch() {
    List<CaseCommit> commits = new ArrayList<>();
    for (int left = 1 + random.nextInt(6); left > 0; left--) {
      commits.add(commit("case" + random.nextInt(CASES)));
    }
    return new CommitBatch(commits);
  }

  /// As a shard does: only what has ended and is durable goes.
  private CommitBatch removal() {
    List<String> ended =
        last.values().stream()
            .filter(record -> record.status().isEnded())
            .map(CaseRecord::caseId)
            .sorted()
            .toList();
    ended.forEach(last::remove);
    return new CommitBatch(List.of(), List.of(), ended);
  }

  @Test
  void the_disk_has_what_memory_has() {
    Store memory = new MemoryStore();
    List<CompletableFuture<Void>> underWay = new ArrayList<>();
    try (RocksStore disk = RocksStore.open(folder)) {
      assertThat(disk.epoch()).isEqualTo(memory.epoch());
      for (int i = 0; i < BATCHES; i++) {
        boolean removes = random.nextInt(40) == 0;
        if (removes) {
          underWay.forEach(CompletableFuture::join);
        }
        CommitBatch batch = removes ? removal() : batch();
        memory.commit(batch).join();
        underWay.add(disk.commit(batch));
        if (removes) {
          underWay.getLast().join();
        }
      }
      underWay.forEach(CompletableFuture::join);
      agree(memory, disk);
      assertThat(disk.verify()).isEmpty();
    }
  }

  /// In each opening one batch is of a former owner; others are under way before and behind it.
  @Test
  void the_disk_has_what_it_acknowledged_and_nothing_of_a_former_owner() {
    for (int opening = 1; opening <= OPENINGS; opening++) {
      List<String> ids = new ArrayList<>();
      List<CompletableFuture<Void>> answers = new ArrayList<>();
      int stale = opening == 1 ? CASES : random.nextInt(CASES);
      try (RocksStore disk = RocksStore.open(folder)) {
        for (int i = 0; i < CASES; i++) {
          epoch = i == stale ? disk.epoch() - 1 : disk.epoch();
          ids.add("case" + opening + "-" + i);
          answers.add(disk.commit(new CommitBatch(List.of(commit(ids.getLast())))));
        }
      }
      try (RocksStore disk = RocksStore.open(folder)) {
        for (int i = 0; i < CASES; i++) {
          boolean isAcknowledged = !answers.get(i).isCompletedExceptionally();
          boolean isThere = disk.record(ids.get(i)).isPresent();
          assertThat(answers.get(i)).as(ids.get(i)).isDone();
          assertThat(isThere || !isAcknowledged).as("%s is lost", ids.get(i)).isTrue();
          assertThat(isAcknowledged && i >= stale).as("%s is told", ids.get(i)).isFalse();
          assertThat(isThere && i == stale).as("%s is stale", ids.get(i)).isFalse();
        }
      }
    }
  }

  /// The journal as revisions with the sizes of their inputs.
  private static List<String> sizes(Store store, String caseId) {
    return store.journal(caseId, 2, Long.MAX_VALUE).stream()
        .map(each -> each.revision() + ": " + each.bytes().length)
        .toList();
  }

  private static void agree(Store memory, Store disk) {
    for (String prefix : List.of("", "c", "one", "none")) {
      assertThat(disk.ids(prefix)).isEqualTo(memory.ids(prefix));
    }
    for (int i = 0; i < CASES; i++) {
      String caseId = "case" + i;
      assertThat(disk.record(caseId).map(CaseRecord::encode).orElse(new byte[0]))
          .as(caseId)
          .isEqualTo(memory.record(caseId).map(CaseRecord::encode).orElse(new byte[0]));
      assertThat(disk.intents(caseId)).containsExactlyInAnyOrderElementsOf(memory.intents(caseId));
      assertThat(disk.trace(caseId)).hasSameSizeAs(memory.trace(caseId));
      assertThat(disk.receipts(caseId)).isEqualTo(memory.receipts(caseId));
      assertThat(sizes(disk, caseId)).isEqualTo(sizes(memory, caseId));
      long half = disk.record(caseId).map(CaseRecord::revision).orElse(0L) / 2;
      assertThat(disk.trace(caseId, half)).hasSameSizeAs(memory.trace(caseId, half));
    }
    assertThat(disk.due(Store.DueCase.FIRST, CASES))
        .isEqualTo(memory.due(Store.DueCase.FIRST, CASES));
  }
}
