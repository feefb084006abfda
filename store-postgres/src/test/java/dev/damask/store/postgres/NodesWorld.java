package dev.damask.store.postgres;

import dev.damask.database.VirtualDatabase;
import dev.damask.effect.EffectCall;
import dev.damask.process.VirtualHost;
import dev.damask.process.VirtualProcess;
import dev.damask.simulation.InvariantViolation;
import dev.damask.task.Delivery;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// The services that the cases call. It remembers every call.
final class NodesWorld {
  private static final int CALL_MILLIS = 600;

  /// Longer than an engine that leaves waits for its calls.
  private static final int LONG_CALL_MILLIS = 3_000;

  /// A call that was made.
  private static final class Made {
    final VirtualProcess by;
    final String payload;
    final boolean isOnce;
    boolean isOver;

    Made(VirtualProcess by, EffectCall call) {
      this.by = by;
      this.payload = call.with().toString();
      this.isOnce = call.delivery() == Delivery.AT_MOST_ONCE;
    }
  }

  private final VirtualHost host;
  private final VirtualDatabase database;
  private final Consumer<InvariantViolation> violated;
  private final Map<String, List<Made>> calls = new HashMap<>();

  NodesWorld(VirtualHost host, VirtualDatabase database, Consumer<InvariantViolation> violated) {
    this.host = host;
    this.database = database;
    this.violated = violated;
  }

  /// Performs a call on a node.
  Map<String, Object> perform(VirtualProcess process, EffectCall call) throws InterruptedException {
    String key = call.type() + " " + call.key();
    List<Made> made = calls.computeIfAbsent(key, _ -> new ArrayList<>());
    Made now = new Made(process, call);
    host.note("calls " + key + " for " + call.caseId() + " attempt " + call.attempt());
    for (Made each : made) {
      if (each.isOnce) {
        violated.accept(new InvariantViolation("I3", key + " is sent twice"));
      }
      if (!each.payload.equals(now.payload)) {
        violated.accept(new InvariantViolation("I3", key + " has two payloads"));
      }
      if (!each.isOver && each.by != process && isUnfenced(each.by)) {
        violated.accept(
            new InvariantViolation(
                "N3", key + " is called again while " + each.by + " calls it unfenced"));
      }
    }
    made.add(now);
    try {
      Thread.sleep(1 + host.below(host.below(4) == 0 ? LONG_CALL_MILLIS : CALL_MILLIS));
    } finally {
      now.isOver = true;
    }
    return Map.of();
  }

  /// Returns whether a process is a node that may work.
  private boolean isUnfenced(VirtualProcess process) {
    return process.isAlive()
        && database.rows("damask.node", "address", process.name()).stream()
            .anyMatch(row -> !row.flag("fenced"));
  }
}
