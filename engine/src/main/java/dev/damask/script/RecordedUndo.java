package dev.damask.script;

import dev.damask.effect.Effect;
import dev.damask.effect.EffectCall;
import dev.damask.effect.ScriptUnwound;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// A completed step of a script that is to be undone.
///
/// @param label the script and the step
/// @param number of the receipt of the step
record RecordedUndo(String label, ScriptStep step, Context result, long number) {
  /// Repeats the recorded steps of an execution and returns the undo functions of those that
  /// completed, the newest receipt first. Throws [ScriptDivergedException] or the `Error` that
  /// stopped the script: then nothing is undone by guess.
  ///
  /// @param own the plan of the execution that undoes it
  static List<RecordedUndo> collect(
      ScriptRun.Plan own, EffectId execution, ScriptUndo script, Context context) {
    EffectCall undoing = own.call();
    Effect undone = new Effect(execution, script.name(), 1, undoing.type(), "");
    EffectCall call =
        new EffectCall(undoing.caseId(), undone, undoing.delivery(), undoing.with(), context);
    ScriptRun again =
        new ScriptRun(
            new ScriptRun.Plan(call, script.function(), own.port(), List.of(), false, 1, null),
            true);
    try {
      again.run(context);
    } catch (ScriptUnwound e) { // the recorded steps end here
      requireNotStopped(again);
      again.requireAllAsked();
    }
    List<RecordedUndo> found = new ArrayList<>(again.undos());
    found.sort(Comparator.comparingLong(RecordedUndo::number).reversed());
    return found;
  }

  private static void requireNotStopped(ScriptRun run) {
    switch (run.stopped()) {
      case null -> {}
      case Error error -> throw error;
      case RuntimeException diverged -> throw diverged;
      case Throwable other -> throw new IllegalStateException(other);
    }
  }
}
