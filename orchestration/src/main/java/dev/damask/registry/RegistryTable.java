package dev.damask.registry;

import dev.damask.registry.RegistryEntry.Kind;
import dev.damask.store.CommitBatch;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionException;

/// The changes of registry entries as rows of the store's table. A change is never overwritten, so
/// a session finds the graph and the rules it began with. The key of a row is the key of its entry,
/// its version is the number of the change, from 1, and its index key is the hash of the document.
final class RegistryTable {
  private static final String GRAPH = "graph";
  private static final String RULE = "rule";
  private static final int PAGE = 1_000;

  private final Store store;

  RegistryTable(Store store) {
    this.store = store;
  }

  /// One change of an entry.
  ///
  /// @param number from 1 within the entry
  record Change(long number, RegistryEntry entry) {
    RowChange row() {
      Encoder out = new Encoder();
      out.context(entry.toContext());
      return new RowChange.Put(
          new TableRow(
              rowKind(entry.kind()),
              entry.key(),
              number,
              Bytes.of(out.toBytes()),
              entry.isDeleted() ? "" : entry.hash()));
    }
  }

  private static String rowKind(Kind kind) {
    return switch (kind) {
      case GRAPH -> GRAPH;
      case RULE -> RULE;
    };
  }

  /// Returns all changes, those of one entry in their order.
  List<Change> load() {
    List<Change> changes = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      TableRow last = null;
      List<TableRow> page;
      do {
        page = store.table().rows(rowKind(kind), last, PAGE);
        for (TableRow row : page) {
          changes.add(change(row));
          last = row;
        }
      } while (page.size() == PAGE);
    }
    Collections.reverse(changes); // the table returns the latest change of an entry first
    return changes;
  }

  private static Change change(TableRow row) {
    Decoder in = new Decoder(row.value().toArray());
    return new Change(row.version(), RegistryEntry.from(in.context()));
  }

  /// Writes changes; returns when they are durable. Throws `StoreException` if that fails.
  void write(List<Change> changes) {
    try {
      store.commit(CommitBatch.ofRows(changes.stream().map(Change::row).toList())).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(e.getCause());
    }
  }
}
