package dev.damask.store.rocksdb;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.program.ProgramHash;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.DamagedCase;
import dev.damask.store.Store;
import dev.damask.store.StoreFailure;
import dev.damask.store.StoredProgram;
import dev.damask.task.Bytes;
import dev.damask.task.Decoder;
import dev.damask.task.Encoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Checkpoint;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// Keeps cases in one folder with RocksDB: one process at a time, one sync for whatever waits.
///
/// One key space, told apart by the first letter ([Keys]); the current state of a case is one
/// value, and the indexes by status and by due time are keys without a value, written in the same
/// batch.
public final class RocksStore implements Store {
  /// The format this version writes and reads.
  static final int FORMAT = 4;

  private static final String DATA = "data";

  static {
    RocksDB.loadLibrary();
  }

  /// Less free space than this, and new cases are refused.
  private static final long ROOM_MIN = 32L << 20;

  private static final long ROOM_CHECKED_NANOS = 500_000_000L;

  private final Path folder;
  private final Holder holder;
  private final MovingCases moving;
  private final Options options;
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final RocksDB db;
  private final long epoch;
  private final Writer writer;

  private volatile boolean hasRoom = true; // written by whoever looked last
  private volatile long roomCheckedNanos = System.nanoTime() - 2 * ROOM_CHECKED_NANOS;

  private RocksStore(Path folder, Holder holder, Options options, RocksDB db)
      throws RocksDBException {
    this.folder = folder;
    this.holder = holder;
    this.moving = new MovingCases(folder);
    this.options = options;
    this.db = db;
    this.epoch = takeOver();
    this.writer = new Writer(new Ink(this, this::scan, db, synced));
  }

  /// Opens a folder, which is made if need be. `StoreFailure` when another engine holds it or it
  /// was written by a newer version.
  public static RocksStore open(Path folder) {
    Holder holder = Holder.claim(folder);
    Options options =
        new Options()
            .setCreateIfMissing(true)
            // A tail cut off by a crash was never acknowledged; anything else that is damaged must
            // not be passed over in silence.
            .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
            .setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(new BloomFilter()));
    RocksDB db = null;
    boolean isOpen = false;
    try {
      db = RocksDB.open(options, folder.resolve(DATA).toString());
      RocksStore store = new RocksStore(folder, holder, options, db);
      isOpen = true;
      return store;
    } catch (RocksDBException e) {
      throw failure("the store in " + folder + " cannot be opened", e);
    } finally {
      if (!isOpen) {
        if (db != null) {
          db.close();
        }
        options.close();
        holder.close();
      }
    }
  }

  /// Checks the format and counts this opening.
  private long takeOver() throws RocksDBException {
    byte[] format = db.get(Keys.meta("format"));
    if (format != null && format[0] > FORMAT) {
      throw new StoreFailure(
          "the store has format %d, this version reads format %d: use the version that wrote it"
              .formatted(format[0], FORMAT));
    }
    if (format != null && format[0] < FORMAT) {
      throw new StoreFailure(
          "the store has format %d, this version reads format %d: its own version can end its cases"
              .formatted(format[0], FORMAT));
    }
    byte[] last = db.get(Keys.meta("epoch"));
    long next = last == null ? 1 : new Decoder(last).natural() + 1;
    Encoder out = new Encoder();
    out.natural(next);
    try (WriteBatch batch = new WriteBatch()) {
      batch.put(Keys.meta("format"), new byte[] {FORMAT});
      batch.put(Keys.meta("epoch"), out.toBytes());
      db.write(synced, batch);
    }
    return next;
  }

  @Override
  public CompletableFuture<Void> commit(CommitBatch batch) {
    return writer.commit(batch);
  }

  @Override
  public long epoch() {
    return epoch;
  }

  byte @Nullable [] read(byte[] key) {
    try {
      return db.get(key);
    } catch (RocksDBException e) {
      throw failure("the store cannot be read", e);
    }
  }

  /// Walks over the keys with a prefix, from a key on, until the action has had enough.
  private void scan(byte[] prefix, byte[] from, BiPredicate<byte[], byte[]> action) {
    try (RocksIterator iterator = db.newIterator()) {
      iterator.seek(from);
      while (iterator.isValid()
          && Keys.startsWith(iterator.key(), prefix)
          && action.test(iterator.key(), iterator.value())) {
        iterator.next();
      }
      iterator.status();
    } catch (RocksDBException e) {
      throw failure("the store cannot be read", e);
    }
  }

  @Override
  public Optional<CaseRecord> load(String caseId) {
    StoredCase stored = stored(caseId);
    return stored == null ? Optional.empty() : Optional.of(stored.record());
  }

  @Nullable StoredCase stored(String caseId) {
    return ofCase(
        caseId,
        () -> {
          byte[] bytes = read(Keys.caseOf(caseId));
          return bytes == null ? null : StoredCase.decode(caseId, bytes);
        });
  }

  /// What cannot be read of one case is the trouble of that case alone.
  private static <T extends @Nullable Object> T ofCase(String caseId, Supplier<T> read) {
    try {
      return read.get();
    } catch (Decoder.DamagedBytes e) {
      throw new DamagedCase(caseId, String.valueOf(e.getMessage()), e);
    } catch (DamagedCase e) {
      throw e;
    } catch (StoreFailure e) {
      if (e.getCause() instanceof RocksDBException cause
          && cause.getStatus() != null
          && cause.getStatus().getCode() == Status.Code.Corruption) {
        throw new DamagedCase(caseId, String.valueOf(cause.getMessage()), cause);
      }
      throw e;
    }
  }

  @Override
  public List<EffectIntent> intents(String caseId) {
    StoredCase stored = stored(caseId);
    if (stored == null) {
      return List.of();
    }
    return stored.isFar() ? decoded(Keys.INTENT, caseId, EffectIntent::decode) : stored.near();
  }

  @Override
  public List<Receipt> receipts(String caseId) {
    return decoded(Keys.RECEIPT, caseId, Receipt::decode);
  }

  private <T> List<T> decoded(byte kind, String caseId, Function<byte[], T> decoder) {
    byte[] prefix = Keys.of(kind, caseId);
    return ofCase(
        caseId,
        () -> {
          List<T> found = new ArrayList<>();
          scan(prefix, prefix, (_, value) -> found.add(decoder.apply(value)));
          return found;
        });
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
        .map(bytes -> new KeyedReceipt(caseId, Receipt.decode(bytes)));
  }

  @Override
  public OptionalInt consumed(String caseId, String messageId) {
    byte[] answer = read(Keys.message(caseId, messageId));
    return answer == null ? OptionalInt.empty() : OptionalInt.of(answer[0]);
  }

  @Override
  public List<byte[]> trace(String caseId) {
    return decoded(Keys.TRACE, caseId, Function.identity());
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
    byte[] running = {Keys.STATUS, (byte) CaseStatus.RUNNING.ordinal()};
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
  public CasePage list(CaseQuery query) {
    List<CaseRecord> page = new ArrayList<>();
    String[] next = {""};
    byte[] prefix =
        query.status() == null
            ? new byte[] {Keys.STATUS}
            : new byte[] {Keys.STATUS, (byte) query.status().ordinal()};
    byte[] from = query.after().isEmpty() ? prefix : cursor(query.after());
    scan(
        prefix,
        from,
        (key, _) -> {
          CaseRecord record = loadUnlessDamaged(Keys.caseOfStatus(key));
          if (record == null || !query.filter().test(record) || isAt(record, query.after())) {
            return true;
          }
          if (page.size() == query.limit()) {
            CaseRecord last = page.getLast();
            next[0] = CaseQuery.cursor(last.status(), last.startedMillis(), last.caseId());
            return false;
          }
          return page.add(record);
        });
    return new CasePage(page, next[0]);
  }

  /// A list leaves out what cannot be read; `verify` names it.
  private @Nullable CaseRecord loadUnlessDamaged(String caseId) {
    try {
      return load(caseId).orElse(null);
    } catch (DamagedCase e) {
      return null;
    }
  }

  private static boolean isAt(CaseRecord record, String cursor) {
    return CaseQuery.cursor(record.status(), record.startedMillis(), record.caseId())
        .equals(cursor);
  }

  private static byte[] cursor(String text) {
    String[] parts = text.split(" ", 3);
    if (parts.length != 3) {
      throw new IllegalArgumentException("not a cursor of a list: '" + text + "'");
    }
    return Keys.status(Integer.parseInt(parts[0]), Long.parseUnsignedLong(parts[1], 16), parts[2]);
  }

  @Override
  public Optional<StoredProgram> program(ProgramHash hash) {
    byte[] bytes = read(Keys.program(hash));
    if (bytes == null) {
      return Optional.empty();
    }
    return Optional.of(program(hash, bytes));
  }

  private static StoredProgram program(ProgramHash hash, byte[] bytes) {
    Decoder in = new Decoder(bytes);
    return new StoredProgram(hash, in.text(), Bytes.of(in.raw(in.count())));
  }

  @Override
  public List<StoredProgram> programs() {
    List<StoredProgram> programs = new ArrayList<>();
    byte[] prefix = {Keys.PROGRAM};
    scan(prefix, prefix, (key, value) -> programs.add(program(Keys.hashOf(key), value)));
    return programs;
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
        throw new StoreFailure("the disk of the store does not say how full it is: " + e, e);
      }
    }
    return hasRoom;
  }

  @Override
  public List<String> verify() {
    return new Verification(this::scan, this).run();
  }

  @Override
  public void backup(Path copy) {
    if (Files.exists(copy.resolve(DATA))) {
      throw new StoreFailure("there is already a store in " + copy + ": choose another folder");
    }
    try (Checkpoint checkpoint = Checkpoint.create(db)) {
      Files.createDirectories(copy);
      checkpoint.createCheckpoint(copy.resolve(DATA).toString());
    } catch (RocksDBException | IOException e) {
      throw new StoreFailure("the backup to " + copy + " failed: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    try {
      writer.close();
    } finally {
      db.close();
      synced.close();
      options.close();
      holder.close();
    }
  }

  static StoreFailure failure(String sentence, RocksDBException e) {
    return new StoreFailure(sentence + ": " + e.getMessage(), e);
  }
}
