package dev.damask.intake;

import dev.damask.effect.EffectIntent;
import dev.damask.ops.IncidentRows;
import dev.damask.ops.TaskRows;
import dev.damask.store.RowChange;
import dev.damask.store.Table;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import dev.damask.value.SharedValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What has happened to the effects of a case since its last commit.
public final class EffectChanges {
  private final OpenEffects open;

  // Most cases have no effects, so the tables are created with the first change.
  private Map<EffectId, EffectIntent> added = Map.of();
  private Set<EffectId> removed = Set.of();
  private Set<EffectId> fresh = Set.of();

  /// What was committed of each intent that has changed; empty for one that was not there.
  private Map<EffectId, Optional<EffectIntent>> replaced = Map.of();

  /// The addresses of the tasks that wait for an answer from outside.
  private Map<EffectId, String> outside = Map.of();

  /// The rows of such tasks, also those that are not durable yet; null until one of them changes
  /// after the case was read or a turn was undone.
  private @Nullable Map<EffectId, TableRow> listed;

  public EffectChanges(OpenEffects open) {
    this.open = open;
  }

  /// Whether the store has never been given an intent.
  public boolean isFresh(EffectIntent intent) {
    return fresh.contains(intent.id());
  }

  /// Adds an intent or replaces the one of the same effect.
  public void plan(EffectIntent planned) {
    EffectIntent intent = planned.sharing(true);
    begin(intent);
    if (!open.contains(intent.id()) && !removed.contains(intent.id())) {
      fresh.add(intent.id());
    }
    open.put(intent);
    added.put(intent.id(), intent);
    removed.remove(intent.id());
  }

  /// Adds an intent that is not stored.
  public void compute(EffectIntent intent) {
    begin(intent);
    open.put(intent);
    removed.remove(intent.id());
  }

  /// Removes an intent.
  public void drop(EffectIntent intent) {
    begin(intent);
    open.remove(intent);
    if (!OpenEffects.isComputation(intent)) {
      added.remove(intent.id());
      if (!fresh.remove(intent.id())) {
        removed.add(intent.id());
      }
    }
  }

  private void begin(EffectIntent intent) {
    if (replaced.isEmpty() && !(replaced instanceof HashMap)) {
      added = new LinkedHashMap<>();
      removed = new LinkedHashSet<>();
      fresh = new HashSet<>();
      replaced = new HashMap<>();
    }
    replaced.putIfAbsent(intent.id(), Optional.ofNullable(open.get(intent.id())));
  }

  /// The intents that the next commit adds, the oldest first.
  public List<EffectIntent> added() {
    return added.isEmpty() ? List.of() : List.copyOf(added.values());
  }

  /// The values that open intents refer to.
  ///
  /// @param isWhole of all intents, not only of those that the next commit adds
  public List<SharedValue> values(boolean isWhole) {
    List<SharedValue> values = new ArrayList<>();
    for (EffectIntent intent : isWhole ? open.all() : added.values()) {
      values.addAll(intent.values());
    }
    return values;
  }

  /// The effects whose intents the next commit removes.
  public List<EffectId> removed() {
    return List.copyOf(removed);
  }

  /// Notes that the task of an intent waits for an answer from outside.
  ///
  /// @param address the execution of the task, such as `A[2]#1`
  public void outside(EffectId effect, String address) {
    outside = outside.isEmpty() ? new HashMap<>() : outside;
    outside.put(effect, address);
  }

  /// Adds the rows of the incidents and waiting tasks that the changes begin and end.
  public void addRows(
      RowChange.Queue rows, IncidentRows.Subject subject, Table table, long millis) {
    if (replaced.isEmpty()) {
      return;
    }
    rows.addAll(IncidentRows.changes(subject, replaced, open::get));
    for (Map.Entry<EffectId, Optional<EffectIntent>> each : replaced.entrySet()) {
      EffectId effect = each.getKey();
      EffectIntent now = open.get(effect);
      boolean was = each.getValue().filter(TaskRows::isOutside).isPresent();
      boolean is = outside.containsKey(effect) && now != null && TaskRows.isOutside(now);
      if (was || is) {
        TableRow row = listed(table, subject.caseId()).get(effect);
        if (now != null && is && row == null) {
          rows.add(list(subject, now, table, millis));
        } else if (!is && row != null) {
          rows.addAll(unlist(subject, effect, row, table));
        }
      }
    }
  }

  /// Adds the row of a waiting task that an earlier version stored without it.
  public void addMissing(
      RowChange.Queue rows,
      IncidentRows.Subject subject,
      EffectIntent waiting,
      Table table,
      long millis) {
    if (!listed(table, subject.caseId()).containsKey(waiting.id())) {
      rows.add(list(subject, waiting, table, millis));
    }
  }

  private Map<EffectId, TableRow> listed(Table table, String caseId) {
    Map<EffectId, TableRow> rows = listed;
    if (rows == null) {
      rows = TaskRows.ofCase(table, caseId);
      listed = rows;
    }
    return rows;
  }

  private RowChange list(
      IncidentRows.Subject subject, EffectIntent waiting, Table table, long millis) {
    String address = outside.getOrDefault(waiting.id(), "");
    TableRow added = TaskRows.row(subject, waiting, address, millis);
    listed(table, subject.caseId()).put(waiting.id(), added);
    return new RowChange.Put(added);
  }

  private List<RowChange> unlist(
      IncidentRows.Subject subject, EffectId effect, TableRow row, Table table) {
    listed(table, subject.caseId()).remove(effect);
    if (!outside.isEmpty()) {
      outside.remove(effect);
    }
    return TaskRows.ended(row, subject.caseId(), effect);
  }

  /// Returns the intents that have changed, as they were committed last; empty for one that was not
  /// there.
  public Map<EffectId, Optional<EffectIntent>> replaced() {
    return replaced;
  }

  /// Takes the changes back.
  ///
  /// @param keepsFunctions whether functions that run outside stay
  public void takeBack(boolean keepsFunctions) {
    open.restore(replaced, keepsFunctions);
    listed = null;
  }

  /// Functions that were started without a commit run now, and an undone turn does not stop them.
  public void published() {
    if (!replaced.isEmpty()) {
      replaced.clear();
    }
  }

  /// Forgets the changes.
  public void clear() {
    if (replaced instanceof HashMap) {
      added.clear();
      removed.clear();
      fresh.clear();
      replaced.clear();
    }
  }
}
