package dev.damask.nursery;

/// The reason why a nursery refused a child.
public enum RefusalReason {
  /// It no longer accepts children.
  NOT_OPEN,
  /// Its budget has no spawn left, or less than the child's grant.
  BUDGET_USED_UP
}
