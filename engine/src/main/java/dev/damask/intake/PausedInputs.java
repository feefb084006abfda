package dev.damask.intake;

import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// What a shard keeps in memory of a case that is or was paused.
public final class PausedInputs {
  /// The effects and functions that are taken up when the case is resumed.
  public final Set<EffectId> toTakeUp = new LinkedHashSet<>();

  /// The rows of stored inputs that may not be durable yet, by number.
  public final Map<Long, TableRow> rows = new TreeMap<>();

  /// How many stored inputs are queued and not yet applied.
  public int left;

  /// Whether stored results are applied before the machine runs.
  public boolean isCatchingUp;

  /// Every commit of the case is durable, so the store has the rows.
  ///
  /// @param isDirty whether the case has changes that no commit has yet
  public void durable(boolean isDirty) {
    if (!isDirty) {
      rows.clear();
    }
  }
}
