package dev.damask.cases;

import dev.damask.task.EffectId;

/// What a child case knows of the task that started it; it is stored with the case.
///
/// @param caseId the parent
/// @param task the execution in the parent that started the case
/// @param depth how many cases are above this one, from 1
/// @param isDetached whether the parent does not wait for the case
/// @param isTold whether the end of the case has been sent to the parent
record ParentLink(String caseId, EffectId task, int depth, boolean isDetached, boolean isTold) {
  ParentLink told(boolean isNowTold) {
    return new ParentLink(caseId, task, depth, isDetached, isNowTold);
  }

  /// Whether the case was started by an execution.
  boolean isFrom(String parent, EffectId execution) {
    return caseId.equals(parent) && task.equals(execution);
  }
}
