package dev.damask.cluster;

import dev.damask.ops.CaseEvent;
import java.util.List;
import java.util.Optional;

/// The durable changes of all cases of a cluster, whichever node makes them, in an order that all
/// readers share. Nodes write them down only while someone watches. Used by any thread.
public interface CaseChanges {
  /// A change and its place in the order.
  ///
  /// @param cursor the changes after this one follow it, at every node
  record Change(String cursor, CaseEvent event) {}

  /// Keeps changes being written for some minutes.
  void watch();

  /// Returns a cursor after which the changes of commits follow that begin from now on. Implies
  /// [#watch].
  String start();

  /// Compares two cursors by their place in the order.
  int compare(String one, String other);

  /// Returns the changes after a cursor, the oldest first; empty if some of them are no longer kept
  /// or were never written. Throws `IllegalArgumentException` if the cursor is malformed.
  Optional<List<Change>> after(String cursor, int limit);
}
