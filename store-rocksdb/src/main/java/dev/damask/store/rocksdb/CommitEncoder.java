package dev.damask.store.rocksdb;

import dev.damask.program.ProgramHash;
import dev.damask.store.AuditRows;
import dev.damask.store.CaseCommit;
import dev.damask.store.CommitBatch;
import dev.damask.store.Commits;
import dev.damask.store.StoredProgram;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// Encodes commits for RocksDB and checks each against the previous revision. The group commit
/// calls all methods except the sync on one thread at a time: the writer's encoder thread, or a
/// committer that writes its own batch.
final class CommitEncoder implements GroupCommit.Pen<byte[]> {
  private static final int RECENT_MAX = 16_384;
  private static final int UNTAKEN_MAX = 64 << 20;

  /// How many bits the number of an end has for one opening of the store.
  private static final int ENDS_BITS = 40;

  /// The cases that were added last, so that a busy case is not read before each write.
  private final Map<String, StoredCase> recent =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, StoredCase> eldest) {
          return size() > RECENT_MAX;
        }
      };

  /// The stored cases of the batch that is about to be added. A batch may have two revisions of one
  /// case.
  private final Map<String, @Nullable StoredCase> before = new HashMap<>();

  /// The cases that were added and not yet taken, and those being written.
  private volatile Set<String> added = ConcurrentHashMap.newKeySet();

  private volatile Set<String> writing =
      Set.of(); // set by the writer, before it replaces the other

  private final WriteBatchBytes puts = new WriteBatchBytes();
  private final RocksStore store;
  private final Changes changes;
  private final RocksDB db;
  private final WriteOptions synced;
  private long cases; // the number of cases including everything that was added
  private long ended; // the number of the last end; numbers of a later opening are greater
  private long audited; // the number of the last entry of the audit log
  private long casesTaken; // written under the lock of the group commit, read by the writer

  CommitEncoder(
      RocksStore store, Verification.Scan scan, RocksDB db, WriteOptions synced, long cases) {
    this.cases = cases;
    this.casesTaken = cases;
    this.ended = store.epoch() << ENDS_BITS;
    this.audited = store.epoch() << ENDS_BITS;
    this.store = store;
    this.changes = new Changes(store, scan, store::read);
    this.db = db;
    this.synced = synced;
  }

  /// Reads what [#add] has written of a program.
  static StoredProgram program(ProgramHash hash, byte[] bytes) {
    Decoder in = new Decoder(bytes);
    return new StoredProgram(hash, in.text(), Bytes.of(in.raw(in.count())));
  }

  @Override
  public void look(CommitBatch batch, Runnable awaitDisk) {
    before.clear();
    for (CaseCommit commit : batch.cases()) {
      String caseId = commit.record().caseId();
      StoredCase stored = recent.get(caseId);
      if (stored == null && !before.containsKey(caseId)) {
        if (added.contains(caseId) || writing.contains(caseId)) {
          awaitDisk.run(); // its last revision is still being written
        }
        stored = store.stored(caseId);
      }
      before.putIfAbsent(caseId, stored);
    }
    if (batch.removals().stream()
        .anyMatch(each -> added.contains(each) || writing.contains(each))) {
      awaitDisk.run(); // the keys of a removed case are read
    }
  }

  @Override
  public void add(CommitBatch batch) {
    batch.cases().forEach(this::add);
    for (String caseId : batch.removals()) {
      cases -= store.read(Keys.caseOf(caseId)) == null ? 0 : 1;
      changes.remove(puts, caseId, !before.containsKey(caseId));
      recent.remove(caseId);
    }
    batch.rows().forEach(change -> RocksTable.write(puts, change));
    batch.audit().forEach(entry -> RocksTable.write(puts, AuditRows.put(++audited, entry)));
    for (StoredProgram program : batch.programs()) {
      puts.put(
          Keys.program(program.hash()),
          bytes -> {
            bytes.text(program.name());
            bytes.natural(program.source().length());
            bytes.raw(program.source());
          });
    }
  }

  private void add(CaseCommit commit) {
    String caseId = commit.record().caseId();
    StoredCase stored = before.get(caseId);
    Commits.require(stored == null ? null : stored.record(), commit.record(), store.epoch());
    StoredCase next = StoredCase.after(stored, commit);
    Changes.put(puts, stored, next, commit);
    boolean wasEnded = stored != null && stored.record().status().isEnded();
    if (next.record().status().isEnded() && !wasEnded) {
      long number = ++ended;
      puts.put(Keys.ended(number), Keys.utf(caseId));
      puts.put(Keys.endOf(caseId), bytes -> bytes.fixed(number));
    }
    StoredCase kept = next.withoutState();
    before.put(caseId, kept);
    added.add(caseId);
    cases += stored == null ? 1 : 0;
    if (next.record().status().isEnded()) {
      recent.remove(caseId);
    } else {
      recent.put(caseId, kept);
    }
  }

  @Override
  public byte[] take() {
    if (cases != casesTaken) {
      // In the same write as the cases, because after a crash the mark may be older than RocksDB's
      // data.
      puts.put(Keys.meta(RocksStore.CASES), bytes -> bytes.natural(cases));
      casesTaken = cases;
    }
    byte[] bytes = puts.toBytes();
    puts.clear();
    writing = added;
    added = ConcurrentHashMap.newKeySet();
    return bytes;
  }

  @Override
  public boolean isFull() {
    return puts.length() > UNTAKEN_MAX;
  }

  @Override
  public void sync(byte[] taken) {
    try (WriteBatch out = new WriteBatch(taken)) {
      db.write(synced, out);
      store.durable(casesTaken);
      writing = Set.of();
    } catch (RocksDBException e) {
      throw RocksStore.failure("cannot write the store; the engine stops", e);
    }
  }
}
