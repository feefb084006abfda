package dev.damask.nursery;

import java.time.Duration;
import java.util.List;

/// A nursery with its descendants at one moment. `cancelled` is the reason as text, or empty.
public record NurserySnapshot(
    String name,
    NurseryState state,
    Duration age,
    String cancelled,
    long spawned,
    Amounts budgetLeft,
    List<ChildSnapshot> children) {
  public NurserySnapshot {
    children = List.copyOf(children);
  }

  /// Returns the tree as text for people, one line per nursery and child.
  public String toText() {
    return SnapshotText.of(this);
  }
}
