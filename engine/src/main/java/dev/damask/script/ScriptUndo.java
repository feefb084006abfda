package dev.damask.script;

import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Undoes the completed steps of a script: runs it again over its receipts to find their undo
/// functions, then performs these as steps, in the reverse order of the receipts. A failing undo
/// does not keep the others from running; it fails the task after them.
///
/// @param name the name of the script's task
/// @param function the script
public record ScriptUndo(String name, ScriptFunction function) implements ScriptFunction {
  @Override
  public Context run(ScriptRun run, Context context) {
    EffectId undone = run.plan.undone();
    List<StepFailedException> failed = new ArrayList<>();
    if (undone != null) {
      for (RecordedUndo each : RecordedUndo.collect(run.plan, undone, this, context)) {
        try {
          undo(run, each);
        } catch (StepFailedException e) { // the others are undone all the same
          failed.add(e);
        }
      }
    }
    if (!failed.isEmpty()) {
      throw first(failed);
    }
    return context;
  }

  private static void undo(ScriptRun run, RecordedUndo recorded) {
    ScriptStep step = recorded.step();
    ScriptStep.@Nullable Undo undo = step.undo();
    if (undo != null) {
      Context result = recorded.result();
      var _ =
          run.step(
              ScriptStep.call(
                  "undo " + step.name(),
                  step.with(),
                  step.options(),
                  call ->
                      undo.of(result).call(call), // a result that is not readable fails the step
                  null));
    }
  }

  /// The first failure, which names the later ones.
  private static StepFailedException first(List<StepFailedException> failed) {
    StepFailedException first = failed.getFirst();
    StringBuilder detail = new StringBuilder(first.detail());
    for (StepFailedException each : failed.subList(1, failed.size())) {
      detail.append(detail.isEmpty() ? "" : "; ").append("also ").append(each.getMessage());
    }
    return new StepFailedException(first.step(), first.reason(), detail.toString());
  }

  @Override
  public int stepsMax() {
    return function.stepsMax();
  }

  @Override
  public boolean isUndoneFromStart() {
    return false;
  }
}
