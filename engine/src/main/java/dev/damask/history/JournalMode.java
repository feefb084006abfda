package dev.damask.history;

/// What a store keeps of the inputs of a case.
public enum JournalMode {
  /// Nothing. States between two commits cannot be computed, and a case cannot become a scenario.
  NONE,
  /// The inputs of each commit, in the order they were applied, until the case is removed. Results
  /// and failures of effects are kept in their receipts only.
  INPUTS
}
