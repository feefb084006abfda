package dev.damask.intake;

import dev.damask.effect.EffectIntent;
import dev.damask.ops.IncidentRows;
import dev.damask.store.RowChange;
import dev.damask.task.EffectId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What has happened to the effects of a case since its last commit.
public final class EffectChanges {
  private final OpenEffects open;

  // Most cases have no effects, so the tables are made with the first change.
  private Map<EffectId, EffectIntent> added = Map.of();
  private Set<EffectId> removed = Set.of();
  private Set<EffectId> fresh = Set.of();

  /// What was committed of each intent that has changed; empty for one that was not there.
  private Map<EffectId, Optional<EffectIntent>> replaced = Map.of();

  public EffectChanges(OpenEffects open) {
    this.open = open;
  }

  /// Whether the store has never been given an intent.
  public boolean isFresh(EffectIntent intent) {
    return fresh.contains(intent.id());
  }

  /// Adds an intent or replaces the one of the same effect.
  public void plan(EffectIntent intent) {
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

  /// The effects whose intents the next commit removes.
  public List<EffectId> removed() {
    return List.copyOf(removed);
  }

  /// Returns rows with those of the incidents that the changes begin and end.
  public List<RowChange> plusIncidents(List<RowChange> rows, IncidentRows.Subject subject) {
    List<RowChange> more =
        replaced.isEmpty() ? List.of() : IncidentRows.changes(subject, replaced, open::get);
    if (more.isEmpty()) {
      return rows;
    }
    List<RowChange> all = new ArrayList<>(rows);
    all.addAll(more);
    return all;
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
