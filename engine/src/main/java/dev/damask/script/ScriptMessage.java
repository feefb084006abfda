package dev.damask.script;

import dev.damask.effect.Receipt;
import dev.damask.task.EffectId;
import java.util.List;

/// A message from a script's run to the shard of its case.
public sealed interface ScriptMessage {
  /// It asks for a step.
  ///
  /// @param label the script and the step, such as `fulfil/pick#2`
  /// @param marks recorded in the same commit
  record Ask(EffectId id, String label, ScriptStep step, List<Receipt.Body> marks)
      implements ScriptMessage {}

  /// It records values without a step: an item of `all` failed, or the script ends.
  ///
  /// @param cancels the beginning of the labels of steps that are cancelled; empty for none
  record Note(List<Receipt.Body> marks, String cancels) implements ScriptMessage {}

  /// It has waited for long and may leave memory.
  record Leave() implements ScriptMessage {}

  /// It cannot continue: its steps differ from the recorded ones, or an `Error` ended it.
  record Stop(Throwable why) implements ScriptMessage {}
}
