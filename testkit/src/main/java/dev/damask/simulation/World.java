package dev.damask.simulation;

import dev.damask.effect.EffectCall;
import dev.damask.task.Context;
import dev.damask.task.Delivery;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// The other side of every effect. It survives every crash, remembers what it was sent, and so can
/// say whether the engine has kept its promises.
final class World {
  private record Sent(String key, Context with, int life) {}

  private final Map<String, Sent> firstSends = new HashMap<>();
  private final Map<String, String> owners = new HashMap<>();
  private final Set<String> applied = new HashSet<>();
  private final Map<String, Integer> appliedByTask = new HashMap<>();
  private final Simulation simulation;

  World(Simulation simulation) {
    this.simulation = simulation;
  }

  /// A request has arrived.
  void sent(EffectCall call, int life) {
    String effect = call.caseId() + "/" + call.id();
    Sent first = firstSends.putIfAbsent(effect, new Sent(call.key(), call.with(), life));
    String owner = owners.putIfAbsent(call.key(), effect);
    if (owner != null && !owner.equals(effect)) {
      throw new Violation("I3", "one key for two effects: " + call + " and " + owner);
    }
    if (first == null) {
      return;
    }
    if (call.delivery() == Delivery.AT_MOST_ONCE) {
      throw new Violation("I3", "sent a second time although at most once: " + call);
    }
    if (!first.key.equals(call.key()) || !first.with.equals(call.with())) {
      throw new Violation("I3", "sent again with another key or payload: " + call);
    }
    if (first.life != life) {
      simulation.count(Situation.EFFECT_REPEATED_AFTER_CRASH);
      if (call.task().startsWith("undo")) {
        simulation.count(Situation.UNDO_INTERRUPTED_BY_CRASH);
      }
    }
  }

  /// A request takes effect; a second one with the same key does nothing.
  void apply(EffectCall call) {
    if (applied.add(call.key())) {
      appliedByTask.merge(call.caseId() + "/" + call.task(), 1, Integer::sum);
    }
  }

  /// How often a task of a case took effect.
  int applied(String caseId, String task) {
    return appliedByTask.getOrDefault(caseId + "/" + task, 0);
  }
}
