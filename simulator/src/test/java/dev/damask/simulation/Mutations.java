package dev.damask.simulation;

import dev.damask.cases.EngineOptions;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.exec.ExecState;
import dev.damask.ops.ScheduledStarts;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.value.Context;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/// What some mutants do instead of the right thing. Public, as classes of the engine call it.
public final class Mutations {
  /// By case and address, for the mutant that looks there.
  private static final IdentityHashMap<Object, Map<Integer, Object>> JOINS =
      new IdentityHashMap<>();

  private static final IdentityHashMap<Store, Map<String, ProgramHash>> VERSIONS =
      new IdentityHashMap<>();

  private static final Map<Object, Object> DECLARED = new WeakHashMap<>();

  private static final IdentityHashMap<Object, Boolean> ROUNDS = new IdentityHashMap<>();

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

  /// The attributes of the program that a case in memory was first seen with.
  public static List<?> firstDeclared(Object live) throws ReflectiveOperationException {
    Object known = DECLARED.get(live);
    if (known == null) {
      known = ((ExecState) field(live, "state")).program().attributes();
      DECLARED.put(live, known);
    }
    return (List<?>) known;
  }

  /// Knows a message only as long as the case is in the version in which it was first asked.
  public static OptionalInt consumedByVersion(Store store, String caseId, String messageId) {
    Map<String, ProgramHash> seen = VERSIONS.computeIfAbsent(store, _ -> new HashMap<>());
    ProgramHash program = store.record(caseId).map(CaseRecord::program).orElse(null);
    if (program == null || !program.equals(seen.computeIfAbsent(caseId, _ -> program))) {
      return OptionalInt.empty();
    }
    return store.consumed(caseId, messageId);
  }

  public static void removeByPrefix(Map<String, ?> entries, String caseId) {
    entries.keySet().removeIf(each -> each.startsWith(caseId));
  }

  /// The last two of the records after a base, in the other order.
  public static List<Object> swapLast(Collection<?> records) {
    List<Object> all = new ArrayList<>(records);
    if (all.size() > 2) {
      Collections.swap(all, all.size() - 1, all.size() - 2);
    }
    return all;
  }

  private static int started;

  /// Starts a case with an id of its own, and stores the next time afterwards.
  public static CompletableFuture<Boolean> startThenAdvance(
      ScheduledStarts starts, String workflow, String caseId, Context input, List<RowChange> rows) {
    return starts
        .start(workflow, caseId + "-" + ++started, input, List.of())
        .thenCompose(_ -> starts.write(rows.getLast().row().key(), rows.getFirst().row(), rows))
        .thenApply(_ -> true);
  }

  @SuppressWarnings("EmptyCatch") // that is the bug
  public static Object ignoreFailure(CompletableFuture<?> future) {
    try {
      future.join();
    } catch (CompletionException e) {
      // Nobody is told.
    }
    return "";
  }

  /// A shard in its first round takes the timers that are due at this very millisecond for fired.
  public static void skipDue(Object shard) throws ReflectiveOperationException {
    if (ROUNDS.put(shard, true) != null) {
      return;
    }
    Object timers = field(shard, "timers");
    long now = ((EngineOptions) field(shard, "options")).clock().millis();
    Method next = timers.getClass().getDeclaredMethod("next");
    Method remove = timers.getClass().getDeclaredMethod("remove", String.class);
    next.setAccessible(true);
    remove.setAccessible(true);
    next.invoke(timers);
    for (Object due : List.copyOf((Collection<?>) field(timers, "soon"))) {
      if (((Store.DueCase) due).dueMillis() == now) {
        remove.invoke(timers, ((Store.DueCase) due).caseId());
      }
    }
  }

  private static Object field(Object owner, String name) throws ReflectiveOperationException {
    Field field = owner.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return Objects.requireNonNull(field.get(owner));
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
