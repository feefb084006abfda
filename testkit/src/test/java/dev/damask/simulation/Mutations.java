package dev.damask.simulation;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.store.CaseQuery;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.task.Context;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// What some mutants do instead of the right thing. Public, as classes of the engine call it.
public final class Mutations {
  /// By case and address, for the mutant that looks there.
  private static final IdentityHashMap<Object, Map<Integer, Object>> JOINS =
      new IdentityHashMap<>();

  private Mutations() {}

  /// The counter of a block that is open at the same address in the same case; else the given one.
  public static Object byAddress(Object counter, Object state, int address)
      throws ReflectiveOperationException {
    Map<Integer, Object> joins = JOINS.computeIfAbsent(state, _ -> new HashMap<>());
    Object before = joins.get(address);
    if (before != null) {
      Method isDecided = before.getClass().getDeclaredMethod("isDecided");
      isDecided.setAccessible(true);
      if (Boolean.FALSE.equals(isDecided.invoke(before))) {
        return before;
      }
    }
    joins.put(address, counter);
    return counter;
  }

  /// The receipt is written although nothing has happened, and often nothing ever will.
  static void reportAtOnce(
      Simulation run, EffectCall call, int life, Consumer<EffectResult> report) {
    run.later(0, life, "result", () -> report.accept(new EffectResult.Ok(Context.empty())));
    run.later(2_000, life, "world", () -> run.world.apply(call));
  }

  /// A record that cannot be read ends the reading, and what stood behind it is gone.
  static MemoryStore truncated(MemoryStore disk) {
    var cases = disk.list(CaseQuery.ALL).cases();
    if (cases.size() > 1) {
      String last = cases.getLast().caseId();
      disk.commit(new CommitBatch(List.of(), List.of(), List.of(last))).join();
    }
    return disk.reopened();
  }
}
