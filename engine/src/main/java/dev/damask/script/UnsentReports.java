package dev.damask.script;

import dev.damask.task.EffectId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The results of steps that a run has and its shard does not know yet.
///
/// Thread-safe. No result is reported twice, and none is on its way when [#sendAll] returns.
final class UnsentReports {
  /// How often the thread of a handler lets others run before it reports a result itself.
  private static final int TURNS = 8;

  private final Map<EffectId, Runnable> unsent = new LinkedHashMap<>(); // guarded by this

  /// Delivers a result to the run. The thread that the run continues on reports it before its next
  /// message. If that does not happen at once, this thread does.
  @SuppressWarnings("ThreadPriorityCheck") // correct without the yield, only slower
  void hand(EffectId step, Runnable delivery, Runnable report) {
    add(step, report);
    delivery.run();
    for (int i = 0; i < TURNS && has(step); i++) {
      Thread.yield();
    }
    send(step);
  }

  private synchronized void add(EffectId step, Runnable report) {
    unsent.put(step, report);
  }

  private synchronized boolean has(EffectId step) {
    return unsent.containsKey(step);
  }

  private synchronized void send(EffectId step) {
    Runnable report = unsent.get(step);
    if (report != null) {
      report.run(); // may overflow the stack of the script; then the handler's thread tries again
      unsent.remove(step);
    }
  }

  /// Reports all results, in the order in which the run got them.
  synchronized void sendAll() {
    List<EffectId> steps = unsent.isEmpty() ? List.of() : new ArrayList<>(unsent.keySet());
    steps.forEach(this::send);
  }
}
