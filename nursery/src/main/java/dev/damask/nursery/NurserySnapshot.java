package dev.damask.nursery;

import java.time.Duration;
import java.util.List;

/// A nursery at one moment, with all that lives in it. `cancelled` is the reason in words, empty if
/// there is none.
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

  /// The tree as text, one line each, for people who want to know who has not come home.
  public String toText() {
    return SnapshotText.of(this);
  }
}
