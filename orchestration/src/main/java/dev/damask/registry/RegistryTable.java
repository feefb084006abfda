package dev.damask.registry;

import dev.damask.cluster.SharedStore;
import dev.damask.registry.RegistryEntry.Kind;
import dev.damask.store.CommitBatch;
import dev.damask.store.RowChange;
import dev.damask.store.RowChangedException;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// The changes of registry entries as rows of the store's table. A change is never overwritten, so
/// a session finds the graph and the rules it began with. The key of a row is the key of its entry,
/// its version is the number of the change, from 1, and its index key is the hash of the document.
final class RegistryTable {
  private static final String GRAPH = "graph";
  private static final String RULE = "rule";
  private static final String STAMP = "registry";
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

  /// Returns the changes of an entry after a number, in their order.
  List<Change> after(Kind kind, String key, long number) {
    List<Change> changes = new ArrayList<>();
    boolean isNew =
        store.table().latest(rowKind(kind), key).filter(row -> row.version() > number).isPresent();
    if (isNew) {
      store.table().versions(rowKind(kind), key, Integer.MAX_VALUE).stream()
          .filter(row -> row.version() > number)
          .map(RegistryTable::change)
          .forEach(changes::add);
    }
    Collections.reverse(changes);
    return changes;
  }

  /// Returns whether other nodes can change the registry.
  boolean isShared() {
    return store instanceof SharedStore;
  }

  /// Returns a string that another one replaces with each change on a shared store.
  String stamp() {
    return store
        .table()
        .find(STAMP, STAMP, 0)
        .map(row -> new Decoder(row.value().toArray()).text())
        .orElse("");
  }

  private static List<RowChange> stamped(RowChange change) {
    Encoder out = new Encoder();
    out.text(UUID.randomUUID().toString());
    TableRow stamp = new TableRow(STAMP, STAMP, 0, Bytes.of(out.toBytes()));
    return List.of(change, new RowChange.Put(stamp));
  }

  /// Writes the next change of an entry; returns when it is durable. Throws [RowChangedException]
  /// if another node has written it.
  void write(Change change) {
    if (store instanceof SharedStore shared) {
      TableRow row = change.row().row();
      join(
          shared.replace(
              row.kind(), row.key(), row.version(), Optional.empty(), stamped(change.row())));
    } else {
      write(List.of(change));
    }
  }

  /// Writes changes; returns when they are durable. Throws `StoreException` if that fails.
  void write(List<Change> changes) {
    join(store.commit(CommitBatch.ofRows(changes.stream().map(Change::row).toList())));
  }

  private static void join(CompletableFuture<Void> written) {
    try {
      written.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(e.getCause());
    }
  }
}
