package dev.damask.intake;

import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.List;

/// What is stored about a child with its parent: a row of the store's table that is written with
/// the start of the child and removed with the parent.
public record ChildRow(
    EffectId task, String taskName, String child, String workflow, boolean isDetached) {
  /// The kind of the table's rows of children.
  public static final String KIND = "child";

  private static final int PAGE = 1_000;

  public static String key(String parent, String child) {
    return parent + FamilyMessage.SEPARATOR + child;
  }

  public static TableRow of(String parent, String taskName, FamilyMessage.Start start) {
    Encoder out = new Encoder();
    out.fixed(start.task().lineage());
    out.text(taskName);
    out.text(start.workflow());
    out.flag(start.isDetached());
    return new TableRow(KIND, key(parent, start.to()), 0, Bytes.of(out.toBytes()));
  }

  public static ChildRow of(TableRow row) {
    try {
      Decoder in = new Decoder(row.value().toArray());
      EffectId task = new EffectId(in.fixed());
      String child = row.key().substring(row.key().indexOf(FamilyMessage.SEPARATOR) + 1);
      return new ChildRow(task, in.text(), child, in.text(), in.flag());
    } catch (Decoder.DamagedBytes e) {
      throw new StoreException(
          "row '" + row.key() + "' of a child cannot be read: " + e.getMessage(), e);
    }
  }

  /// The rows of the children of a case, in the order of their ids, at most `limit`.
  public static List<TableRow> ofParent(Store store, String parent, int limit) {
    return rows(store, KIND, parent + FamilyMessage.SEPARATOR, limit);
  }

  /// The changes of the table that belong to the removal of a case.
  public static List<RowChange> removedWith(Store store, String parent) {
    return ofParent(store, parent, Integer.MAX_VALUE).stream()
        .<RowChange>map(RowChange.Remove::new)
        .toList();
  }

  /// The rows of a kind whose keys begin with a prefix, at most `limit`.
  public static List<TableRow> rows(Store store, String kind, String prefix, int limit) {
    List<TableRow> found = new ArrayList<>();
    TableRow after = new TableRow(kind, prefix, Long.MIN_VALUE, Bytes.of());
    while (true) {
      List<TableRow> page = store.table().rows(kind, after, Math.min(PAGE, limit - found.size()));
      for (TableRow row : page) {
        if (!row.key().startsWith(prefix)) {
          return found;
        }
        found.add(row);
      }
      if (page.size() < PAGE || found.size() >= limit) {
        return found;
      }
      after = page.getLast();
    }
  }
}
