package dev.damask.intake;

import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import java.util.List;
import java.util.function.Function;

/// Brings the messages of cases to the shards of their receivers: those of a commit when it is
/// durable, and those that the store still has when an engine opens, a program becomes known or a
/// case is released. A message that cannot be applied yet stays in the store.
public final class MessageDelivery {
  private static final int PAGE = 1_000;

  private final Store store;
  private final Function<String, Inbox> inboxes;
  private volatile boolean hasParked; // written by the shards

  /// @param inboxes the inbox of the shard of a case
  public MessageDelivery(Store store, Function<String, Inbox> inboxes) {
    this.inboxes = inboxes;
    this.store = store;
  }

  /// Delivers the messages among rows that have become durable.
  public void committed(List<RowChange> rows) {
    for (RowChange change : rows) {
      if (change instanceof RowChange.Put(var row) && row.kind().equals(CaseMessage.KIND)) {
        deliver(row, false);
      }
    }
  }

  /// Delivers everything that the store has.
  public void repeatAll() {
    TableRow after = null;
    List<TableRow> page;
    do {
      page = store.table().rows(CaseMessage.KIND, after, PAGE);
      for (TableRow row : page) {
        deliver(row, true);
        after = row;
      }
    } while (page.size() == PAGE);
  }

  /// Delivers what the store has for one case.
  public void repeat(String caseId) {
    String prefix = caseId + CaseMessage.SEPARATOR;
    ChildRow.rows(store, CaseMessage.KIND, prefix, Integer.MAX_VALUE)
        .forEach(row -> deliver(row, true));
  }

  private void deliver(TableRow row, boolean isRepeated) {
    String to = row.key().substring(0, row.key().indexOf(CaseMessage.SEPARATOR));
    // A closed inbox means that the engine is gone: the next one finds the row.
    boolean _ = inboxes.apply(to).put(new Request.Deliver(to, row, isRepeated));
  }

  /// A message waits for a program.
  public void parked() {
    hasParked = true;
  }

  /// A program has become known.
  public void programKnown() {
    if (hasParked) {
      hasParked = false;
      repeatAll();
    }
  }

  /// The row of the same key as stored, for removing it.
  public static TableRow keyOf(TableRow row) {
    return new TableRow(row.kind(), row.key(), row.version(), Bytes.of());
  }
}
