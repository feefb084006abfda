package dev.damask.step;

import dev.damask.rule.RuleSource;
import dev.damask.task.ProcessInfo;
import dev.damask.value.Context;
import java.util.function.BiConsumer;

/// The parts that the steps of all graphs share.
///
/// @param observer is called with the input and the process of every evaluation that begins
public record StepParts(
    RuleSource.Cache rules, SecretSource secrets, BiConsumer<Context, ProcessInfo> observer) {
  /// Returns the parts for graphs that are checked, compiled or drawn, not run.
  public static StepParts of(RuleSource.Cache rules) {
    return new StepParts(rules, SecretSource.NONE, (_, _) -> {});
  }
}
