package dev.damask.attribute;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The entries by which a store finds cases, in the order of name, key, start and id.
public interface FactIndex {
  /// The name of the entries by status; their key is the number of the status. No attribute has
  /// this name.
  String STATUS = "status";

  /// Whether there are entries by status.
  boolean hasStatus();

  /// Opens the entries of one name.
  Reader open(String name);

  /// Reads entries in order. It must be closed.
  interface Reader extends AutoCloseable {
    /// Moves to the first entry at or after this one and returns it; null if there is none.
    @Nullable Entry seek(Entry from);

    /// Moves to the next entry and returns it; null if there is none.
    @Nullable Entry next();

    @Override
    void close();
  }

  /// A case under a key.
  ///
  /// @param key of a value, see [IndexKey]
  @SuppressWarnings("ArrayRecordComponent") // compared below
  record Entry(byte[] key, long startedMillis, String caseId) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byKey = Arrays.compareUnsigned(key, other.key);
      return byKey != 0 ? byKey : comparePlace(other);
    }

    /// Compares by start and id.
    public int comparePlace(Entry other) {
      int byStart = Long.compare(startedMillis, other.startedMillis);
      return byStart != 0 ? byStart : caseId.compareTo(other.caseId);
    }

    /// The same place under another key.
    public Entry under(byte[] other) {
      return new Entry(other, startedMillis, caseId);
    }

    /// The least entry after this one. Ids contain no U+0000.
    public Entry successor() {
      return new Entry(key, startedMillis, caseId + "\0");
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Entry entry && compareTo(entry) == 0;
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(key) + caseId.hashCode();
    }
  }
}
