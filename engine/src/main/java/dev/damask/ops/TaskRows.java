package dev.damask.ops;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectIntent.Held;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.Table;
import dev.damask.store.TableRow;
import dev.damask.task.ChildTemplate;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The rows of the store's table that list the tasks without a handler, by effect type and age. A
/// row is written and removed in the commit of its case.
public final class TaskRows {
  /// The kind of the rows. Their index key is the case id.
  public static final String KIND = "task";

  private static final int PAGE = 200;
  private static final int FORMAT = 1;
  private static final int TYPE_MAX = 200;
  private static final String ASSIGNEE = "assignee";

  private TaskRows() {}

  /// Returns whether the task of an intent may be listed: it was never sent, and nothing but an
  /// answer from outside ends it.
  public static boolean isOutside(EffectIntent intent) {
    return !intent.sent()
        && intent.pause() == null
        && !intent.step()
        && intent.held() != Held.FOR_TIME
        && !isChild(intent);
  }

  private static boolean isChild(EffectIntent intent) {
    return intent.type().equals(ChildTemplate.TYPE) && intent.with().has(ChildTemplate.WORKFLOW);
  }

  /// Returns the row of a task that begins to wait.
  public static TableRow row(
      IncidentRows.Subject subject, EffectIntent intent, String address, long now) {
    Object assignee = intent.with().get(ASSIGNEE);
    Encoder out = new Encoder();
    out.octet(FORMAT);
    out.text(subject.caseId());
    out.text(subject.workflow());
    out.fixed(intent.id().lineage());
    out.text(intent.task());
    out.text(address);
    out.text(intent.type());
    out.text(assignee instanceof String text ? text : "");
    out.whole(now);
    String key =
        prefix(intent.type())
            + "%019d %s %s".formatted(Math.max(0, now), intent.id(), subject.caseId());
    return new TableRow(KIND, key, 1, Bytes.of(out.toBytes()), subject.caseId());
  }

  private static String prefix(String type) {
    return type.substring(0, Math.min(type.length(), TYPE_MAX)) + "\0";
  }

  static WaitingTask read(TableRow row) {
    Decoder in = new Decoder(row.value().toArray());
    int format = in.octet();
    if (format != FORMAT) {
      throw in.damaged("the format " + format + " of a waiting task");
    }
    String caseId = in.text();
    String workflow = in.text();
    EffectId id = new EffectId(in.fixed());
    String task = in.text();
    String address = in.text();
    String type = in.text();
    String assignee = in.text();
    Instant since = Instant.ofEpochMilli(in.whole());
    in.requireEnd();
    return new WaitingTask(caseId, workflow, id, task, address, type, assignee, since);
  }

  /// Returns the rows of a case by their tasks.
  public static Map<EffectId, TableRow> ofCase(Table table, String caseId) {
    Map<EffectId, TableRow> rows = new HashMap<>();
    table.allIndexed(KIND, caseId).forEach(row -> rows.put(read(row).id(), row));
    return rows;
  }

  /// Returns the changes of the table that end the wait of a task.
  public static List<RowChange> ended(TableRow row, String caseId, EffectId effect) {
    return List.of(new RowChange.Remove(row), new RowChange.Remove(TaskClaim.key(caseId, effect)));
  }

  /// The rows that are removed with a case.
  static List<RowChange> removedWith(Store store, String caseId) {
    List<RowChange> rows = new ArrayList<>();
    ofCase(store.table(), caseId).forEach((effect, row) -> rows.addAll(ended(row, caseId, effect)));
    return rows;
  }

  /// Returns a page of the tasks that match and may be seen. Its cursor is the place of the last
  /// task on the page, so that it names nothing that the page does not contain.
  static TaskPage list(Store store, TaskQuery query, Predicate<WaitingTask> seen) {
    List<WaitingTask> found = new ArrayList<>();
    String start = query.type().map(TaskRows::prefix).orElse("");
    String after = query.after().isEmpty() ? start : key(query.after());
    TableRow last = after.isEmpty() ? null : new TableRow(KIND, after, 1, Bytes.of());
    TableRow shown = null;
    List<TableRow> page;
    do {
      page = store.table().rows(KIND, last, PAGE);
      for (TableRow row : page) {
        if (!row.key().startsWith(start)) {
          return new TaskPage(found, "");
        }
        WaitingTask task = read(row);
        if (query.matches(task) && seen.test(task)) {
          if (found.size() == query.limit()) {
            return new TaskPage(found, cursor(shown));
          }
          found.add(task);
          shown = row;
        }
        last = row;
      }
    } while (page.size() == PAGE);
    return new TaskPage(found, "");
  }

  private static String cursor(@Nullable TableRow last) {
    return last == null
        ? ""
        : Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(last.key().getBytes(StandardCharsets.UTF_8));
  }

  private static String key(String cursor) {
    try {
      return new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("not a cursor of waiting tasks: '" + cursor + "'", e);
    }
  }
}
