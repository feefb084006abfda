package dev.damask.store.rocksdb;

import dev.damask.attribute.CaseFacts;
import dev.damask.attribute.FactIndex;
import dev.damask.attribute.IndexKey;
import dev.damask.store.CaseRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/// The keys by which cases are found: the kind, the name, a zero byte, the key of the value, the
/// start and the id of the case. The keys of the status index have the same order without a name.
final class FactKeys {
  private static final byte[] NOTHING = {};

  private FactKeys() {}

  /// Returns the prefix of the keys of a name.
  static byte[] prefix(String name) {
    if (name.equals(FactIndex.STATUS)) {
      return new byte[] {Keys.STATUS};
    }
    byte[] utf = Keys.utf(name);
    return ByteBuffer.allocate(utf.length + 2).put(Keys.FACT).put(utf).put((byte) 0).array();
  }

  static byte[] key(byte[] prefix, FactIndex.Entry entry) {
    byte[] id = Keys.utf(entry.caseId());
    return ByteBuffer.allocate(prefix.length + entry.key().length + Long.BYTES + id.length)
        .put(prefix)
        .put(entry.key())
        .putLong(entry.startedMillis() ^ Long.MIN_VALUE)
        .put(id)
        .array();
  }

  private static FactIndex.Entry entry(byte[] prefix, byte[] key) {
    int length = prefix[0] == Keys.STATUS ? 1 : IndexKey.length(key, prefix.length);
    int end = prefix.length + length;
    return new FactIndex.Entry(
        Arrays.copyOfRange(key, prefix.length, end),
        ByteBuffer.wrap(key, end, Long.BYTES).getLong() ^ Long.MIN_VALUE,
        new String(key, end + Long.BYTES, key.length - end - Long.BYTES, StandardCharsets.UTF_8));
  }

  /// Returns the case of a key.
  static String caseOf(byte[] key) {
    int end = 1;
    while (key[end] != 0) {
      end++;
    }
    return entry(Arrays.copyOf(key, end + 1), key).caseId();
  }

  /// Returns the keys of a case.
  static List<byte[]> of(CaseRecord record) {
    List<byte[]> keys = new ArrayList<>();
    for (CaseFacts.Entry each : record.facts().entries()) {
      keys.add(key(record, each));
    }
    return keys;
  }

  private static byte[] key(CaseRecord record, CaseFacts.Entry each) {
    return key(
        prefix(each.name()),
        new FactIndex.Entry(IndexKey.of(each.value()), record.startedMillis(), record.caseId()));
  }

  /// Writes the changes of a case's keys.
  static void write(WriteBatchBytes out, @Nullable CaseRecord before, CaseRecord after) {
    CaseFacts had = before == null ? CaseFacts.NONE : before.facts();
    if (before == null || had == after.facts() || had.equals(after.facts())) {
      if (before == null) {
        after.facts().entries().forEach(each -> out.put(key(after, each), NOTHING));
      }
      return;
    }
    Set<CaseFacts.Entry> gone = new HashSet<>(had.entries());
    for (CaseFacts.Entry each : after.facts().entries()) {
      if (!gone.remove(each)) {
        out.put(key(after, each), NOTHING);
      }
    }
    gone.forEach(each -> out.delete(key(before, each)));
  }

  /// The index of a store at one moment.
  record Index(StoreSnapshot store) implements FactIndex {
    @Override
    public boolean hasStatus() {
      return true;
    }

    @Override
    public Reader open(String name) {
      return new Keyed(prefix(name), store);
    }
  }

  private static final class Keyed implements FactIndex.Reader {
    private final byte[] prefix;
    private final StoreSnapshot store;
    private final RocksIterator iterator;

    Keyed(byte[] prefix, StoreSnapshot store) {
      this.prefix = prefix;
      this.store = store;
      this.iterator = store.iterator();
    }

    @Override
    public FactIndex.@Nullable Entry seek(FactIndex.Entry from) {
      iterator.seek(key(prefix, from));
      return read();
    }

    @Override
    public FactIndex.@Nullable Entry next() {
      iterator.next();
      return read();
    }

    private FactIndex.@Nullable Entry read() {
      store.requireOpen();
      if (iterator.isValid()) {
        byte[] key = iterator.key();
        return Keys.startsWith(key, prefix) ? entry(prefix, key) : null;
      }
      try {
        iterator.status();
        return null;
      } catch (RocksDBException e) {
        throw RocksStore.failure("cannot read the store", e);
      }
    }

    @Override
    public void close() {
      iterator.close();
    }
  }
}
