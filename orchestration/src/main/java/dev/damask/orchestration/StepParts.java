package dev.damask.orchestration;

import java.util.Map;

/// What the steps of all graphs share.
record StepParts(RuleSource.Cache rules, SecretStore vault, StepObserver watch) {
  /// For graphs that are looked at and not run.
  static StepParts of(RuleSource.Cache rules) {
    return new StepParts(rules, new SecretStore(_ -> Map.of()), StepObserver.NOBODY);
  }
}
