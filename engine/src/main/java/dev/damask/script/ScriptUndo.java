package dev.damask.script;

import dev.damask.task.EffectId;
import dev.damask.value.Context;
import org.jspecify.annotations.Nullable;

/// Undoes the completed steps of a script: runs it again over its receipts to find their undo
/// functions, then performs these as steps, in the reverse order of the receipts.
///
/// @param name the name of the script's task
/// @param function the script
public record ScriptUndo(String name, ScriptFunction function) implements ScriptFunction {
  @Override
  public Context run(ScriptRun run, Context context) {
    EffectId undone = run.plan.undone();
    if (undone != null) {
      for (ScriptRun.Undo each : run.collect(undone, this, context)) {
        ScriptStep step = each.step();
        ScriptStep.@Nullable Undo undo = step.undo();
        if (undo != null) {
          run.step(
              ScriptStep.call(
                  "undo " + step.name(),
                  step.with(),
                  step.options(),
                  undo.of(each.result()),
                  null));
        }
      }
    }
    return context;
  }

  @Override
  public boolean isUndoneFromStart() {
    return false;
  }
}
