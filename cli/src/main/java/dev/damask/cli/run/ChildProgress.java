package dev.damask.cli.run;

import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cases.Engine;
import dev.damask.store.CaseStatus;
import dev.damask.task.ChildTemplate;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What the children that a case waits for, and theirs, are doing.
///
/// @param isBusy whether one of them moves by itself now
/// @param due when the next timer of one of them is due; `Long.MAX_VALUE` for never
record ChildProgress(boolean isBusy, long due) {
  /// Reads the children of a case.
  ///
  /// @param called the effect types that are in progress while a task is pending
  /// @param workflows the workflows that can be started
  static ChildProgress of(Engine engine, CaseView view, Set<String> called, Set<String> workflows) {
    boolean isBusy = false;
    long due = Long.MAX_VALUE;
    for (PendingTask task : view.tasks()) {
      String workflow = workflow(task);
      if (workflow == null) {
        continue;
      }
      Optional<CaseView> child = find(engine, task.key());
      if (child.isEmpty()) {
        isBusy |= workflows.contains(workflow); // its start is on the way
        continue;
      }
      CaseView found = child.get();
      // The end of a child is on the way; only a quarantined one keeps its parent waiting.
      isBusy |=
          CaseRun.isAtEnd(found.status())
              ? found.status() != CaseStatus.QUARANTINED && found.status() != CaseStatus.CORRUPT
              : found.status() == CaseStatus.RUNNING
                  || found.tasks().stream().anyMatch(each -> called.contains(each.type()));
      ChildProgress below = of(engine, found, called, workflows);
      isBusy |= below.isBusy;
      due = Math.min(due, Math.min(below.due, found.nextDue().orElse(Long.MAX_VALUE)));
    }
    return new ChildProgress(isBusy, due);
  }

  /// The workflow of the child that a task waits for; null if it is another task.
  static @Nullable String workflow(PendingTask task) {
    return task.type().equals(ChildTemplate.TYPE)
            && task.with().get(ChildTemplate.WORKFLOW) instanceof String workflow
        ? workflow
        : null;
  }

  private static Optional<CaseView> find(Engine engine, String caseId) {
    try {
      return Optional.of(engine.status(caseId));
    } catch (IllegalArgumentException e) { // it is not started yet
      return Optional.empty();
    }
  }
}
