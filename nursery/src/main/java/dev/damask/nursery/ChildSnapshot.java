package dev.damask.nursery;

import java.time.Duration;
import java.util.List;

/// A child at one moment: its state, its age (zero if its code has not begun), the object it waits
/// for, and the nurseries it owns. `waitsFor` is empty while it runs.
public record ChildSnapshot(
    String name, ChildState state, Duration age, String waitsFor, List<NurserySnapshot> nurseries) {
  public ChildSnapshot {
    nurseries = List.copyOf(nurseries);
  }
}
