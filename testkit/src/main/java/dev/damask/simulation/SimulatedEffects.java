package dev.damask.simulation;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Effects;
import dev.damask.task.EffectId;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/// Calls to a world that answers late, twice, wrongly, or after the engine has died.
final class SimulatedEffects implements Effects {
  private final Simulation simulation;
  private final Sink sink;
  private final int life;
  private final Set<String> withdrawn = new HashSet<>();
  private int open;
  private long calls;

  SimulatedEffects(Simulation simulation, Sink sink, int life) {
    this.simulation = simulation;
    this.sink = sink;
    this.life = life;
  }

  @Override
  public void start(EffectCall call, EffectHandler handler, boolean userKey) {
    simulation.invariants.called(call);
    withdrawn.remove(name(call.caseId(), call.id()));
    open++;
    calls++;
    simulation.world.sent(call, life);
    simulation.perform(call, life, result -> finish(call, result));
    simulation.pass(Moment.CALLED);
  }

  private void finish(EffectCall call, EffectResult result) {
    open--;
    if (withdrawn.contains(name(call.caseId(), call.id()))) {
      simulation.count(Situation.KILL_RACING_WITH_RESULT);
    }
    sink.report(call, result);
    simulation.pass(Moment.ANSWERED);
  }

  @Override
  public void withdraw(String caseId, EffectId id) {
    // The interrupt may come too late: the answer is under way all the same.
    if (open > 0) {
      simulation.count(Situation.CANCEL_WITH_RUNNING_EFFECTS);
    }
    withdrawn.add(name(caseId, id));
  }

  private static String name(String caseId, EffectId id) {
    return caseId + "/" + id;
  }

  @Override
  public void settled(String caseId, EffectId id, String type, String key) {
    // Keys of users are not simulated.
  }

  @Override
  public long calls() {
    return calls;
  }

  @Override
  public int open() {
    return 0; // never so many that new cases would have to wait
  }

  @Override
  public void close(Duration grace) {}
}
