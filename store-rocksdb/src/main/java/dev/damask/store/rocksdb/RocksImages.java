package dev.damask.store.rocksdb;

import dev.damask.effect.Receipt;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseImage;
import dev.damask.store.JournalPart;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.StoreImages;
import dev.damask.store.TableRow;
import dev.damask.value.Decoder;
import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// Reads and writes the key space of a store for copies.
final class RocksImages implements StoreImages {
  /// As [CommitEncoder] numbers ends.
  private static final int ENDS_BITS = 40;

  private final RocksStore store;
  private final Verification.Scan scan;
  private final RocksDB db;
  private final WriteOptions synced;

  RocksImages(RocksStore store, Verification.Scan scan, RocksDB db, WriteOptions synced) {
    this.store = store;
    this.scan = scan;
    this.db = db;
    this.synced = synced;
  }

  /// Counts the keys of a kind.
  static long count(Verification.Scan scan, byte kind) {
    long[] found = {0};
    byte[] prefix = {kind};
    scan.over(prefix, prefix, (_, _) -> ++found[0] > 0);
    return found[0];
  }

  @Override
  public String obstacle() {
    return "";
  }

  @Override
  public CaseImage image(String caseId) {
    Store.LoadedCase loaded =
        store
            .load(caseId)
            .orElseThrow(() -> new StoreException("case " + caseId + " is not in the store"));
    List<Receipt> receipts = store.receipts(caseId);
    return new CaseImage(
        loaded.record(),
        loaded.intents(),
        receipts,
        keys(caseId, receipts),
        messages(caseId),
        store.states(caseId, 0, Long.MAX_VALUE),
        values(Keys.VALUE, caseId),
        values(Keys.LASTING, caseId),
        store.journal(caseId, 0, Long.MAX_VALUE),
        StateChain.trace(scan, caseId, 0));
  }

  private List<CaseCommit.KeyUse> keys(String caseId, List<Receipt> receipts) {
    List<CaseCommit.KeyUse> keys = new ArrayList<>();
    for (Receipt receipt : receipts) {
      String type = receipt.body().type();
      byte[] use = store.read(Keys.key(type, receipt.body().key()));
      if (use != null) {
        Decoder in = new Decoder(use);
        if (in.text().equals(caseId) && in.natural() == receipt.number()) {
          keys.add(new CaseCommit.KeyUse(type, receipt.body().key(), receipt.number()));
        }
      }
    }
    return keys;
  }

  private List<CaseCommit.Message> messages(String caseId) {
    List<CaseCommit.Message> messages = new ArrayList<>();
    byte[] prefix = Keys.of(Keys.MESSAGE, caseId);
    scan.over(
        prefix,
        prefix,
        (key, value) -> {
          String id =
              new String(key, prefix.length, key.length - prefix.length, StandardCharsets.UTF_8);
          return messages.add(new CaseCommit.Message(id, value[0]));
        });
    return messages;
  }

  /// Returns values in the order of their hashes.
  private List<SharedValue> values(byte kind, String caseId) {
    List<SharedValue> values = new ArrayList<>();
    byte[] prefix = Keys.of(kind, caseId);
    scan.over(
        prefix,
        prefix,
        (key, value) -> {
          ByteBuffer hash = ByteBuffer.wrap(key, prefix.length, 2 * Long.BYTES);
          Sum sum = new Sum(hash.getLong() ^ Long.MIN_VALUE, hash.getLong() ^ Long.MIN_VALUE);
          return values.add(new SharedValue(sum, value));
        });
    return values;
  }

  @Override
  public List<TableRow> rows(@Nullable TableRow after, int limit) {
    byte[] prefix = {TableKeys.ROW};
    byte[] last = after == null ? prefix : TableKeys.row(after);
    List<TableRow> rows = new ArrayList<>();
    scan.over(
        prefix,
        after == null ? prefix : Arrays.copyOf(last, last.length + 1),
        (key, value) -> {
          rows.add(RocksTable.row(key, value));
          return rows.size() < limit;
        });
    return rows;
  }

  @Override
  public void write(List<CaseImage> cases) {
    WriteBatchBytes out = new WriteBatchBytes();
    for (CaseImage image : cases) {
      put(out, image);
    }
    write(out);
  }

  private static void put(WriteBatchBytes out, CaseImage image) {
    String caseId = image.record().caseId();
    CaseCommit whole =
        new CaseCommit(
            image.record(),
            null,
            image.consumed(),
            image.receipts(),
            image.intents(),
            List.of(),
            image.keys(),
            new JournalPart(new byte[0], image.lasting()),
            new byte[0],
            0,
            true);
    Changes.put(out, null, StoredCase.after(null, whole), whole);
    for (Store.RevisionRecord each : image.states()) {
      out.put(Keys.state(caseId, each.revision()), each.record().bytes());
    }
    for (SharedValue value : image.values()) {
      out.put(Keys.value(caseId, value.hash()), value.bytes());
    }
    for (Store.RevisionInputs each : image.journal()) {
      out.put(Keys.journal(caseId, each.revision()), each.bytes());
    }
    for (Store.RevisionInputs each : image.trace()) {
      out.put(Keys.trace(caseId, each.revision()), each.bytes());
    }
  }

  private void write(WriteBatchBytes out) {
    try (WriteBatch batch = new WriteBatch(out.toBytes())) {
      db.write(synced, batch);
      long cases = count(scan, Keys.CASE);
      try (WriteBatch counted = new WriteBatch()) {
        counted.put(Keys.meta(RocksStore.CASES), Keys.natural(cases));
        db.write(synced, counted);
      }
      store.durable(cases);
    } catch (RocksDBException e) {
      throw RocksStore.failure("cannot write the store", e);
    }
  }

  @Override
  public void finish(List<String> ended, long epoch) {
    WriteBatchBytes out = new WriteBatchBytes();
    long number = store.epoch() << ENDS_BITS;
    for (String caseId : ended) {
      long next = ++number;
      out.put(Keys.ended(next), Keys.utf(caseId));
      out.put(Keys.endOf(caseId), bytes -> bytes.fixed(next));
    }
    byte[] opened = Keys.natural(Math.max(epoch, store.epoch()));
    out.put(Keys.meta("epoch"), opened);
    out.put(Keys.meta(WorkflowIndex.MARK), opened);
    write(out);
  }
}
