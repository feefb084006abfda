package dev.damask.script;

import dev.damask.task.EffectId;

/// The identity of a step: it depends on the execution of the script's task and on the step's path,
/// name and occurrence, which are its label.
public final class StepId {
  private StepId() {}

  /// Returns the id of a step.
  ///
  /// @param script the id of the execution of the script's task
  /// @param label the script and the step, such as `fulfil/all:2/pick#2`
  public static EffectId of(EffectId script, String label) {
    long hash = script.lineage();
    for (int i = 0; i < label.length(); i++) {
      hash = (hash ^ label.charAt(i)) * 0x9E3779B97F4A7C15L;
      hash = (hash ^ hash >>> 29) * 0xBF58476D1CE4E5B9L;
      hash ^= hash >>> 32;
    }
    return new EffectId(hash);
  }
}
