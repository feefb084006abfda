package dev.damask.store.rocksdb;

import dev.damask.effect.Receipt;
import dev.damask.program.ProgramHash;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoreImages;
import dev.damask.store.StoredProgram;
import dev.damask.store.Table;
import dev.damask.value.Decoder;
import dev.damask.value.Sum;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// A store in one local directory, based on RocksDB. One process can open it at a time. Concurrent
/// commits share one sync.
///
/// All data is in one key space; the first byte of a key is its kind ([Keys]). The current state of
/// a case is one value. The indexes by status, by workflow and by due time are keys without values
/// that are written in the same batch.
public final class RocksStore implements Store {
  /// The format this version writes.
  static final int FORMAT = 6;

  /// The oldest format it reads: there the state of a case is in one piece with its record. A case
  /// is converted by its next commit.
  static final int OLDEST = 4;

  /// The name under which the number of cases is stored.
  static final String CASES = "cases";

  private static final String DATA = "data";

  static {
    RocksDB.loadLibrary();
  }

  /// The minimum free disk space. Below it, new cases are refused.
  private static final long ROOM_MIN = 32L << 20;

  private static final long ROOM_CHECKED_NANOS = 500_000_000L;

  private final Path folder;
  private final StoreLock holder;
  private final OpenGate gate = new OpenGate(OpenGate.WAIT);
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private final MovingCases moving;
  private final Options options;
  private final FileChanges fileChanges;
  private final DurableMark mark;
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final RocksDB db;
  private final long epoch;
  private final Writer writer;
  private final Table table = new RocksTable(this::scan, this::read);

  private volatile boolean hasRoom = true; // written by the last thread that checked
  private volatile long roomCheckedNanos = System.nanoTime() - 2 * ROOM_CHECKED_NANOS;

  private RocksStore(Path folder, StoreLock holder, Opening opening, RocksDB db)
      throws RocksDBException {
    this.folder = folder;
    this.holder = holder;
    this.moving = new MovingCases(folder);
    this.options = opening.options();
    this.fileChanges = opening.changes();
    this.mark = opening.mark();
    this.db = db;
    mark.requireSequence(db.getLatestSequenceNumber());
    long cases = cases();
    this.epoch = takeOver(cases);
    durable(cases);
    this.writer = new Writer(new CommitEncoder(this, this::scan, db, synced, cases));
  }

  /// Returns the recorded number of cases. In an older store without it, they are counted.
  private long cases() throws RocksDBException {
    byte[] counted = db.get(Keys.meta(CASES));
    return counted == null
        ? RocksImages.count(this::scan, Keys.CASE)
        : new Decoder(counted).natural();
  }

  @Override
  public StoreImages images() {
    return new RocksImages(this, this::scan, db, synced);
  }

  DurableMark.Counts counts() {
    return mark.counts();
  }

  /// Records that everything written so far is durable.
  void durable(long cases) {
    mark.durable(db.getLatestSequenceNumber(), cases);
    if (fileChanges.take()) {
      OwnerOnly.restrict(folder.resolve(DATA));
      mark.force();
    }
  }

  /// Opens a store. The directory is created if it does not exist. Throws `StoreException` if
  /// another engine has locked it, a newer version wrote it, or durable writes are missing in it.
  public static RocksStore open(Path folder) {
    StoreLock holder = StoreLock.claim(folder);
    Opening opening = null;
    RocksDB db = null;
    boolean isOpen = false;
    try {
      OwnerOnly.restrict(folder);
      opening = Opening.of(folder, folder.resolve(DATA));
      db = RocksDB.open(opening.options(), folder.resolve(DATA).toString());
      RocksStore store = new RocksStore(folder, holder, opening, db);
      isOpen = true;
      return store;
    } catch (RocksDBException e) {
      throw failure("store " + folder + ": cannot open", e);
    } finally {
      if (!isOpen) {
        if (db != null) {
          db.close();
        }
        if (opening != null) {
          opening.close();
        }
        holder.close();
      }
    }
  }

  /// Checks the format and increments the number of openings.
  private long takeOver(long cases) throws RocksDBException {
    byte[] format = db.get(Keys.meta("format"));
    Opening.requireReadable(format);
    byte[] last = db.get(Keys.meta("epoch"));
    WorkflowIndex.complete(db, synced, last);
    long next = last == null ? 1 : new Decoder(last).natural() + 1;
    try (WriteBatch batch = new WriteBatch()) {
      batch.put(Keys.meta("format"), new byte[] {FORMAT});
      batch.put(Keys.meta("epoch"), Keys.natural(next));
      batch.put(Keys.meta(WorkflowIndex.MARK), Keys.natural(next));
      batch.put(Keys.meta(CASES), Keys.natural(cases));
      db.write(synced, batch);
    }
    return next;
  }

  @Override
  public CompletableFuture<Void> commit(CommitBatch batch) {
    return writer.commit(batch);
  }

  @Override
  public CompletableFuture<Void> commitHere(CommitBatch batch) {
    return writer.commitHere(batch);
  }

  @Override
  public long epoch() {
    return epoch;
  }

  byte @Nullable [] read(byte[] key) {
    gate.enter();
    try {
      return db.get(key);
    } catch (RocksDBException e) {
      throw failure("cannot read the store", e);
    } finally {
      gate.leave();
    }
  }

  /// Iterates over the keys with a prefix, starting at a key, until the action returns false.
  private void scan(byte[] prefix, byte[] from, BiPredicate<byte[], byte[]> action) {
    walk(prefix, from, at -> action.test(at.key(), at.value()));
  }

  private void walk(byte[] prefix, byte[] from, Predicate<RocksIterator> action) {
    gate.enter();
    try (RocksIterator iterator = db.newIterator()) {
      StoreSnapshot.walk(gate, iterator, prefix, from, action);
    } finally {
      gate.leave();
    }
  }

  @Override
  public Optional<LoadedCase> load(String caseId) {
    return Optional.ofNullable(ofCase(caseId, () -> snapshot(now -> StateChain.load(now, caseId))));
  }

  @Override
  public Optional<CaseRecord> record(String caseId) {
    return Optional.ofNullable(stored(caseId)).map(StoredCase::record).map(this::withChain);
  }

  private CaseRecord withChain(CaseRecord to) {
    return StateChain.deferred(to, () -> snapshot(now -> StateChain.read(now, to)));
  }

  private <T extends @Nullable Object> T snapshot(Function<StoreSnapshot, T> action) {
    return StoreSnapshot.read(db, gate, action);
  }

  @Override
  public List<RevisionRecord> states(String caseId, long from, long to) {
    return StateChain.records(this::scan, caseId, from, to);
  }

  @Override
  public byte @Nullable [] value(String caseId, Sum hash) {
    return StateChain.value(this::read, caseId, hash);
  }

  @Override
  public List<RevisionInputs> journal(String caseId, long from, long to) {
    return snapshot(now -> StateChain.journal(now::scan, caseId, from, to));
  }

  @Nullable StoredCase stored(String caseId) {
    return ofCase(
        caseId,
        () -> {
          byte[] bytes = read(Keys.caseOf(caseId));
          try {
            return bytes == null ? null : StateChain.decode(this::read, caseId, bytes);
          } catch (Decoder.DamagedBytes e) {
            // A commit since may have removed a value: one snapshot has both or neither.
            return snapshot(now -> StateChain.stored(now, caseId));
          }
        });
  }

  /// Reads data of one case. A decoding error makes only this case corrupt.
  static <T extends @Nullable Object> T ofCase(String caseId, Supplier<T> read) {
    try {
      return read.get();
    } catch (Decoder.DamagedBytes e) {
      throw new CorruptCaseException(caseId, String.valueOf(e.getMessage()), e);
    } catch (CorruptCaseException e) {
      throw e;
    } catch (StoreException e) {
      if (e.getCause() instanceof RocksDBException cause
          && cause.getStatus() != null
          && cause.getStatus().getCode() == Status.Code.Corruption) {
        throw new CorruptCaseException(caseId, String.valueOf(cause.getMessage()), cause);
      }
      throw e;
    }
  }

  @Override
  public List<Receipt> receipts(String caseId) {
    return ofCase(caseId, () -> snapshot(now -> StateChain.receipts(now, caseId)));
  }

  @Override
  public Optional<KeyedReceipt> receiptByKey(String type, String key) {
    byte[] use = read(Keys.key(type, key));
    if (use == null) {
      return Optional.empty();
    }
    Decoder in = new Decoder(use);
    String caseId = in.text();
    byte[] receipt = read(Keys.receipt(caseId, in.natural()));
    return Optional.ofNullable(receipt)
        .map(bytes -> new KeyedReceipt(caseId, Receipt.decode(bytes, hash -> value(caseId, hash))));
  }

  @Override
  public OptionalInt consumed(String caseId, String messageId) {
    byte[] answer = read(Keys.message(caseId, messageId));
    return answer == null ? OptionalInt.empty() : OptionalInt.of(answer[0]);
  }

  @Override
  public List<byte[]> trace(String caseId, long from) {
    return ofCase(
        caseId,
        () ->
            snapshot(now -> StateChain.trace(now::scan, caseId, from)).stream()
                .map(RevisionInputs::bytes)
                .toList());
  }

  @Override
  public List<DueCase> due(DueCase after, int limit) {
    List<DueCase> page = new ArrayList<>();
    byte[] from =
        after.equals(DueCase.FIRST)
            ? new byte[] {Keys.DUE}
            : Keys.due(after.dueMillis(), after.caseId());
    scan(
        new byte[] {Keys.DUE},
        from,
        (key, _) -> {
          DueCase due = new DueCase(Keys.millisOf(key), Keys.caseOfDue(key));
          if (due.compareTo(after) > 0) {
            page.add(due);
          }
          return page.size() < limit;
        });
    return page;
  }

  @Override
  public void scanActive(Consumer<String> action) {
    byte[] running = {Keys.STATUS, (byte) CaseStatus.RUNNING.number()};
    scan(
        running,
        running,
        (key, _) -> {
          action.accept(Keys.caseOfStatus(key));
          return true;
        });
    byte[] intents = {Keys.INTENT};
    String[] last = {""};
    scan(
        intents,
        intents,
        (key, _) -> {
          String caseId = Keys.caseOfIntent(key);
          if (!caseId.equals(last[0])) {
            last[0] = caseId;
            action.accept(caseId);
          }
          return true;
        });
  }

  @Override
  public List<String> ids(String prefix, String after, int limit) {
    return CaseList.ids(this::walk, prefix, after, limit);
  }

  @Override
  public List<EndedCase> ended(String after, int limit) {
    return CaseList.ended(this::scan, after, limit);
  }

  @Override
  public CasePage list(CaseQuery query) {
    return query.conditions().isEmpty()
        ? CaseList.read(this::scan, this::record, query)
        : snapshot(now -> CaseList.find(now, this::withChain, query));
  }

  @Override
  public Table table() {
    return table;
  }

  @Override
  public Optional<StoredProgram> program(ProgramHash hash) {
    byte[] bytes = read(Keys.program(hash));
    return bytes == null ? Optional.empty() : Optional.of(CommitEncoder.program(hash, bytes));
  }

  @Override
  public List<StoredProgram> programs() {
    List<StoredProgram> programs = new ArrayList<>();
    byte[] prefix = {Keys.PROGRAM};
    scan(
        prefix,
        prefix,
        (key, value) -> programs.add(CommitEncoder.program(Keys.hashOf(key), value)));
    return programs;
  }

  @Override
  public Optional<Path> folder() {
    return Optional.of(folder);
  }

  @Override
  public void moving(int shard, String caseId) {
    moving.set(shard, caseId);
  }

  @Override
  public List<String> suspects() {
    return moving.found();
  }

  @Override
  public boolean hasRoom() {
    long now = System.nanoTime();
    if (now - roomCheckedNanos > ROOM_CHECKED_NANOS) {
      roomCheckedNanos = now;
      try {
        hasRoom = Files.getFileStore(folder).getUsableSpace() >= ROOM_MIN;
      } catch (IOException e) {
        throw new StoreException("cannot read the free disk space of the store: " + e, e);
      }
    }
    return hasRoom;
  }

  @Override
  public List<String> verify() {
    DurableMark.Counts before = counts();
    return snapshot(now -> new Verification(now, this).run(before));
  }

  @Override
  public void backup(Path copy, Backup files) {
    Path target = copy.resolve(DATA);
    if (Files.exists(target)) {
      throw new StoreException(
          "backup to " + copy + ": the directory contains a store; choose another directory");
    }
    gate.enter();
    try (Checkpoint checkpoint = Checkpoint.create(db)) {
      OwnerOnly.create(copy);
      // Read before the checkpoint, so that the copy contains at least these writes.
      DurableMark.Counts durable = mark.counts();
      if (files == Backup.LINKS) {
        checkpoint.createCheckpoint(target.toString());
      } else {
        Path linked = copy.resolve(DATA + ".part");
        checkpoint.createCheckpoint(linked.toString());
        StoreCopy.move(linked, target);
      }
      OwnerOnly.restrict(target);
      DurableMark copied = DurableMark.open(copy, target);
      copied.durable(durable.sequence(), durable.cases());
      copied.force();
      OwnerOnly.restrict(copy);
    } catch (RocksDBException | IOException e) {
      throw new StoreException("backup to " + copy + ": failed: " + e.getMessage(), e);
    } finally {
      gate.leave();
    }
  }

  @Override
  public void close() {
    if (!isClosed.compareAndSet(false, true)) {
      return;
    }
    try {
      writer.close();
      mark.force();
    } finally {
      closeDatabase();
    }
  }

  private void closeDatabase() {
    if (gate.close()) {
      db.close();
      OwnerOnly.restrict(folder.resolve(DATA)); // a table may have been written meanwhile
      synced.close();
      options.close();
      fileChanges.close();
      holder.close();
    } else {
      String why = ": a thread is still reading; the files stay open until the process ends";
      System.getLogger(RocksStore.class.getName())
          .log(System.Logger.Level.WARNING, "store " + folder + why);
    }
  }

  static StoreException failure(String sentence, RocksDBException e) {
    return new StoreException(sentence + ": " + e.getMessage(), e);
  }
}
