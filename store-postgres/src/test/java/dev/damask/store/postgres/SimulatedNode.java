package dev.damask.store.postgres;

import dev.damask.cases.Engine;
import dev.damask.database.VirtualSource;
import dev.damask.process.VirtualProcess;
import org.jspecify.annotations.Nullable;

/// A process that runs an engine.
final class SimulatedNode {
  final VirtualProcess process;
  final VirtualSource source;
  @Nullable Engine engine; // null until it has joined and after it has left
  boolean isLeaving;
  long stalledUntil;
  long slowUntil;
  int slowMillis; // how long a message travels until then, at most
  long disturbedUntil;

  boolean isOpenAndStays() {
    return process.isAlive() && engine != null && !isLeaving;
  }

  SimulatedNode(VirtualProcess process, VirtualSource source) {
    this.process = process;
    this.source = source;
  }
}
