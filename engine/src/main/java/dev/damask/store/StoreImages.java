package dev.damask.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads and writes what a store holds as it is, so that a whole store can be copied into another
/// one. No engine may be open on the store.
public interface StoreImages {
  /// Returns one sentence about what cannot be copied yet; empty if everything can.
  String obstacle();

  /// Returns the image of an existing case.
  CaseImage image(String caseId);

  /// Returns rows of all kinds of the store's [Table], in a fixed order.
  ///
  /// @param after the last row of the page before; null for the first page
  List<TableRow> rows(@Nullable TableRow after, int limit);

  /// Writes cases that the store does not have. Each is atomic.
  void write(List<CaseImage> cases);

  /// Ends a copy: sets the order in which cases have ended, and makes sure that the epoch of the
  /// next opening is greater than a given one.
  void finish(List<String> ended, long epoch);
}
