package dev.damask.nursery;

/// Why a nursery did not take a child.
public enum Refusal {
  /// It no longer accepts children.
  NOT_OPEN,
  /// Its budget has no spawn left, or not the amounts the child was to get.
  BUDGET_USED_UP
}
