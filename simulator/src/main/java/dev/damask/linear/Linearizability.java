package dev.damask.linear;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Returns whether concurrent calls look as if they had happened one at a time, each at some moment
/// between its beginning and its answer.
///
/// The search is the one of Wing and Gong: of the calls that may be next, because none that has
/// returned was over before they began, take one whose answer the model returns, and continue from
/// there. Two ways to the same configuration, which is the set of calls taken and the state, lead
/// on to the same, so each configuration is looked at once. A pending call may be taken with any
/// answer, or never.
///
/// Cases know nothing of each other: check the calls of each case by themselves.
public final class Linearizability<S, C, A> {
  private static final int STATES_MAX = 2_000_000;

  private final SequentialModel<S, C, A> model;
  private final List<Operation<C, A>> operations;
  private final BitSet returned = new BitSet();
  private final Set<Configuration<S>> seen = new HashSet<>();
  private final Deque<Path<S>> open = new ArrayDeque<>();
  private Path<S> longest;

  private Linearizability(SequentialModel<S, C, A> model, List<Operation<C, A>> history) {
    this.model = model;
    this.operations = new ArrayList<>(history);
    operations.sort(Comparator.comparingLong(Operation::invoked));
    for (int i = 0; i < operations.size(); i++) {
      returned.set(i, !operations.get(i).isPending());
    }
    this.longest =
        new Path<>(new Configuration<>(new BitSet(), model.initial()), null, Path.START, 0);
  }

  /// Checks the calls of one object.
  public static <S, C, A> Linearization<C, A> check(
      SequentialModel<S, C, A> model, List<Operation<C, A>> history) {
    return check(model, history, STATES_MAX);
  }

  /// Searches as the other method does, with another bound.
  ///
  /// @param statesMax gives up after as many configurations
  public static <S, C, A> Linearization<C, A> check(
      SequentialModel<S, C, A> model, List<Operation<C, A>> history, int statesMax) {
    return new Linearizability<>(model, history).search(statesMax);
  }

  /// The calls that were taken, and the state they lead to.
  private record Configuration<S>(BitSet taken, S state) {}

  /// How a configuration was reached.
  ///
  /// @param before null at the start
  private record Path<S>(Configuration<S> at, @Nullable Path<S> before, int call, int length) {
    static final int START = -1;
  }

  private Linearization<C, A> search(int statesMax) {
    seen.add(longest.at());
    open.push(longest);
    while (!open.isEmpty()) {
      Path<S> path = open.pop();
      if (path.length() > longest.length()) {
        longest = path;
      }
      BitSet left = (BitSet) returned.clone();
      left.andNot(path.at().taken());
      if (left.isEmpty()) {
        return new Linearization.Linearizable<>(order(path), seen.size());
      }
      if (seen.size() > statesMax) {
        return new Linearization.GaveUp<>(seen.size());
      }
      for (int call : next(path.at().taken(), left)) {
        take(path, call);
      }
    }
    BitSet left = (BitSet) returned.clone();
    left.andNot(longest.at().taken());
    List<Operation<C, A>> stuck =
        next(longest.at().taken(), left).stream().map(operations::get).toList();
    return new Linearization.NotLinearizable<>(order(longest), stuck, seen.size());
  }

  /// The calls that may be next: no other one that is left was over before they began.
  private List<Integer> next(BitSet taken, BitSet left) {
    long firstReturn =
        left.stream().mapToLong(i -> operations.get(i).returned()).min().orElse(Operation.NEVER);
    List<Integer> next = new ArrayList<>();
    for (int i = taken.nextClearBit(0); i < operations.size(); i = taken.nextClearBit(i + 1)) {
      if (operations.get(i).invoked() > firstReturn) {
        break; // they are sorted by their beginning
      }
      next.add(i);
    }
    Collections.reverse(next); // the stack turns them round again: what began first is tried first
    return next;
  }

  private void take(Path<S> path, int call) {
    Operation<C, A> operation = operations.get(call);
    S state = path.at().state();
    for (SequentialModel.Step<S, A> step : model.steps(state, operation.call())) {
      boolean fits =
          operation.isPending()
              ? !step.after().equals(state) // no client received an answer, so only a change counts
              : Objects.equals(step.answer(), operation.answer());
      if (fits) {
        BitSet taken = (BitSet) path.at().taken().clone();
        taken.set(call);
        Configuration<S> reached = new Configuration<>(taken, step.after());
        if (seen.add(reached)) {
          open.push(new Path<>(reached, path, call, path.length() + 1));
        }
      }
    }
  }

  private List<Operation<C, A>> order(Path<S> last) {
    List<Operation<C, A>> order = new ArrayList<>();
    for (Path<S> path = last; path != null && path.call() >= 0; path = path.before()) {
      order.add(operations.get(path.call()));
    }
    Collections.reverse(order);
    return order;
  }
}
