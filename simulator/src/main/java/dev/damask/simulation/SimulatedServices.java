package dev.damask.simulation;

import dev.damask.effect.EffectCall;
import dev.damask.task.Delivery;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The external services that effects call. They survive every crash and remember each call, so
/// they can report whether the engine has kept its guarantees.
final class SimulatedServices {
  private record Sent(String key, Context with, int life) {}

  private final Map<String, Sent> firstSends = new HashMap<>();
  private final Map<String, String> owners = new HashMap<>();
  private final Set<String> applied = new HashSet<>();
  private final Map<String, Integer> appliedByTask = new HashMap<>();
  private final Map<String, List<String>> order = new HashMap<>();
  private final Set<String> notSent = new HashSet<>();
  private final Simulation simulation;

  SimulatedServices(Simulation simulation) {
    this.simulation = simulation;
  }

  /// The handler could not send the request, and says so.
  void notSent(EffectCall call) {
    notSent.add(effect(call));
  }

  private static String effect(EffectCall call) {
    return call.caseId() + "/" + call.id();
  }

  /// A handler is called with a request.
  ///
  /// @param userKey whether the key is the user's, and so other effects may have it as well
  void sent(EffectCall call, int life, boolean userKey) {
    String effect = effect(call);
    boolean wasNotSent = notSent.remove(effect);
    Sent first = firstSends.putIfAbsent(effect, new Sent(call.key(), call.with(), life));
    String owner = owners.putIfAbsent(call.key(), effect);
    if (owner != null && !owner.equals(effect) && !userKey) {
      throw new InvariantViolation("I3", "one key for two effects: " + call + " and " + owner);
    }
    if (first == null) {
      return;
    }
    if (call.delivery() == Delivery.AT_MOST_ONCE && wasNotSent) {
      simulation.count(CoveragePoint.NOT_SENT_AND_REPEATED);
    } else if (call.delivery() == Delivery.AT_MOST_ONCE) {
      throw new InvariantViolation("I3", "called a second time although at most once: " + call);
    }
    if (!first.key.equals(call.key()) || !first.with.equals(call.with())) {
      throw new InvariantViolation("I3", "sent again with another key or payload: " + call);
    }
    if (first.life != life) {
      simulation.count(CoveragePoint.EFFECT_REPEATED_AFTER_CRASH);
      if (call.task().startsWith("undo")) {
        simulation.count(CoveragePoint.UNDO_INTERRUPTED_BY_CRASH);
      }
    }
  }

  /// A request takes effect; a second one with the same key does nothing.
  void apply(EffectCall call) {
    if (applied.add(call.key())) {
      appliedByTask.merge(call.caseId() + "/" + call.task(), 1, Integer::sum);
      order.computeIfAbsent(call.caseId(), _ -> new ArrayList<>()).add(call.task());
    }
  }

  /// The tasks of a case in the order they took effect.
  List<String> order(String caseId) {
    return order.getOrDefault(caseId, List.of());
  }

  /// How often a task of a case took effect.
  int applied(String caseId, String task) {
    return appliedByTask.getOrDefault(caseId + "/" + task, 0);
  }
}
