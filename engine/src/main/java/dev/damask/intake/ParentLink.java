package dev.damask.intake;

import dev.damask.task.EffectId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a child case knows of the task that started it; it is stored with the case.
///
/// @param caseId the parent
/// @param task the execution in the parent that started the case
/// @param depth how many cases are above this one, from 1
/// @param isDetached whether the parent does not wait for the case
/// @param isTold whether the end of the case has been sent to the parent
public record ParentLink(
    String caseId, EffectId task, int depth, boolean isDetached, boolean isTold) {
  /// The link of a case that is started, and whose end was not sent.
  public static ParentLink of(FamilyMessage.Start start) {
    return new ParentLink(start.from(), start.task(), start.depth(), start.isDetached(), false);
  }

  public ParentLink told() {
    return new ParentLink(caseId, task, depth, isDetached, true);
  }

  /// Whether the case was started by an execution.
  public boolean isFrom(String parent, EffectId execution) {
    return caseId.equals(parent) && task.equals(execution);
  }

  /// The link as a value that is stored.
  List<Object> list() {
    return List.of(caseId, task.lineage(), (long) depth, isDetached, isTold);
  }

  /// The link that a stored value stands for; null if it stands for none.
  static @Nullable ParentLink of(@Nullable Object value) {
    return value instanceof List<?> link
        ? new ParentLink(
            (String) link.get(0),
            new EffectId((Long) link.get(1)),
            Math.toIntExact((Long) link.get(2)),
            (Boolean) link.get(3),
            (Boolean) link.get(4))
        : null;
  }
}
