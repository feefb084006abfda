package dev.damask.script;

import dev.damask.effect.CaseScope;
import dev.damask.effect.ScriptUnwound;
import dev.damask.nursery.ErrorPolicy;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// One `all` of a script: its items run as strands of their own. They begin in the order of the
/// list; in which order they end is free.
///
/// @param <T> an item
/// @param <R> the result of an item
public final class ScriptItems<T, R extends @Nullable Object> {
  static final String NAME = "all";

  /// The work of one item.
  @FunctionalInterface
  public interface Work<T, R extends @Nullable Object> {
    /// Performs the steps of an item.
    R of(T item) throws Exception;
  }

  /// How an item ended.
  private record Ended<R extends @Nullable Object>(
      @Nullable R result, @Nullable Exception failure) {}

  private final ScriptRun run;
  private final Strand parent;
  private final List<T> items;
  private final int limit;
  private final Work<? super T, ? extends R> work;
  private final String label;
  private final List<@Nullable Ended<R>> ended;

  /// The items that were begun in this run. Guarded by `ended`.
  private final BitSet performed = new BitSet();

  /// The index of the item that failed first; -1 while none has. Guarded by this.
  private int failed = -1;

  ScriptItems(
      ScriptRun run, Strand parent, List<T> items, int limit, Work<? super T, ? extends R> work) {
    if (limit < 1) {
      throw new IllegalArgumentException("all: the limit is at least 1, got " + limit);
    }
    this.run = run;
    this.parent = parent;
    this.items = List.copyOf(items);
    this.limit = limit;
    this.work = work;
    this.label = parent.next(NAME);
    this.ended = new ArrayList<>(Collections.nCopies(items.size(), null));
  }

  List<R> run() throws Exception {
    int decided = run.failedItem(parent, label);
    if (decided >= 0) {
      throw repeated(decided);
    }
    if (run.plan.port().mayBlock()) {
      inParallel();
    } else {
      inTurn();
    }
    run.throwIfLeft();
    if (failed >= 0) {
      repeatOthers();
      throw failure(failed);
    }
    List<R> results = new ArrayList<>();
    for (Ended<R> each : ended) {
      if (each == null) {
        throw run.unwind(label + " has no result yet");
      }
      results.add(result(each));
    }
    return results;
  }

  @SuppressWarnings("NullAway") // an item without a failure has a result, which may be null
  private static <R extends @Nullable Object> R result(Ended<R> each) {
    return each.result();
  }

  /// What the paths of the items of an `all` begin with. An address of a task has no other `#` than
  /// that of its occurrence.
  static String items(String label) {
    return label.replace('#', ' ') + ":";
  }

  private Exception failure(int index) {
    Ended<R> found = ended.get(index);
    Exception failure = found == null ? null : found.failure();
    if (failure == null) {
      throw run.diverged("item %d of %s does not fail, as it is recorded".formatted(index, label));
    }
    return failure;
  }

  /// An item failed in an earlier run: all repeat what is recorded of them.
  private Exception repeated(int index) {
    for (int i = 0; i < items.size(); i++) {
      perform(i, true);
    }
    run.throwIfLeft();
    return failure(index);
  }

  /// An item has failed: those that had begun in an earlier run repeat what is recorded of them, so
  /// that their steps are asked for and can be undone.
  private void repeatOthers() {
    for (int i = 0; i < items.size(); i++) {
      if (!hasRun(i) && run.hasBegun(path(i))) {
        perform(i, true);
      }
    }
    run.throwIfLeft();
  }

  private boolean hasRun(int index) {
    synchronized (ended) {
      return performed.get(index);
    }
  }

  private void inParallel() {
    AtomicInteger next = new AtomicInteger();
    NurseryOptions options = NurseryOptions.named("all").withPolicy(ErrorPolicy.SUPERVISE);
    try (Nursery nursery = Nursery.open(options)) {
      for (int i = 0; i < Math.min(limit, items.size()); i++) {
        nursery.launch(
            "items",
            _ -> {
              var _ = CaseScope.in(run.call(), () -> performed(next));
            });
      }
      var _ = nursery.awaitAll();
    } catch (InterruptedException e) {
      throw run.unwind("the script was interrupted");
    }
  }

  /// Performs items until none is left, one failed, or one has not come to its end. Returns how
  /// many have.
  private int performed(AtomicInteger next) {
    int count = 0;
    for (int at = next.getAndIncrement(); at < items.size(); at = next.getAndIncrement()) {
      if (hasFailed() || !perform(at, false)) {
        return count;
      }
      count++;
    }
    return count;
  }

  private synchronized boolean hasFailed() {
    return failed >= 0;
  }

  /// Items that have begun continue, in random order, then others begin while there is room.
  private void inTurn() {
    List<Integer> begun = new ArrayList<>();
    List<Integer> fresh = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      (run.hasBegun(path(i)) ? begun : fresh).add(i);
    }
    Collections.shuffle(begun, new Random(run.plan.call().id().lineage() + run.plan.number()));
    begun.addAll(fresh);
    int waiting = 0;
    for (int index : begun) {
      if (waiting < limit && !hasFailed() && !perform(index, false)) {
        waiting++;
      }
    }
  }

  private String path(int index) {
    return items(label) + index;
  }

  /// Runs one item; false when it has not come to its end.
  private boolean perform(int index, boolean isClosed) {
    synchronized (ended) {
      performed.set(index);
    }
    try {
      T item = items.get(index);
      R result = run.within(new Strand(path(index), isClosed), () -> work.of(item));
      end(index, new Ended<>(result, null));
      return true;
    } catch (ScriptUnwound e) {
      return false;
    } catch (ScriptDivergedException | Error e) { // the script cannot go on, not only this item
      var _ = run.stop(e);
      return false;
    } catch (Exception e) {
      end(index, new Ended<>(null, e));
      if (!isClosed && isFirstFailure(index)) {
        run.recordFailed(label, index);
      }
      return true;
    }
  }

  private void end(int index, Ended<R> how) {
    synchronized (ended) {
      ended.set(index, how);
    }
  }

  private synchronized boolean isFirstFailure(int index) {
    boolean isFirst = failed < 0;
    failed = isFirst ? index : failed;
    return isFirst;
  }
}
