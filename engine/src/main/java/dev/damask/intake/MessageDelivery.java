package dev.damask.intake;

import dev.damask.ops.CorruptRows;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import dev.damask.value.Bytes;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Brings the messages of cases to the shards of their receivers: those of a commit when it is
/// durable, and those that the store still has when an engine opens, a program becomes known or a
/// case is released. A message that cannot be applied yet stays in the store.
public final class MessageDelivery {
  private static final int PAGE = 1_000;

  private final Store store;
  private final Function<String, Inbox> inboxes;
  private final Predicate<String> owns;
  private final CorruptRows corrupt = new CorruptRows();
  private volatile Runnable onProgram = () -> {}; // written when the engine is opened
  private volatile boolean hasParked; // written by the shards

  /// @param inboxes the inbox of the shard of a case
  /// @param owns whether this engine may move a case
  public MessageDelivery(Store store, Function<String, Inbox> inboxes, Predicate<String> owns) {
    this.inboxes = inboxes;
    this.owns = owns;
    this.store = store;
  }

  /// Delivers the messages among rows that have become durable.
  public void committed(Collection<RowChange> rows) {
    for (RowChange change : rows) {
      if (change instanceof RowChange.Put(var row) && row.kind().equals(FamilyMessage.KIND)) {
        deliver(row, false);
      }
    }
  }

  /// Delivers everything that the store has.
  public void repeatAll() {
    TableRow after = null;
    List<TableRow> page;
    do {
      page = store.table().rows(FamilyMessage.KIND, after, PAGE);
      for (TableRow row : page) {
        deliver(row, true);
        after = row;
      }
    } while (page.size() == PAGE);
  }

  /// Delivers what the store has for one case.
  public void repeat(String caseId) {
    String prefix = caseId + FamilyMessage.SEPARATOR;
    ChildRow.rows(store, FamilyMessage.KIND, prefix, Integer.MAX_VALUE)
        .forEach(row -> deliver(row, true));
  }

  /// Returns the message of a row; null if the row is corrupt.
  public @Nullable FamilyMessage read(TableRow row) {
    return corrupt.read(row, FamilyMessage::of);
  }

  private void deliver(TableRow row, boolean isRepeated) {
    int end = row.key().indexOf(FamilyMessage.SEPARATOR);
    String to = row.key().substring(0, Math.max(0, end));
    if (!owns.test(to)) {
      return; // the node that owns the receiver finds the row
    }
    // A closed inbox means that the engine is gone: the next one finds the row.
    boolean _ = inboxes.apply(to).put(new Request.Deliver(to, row, isRepeated));
  }

  /// A message waits for a program.
  public void parked() {
    hasParked = true;
  }

  /// What else happens when a program has become known.
  public void onProgram(Runnable action) {
    onProgram = action;
  }

  /// A program has become known.
  public void programKnown() {
    onProgram.run();
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
