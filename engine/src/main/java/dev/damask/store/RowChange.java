package dev.damask.store;

/// A change of the store's [Table] that is part of a [CommitBatch].
public sealed interface RowChange {
  /// The row that is written or removed.
  TableRow row();

  /// Writes a row. If the row exists, its value is replaced; its index key must stay the same. To
  /// change the index key, remove the old row in the same batch before.
  record Put(TableRow row) implements RowChange {}

  /// Removes a row as it was read. Does nothing if the row does not exist.
  record Remove(TableRow row) implements RowChange {}
}
