package dev.damask.store;

import dev.damask.value.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/// One row of the store's [Table]. A row is identified by its kind, its key and its version.
///
/// @param kind names the component that the row belongs to, such as `graph`; not empty
/// @param key identifies the object within its kind
/// @param version distinguishes the rows of one object; the greatest is the latest
/// @param value the content, in the encoding of the component
/// @param indexKey the key under which [Table#indexed] finds the row; empty if it is not indexed
public record TableRow(String kind, String key, long version, Bytes value, String indexKey) {
  public TableRow {
    requireText(kind);
    requireText(key);
    requireText(indexKey);
    Objects.requireNonNull(value, "value");
    if (kind.isEmpty()) {
      throw new IllegalArgumentException("table row '" + key + "': the kind must not be empty");
    }
  }

  /// Creates a row that is not indexed.
  public TableRow(String kind, String key, long version, Bytes value) {
    this(kind, key, version, value, "");
  }

  /// Stores keep keys as UTF-8 in which an unpaired surrogate would be lost.
  private static void requireText(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
          throw new IllegalArgumentException("table row: a key contains an unpaired surrogate");
        }
        return;
      }
    }
  }
}
