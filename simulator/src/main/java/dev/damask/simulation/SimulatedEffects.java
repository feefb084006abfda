package dev.damask.simulation;

import dev.damask.effect.Computation;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Effects;
import dev.damask.task.EffectId;
import dev.damask.task.TaskFunction;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Calls to a world that answers late, twice, wrongly, or after the engine has died.
final class SimulatedEffects implements Effects {
  private final Simulation simulation;
  private final Sink sink;
  private final int life;
  private final Set<String> withdrawn = new HashSet<>();

  /// The calls with one user's key; the first is in flight, the others wait for its result.
  private final Map<String, ArrayDeque<EffectCall>> lines = new HashMap<>();

  /// The calls in progress of a type with a limit of one.
  private final Set<String> running = new LinkedHashSet<>();

  private int open;
  private long calls;

  SimulatedEffects(Simulation simulation, Sink sink, int life) {
    this.simulation = simulation;
    this.sink = sink;
    this.life = life;
  }

  @Override
  public void start(EffectCall call, EffectHandler handler, boolean userKey) {
    withdrawn.remove(name(call.caseId(), call.id()));
    if (userKey) {
      ArrayDeque<EffectCall> line = lines.computeIfAbsent(key(call), _ -> new ArrayDeque<>());
      EffectCall first = line.peekFirst();
      if (first != null && !isSame(first, call)) {
        line.addLast(call);
        return;
      }
      line.pollFirst();
      line.addFirst(call);
    }
    begin(call, userKey);
  }

  private void begin(EffectCall call, boolean userKey) {
    open++;
    EffectResult past = userKey ? known(call) : null;
    if (past != null) {
      simulation.later(1, life, "known result", () -> finish(call, past, true));
      return;
    }
    simulation.invariants.called(call, userKey);
    requirePermit(call);
    calls++;
    simulation.world.sent(call, life, userKey);
    simulation.perform(call, life, result -> finish(call, result, userKey));
    simulation.pass(CrashPoint.CALLED);
  }

  /// Of a limited type one call runs at a time, not counting those that were interrupted. A case
  /// that was quarantined has given its permit back, whatever its call does.
  private void requirePermit(EffectCall call) {
    if (!simulation.plan.isLimited() || !call.type().equals(SimulationPlan.ONE_AT_ONCE)) {
      return;
    }
    running.add(name(call.caseId(), call.id()));
    if (running.size() > 1 && simulation.counts[CoveragePoint.MOVE_BROKEN.ordinal()] == 0) {
      throw new InvariantViolation("L1", "more calls at once than the limit allows: " + running);
    }
    simulation.count(CoveragePoint.PERMIT_USED);
  }

  private @Nullable EffectResult known(EffectCall call) {
    EffectResult past = Objects.requireNonNull(simulation.engine()).finished(call);
    if (past != null) {
      boolean isSame = past instanceof EffectResult.Same;
      simulation.count(isSame ? CoveragePoint.USER_KEY_SHARED : CoveragePoint.USER_KEY_CONFLICT);
    }
    return past;
  }

  private static String key(EffectCall call) {
    return call.type() + "/" + call.key();
  }

  private static boolean isSame(EffectCall first, EffectCall second) {
    return first.caseId().equals(second.caseId()) && first.id().equals(second.id());
  }

  /// The first of a line leaves it, and the next one may try.
  private void leave(String key, Predicate<EffectCall> isFirst) {
    ArrayDeque<EffectCall> line = lines.get(key);
    EffectCall first = line == null ? null : line.peekFirst();
    if (line != null && first != null && isFirst.test(first)) {
      line.removeFirst();
      EffectCall next = line.peekFirst();
      if (next == null) {
        lines.remove(key);
      } else {
        begin(next, true);
      }
    }
  }

  @Override
  public void compute(EffectCall call, TaskFunction function) {
    open++;
    simulation.compute(life, () -> finish(call, Computation.run(call, function), false));
  }

  private void finish(EffectCall call, EffectResult result, boolean userKey) {
    open--;
    running.remove(name(call.caseId(), call.id()));
    if (withdrawn.contains(name(call.caseId(), call.id()))) {
      simulation.count(CoveragePoint.KILL_RACING_WITH_RESULT);
    }
    ArrayDeque<EffectCall> line = lines.get(key(call));
    if (userKey && (line == null || line.peekFirst() != call)) {
      return; // it was made again and gave its key to the newer call
    }
    boolean keepsKey =
        result instanceof EffectResult.Ok && !withdrawn.contains(name(call.caseId(), call.id()));
    if (!keepsKey) {
      leave(key(call), first -> first == call);
    }
    sink.report(call, result);
    simulation.pass(CrashPoint.ANSWERED);
  }

  @Override
  public void withdraw(String caseId, EffectId id) {
    // The interrupt may come too late: the answer still arrives.
    if (open > 0) {
      simulation.count(CoveragePoint.CANCEL_WITH_RUNNING_EFFECTS);
    }
    withdrawn.add(name(caseId, id));
    running.remove(name(caseId, id));
    for (ArrayDeque<EffectCall> line : lines.values()) {
      EffectCall first = line.peekFirst();
      line.removeIf(call -> call != first && call.caseId().equals(caseId) && call.id().equals(id));
    }
  }

  private static String name(String caseId, EffectId id) {
    return caseId + "/" + id;
  }

  @Override
  public void settled(String caseId, EffectId id, String type, String key) {
    leave(type + "/" + key, first -> first.caseId().equals(caseId) && first.id().equals(id));
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
  public List<String> close(Duration grace) {
    return List.of();
  }
}
