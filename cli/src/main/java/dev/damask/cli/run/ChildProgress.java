package dev.damask.cli.run;

import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.store.CaseStatus;
import dev.damask.task.ChildTemplate;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What the children that a case waits for, and theirs, are doing.
///
/// @param isBusy whether one of them moves by itself now
/// @param due when the next timer of one of them is due; `Long.MAX_VALUE` for never
record ChildProgress(boolean isBusy, long due) {
  /// Reads the children of a case.
  ///
  /// @param find returns a case; empty if it does not exist
  /// @param called whether a call for a pending task is in progress
  /// @param workflows the workflows that can be started
  static ChildProgress of(
      Function<String, Optional<CaseView>> find,
      CaseView view,
      Predicate<PendingTask> called,
      Set<String> workflows) {
    boolean isBusy = false;
    long due = Long.MAX_VALUE;
    for (PendingTask task : view.tasks()) {
      String workflow = workflow(task);
      if (workflow == null) {
        continue;
      }
      Optional<CaseView> child = find.apply(task.key());
      if (child.isEmpty()) {
        isBusy |= workflows.contains(workflow); // its start is on the way
        continue;
      }
      CaseView found = child.get();
      // The end of a child is on the way; only a quarantined one keeps its parent waiting.
      isBusy |=
          CaseRun.isAtEnd(found.status())
              ? found.status() != CaseStatus.QUARANTINED && found.status() != CaseStatus.CORRUPT
              : found.status() == CaseStatus.RUNNING || found.tasks().stream().anyMatch(called);
      ChildProgress below = of(find, found, called, workflows);
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
}
