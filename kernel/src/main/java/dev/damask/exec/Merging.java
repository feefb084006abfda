package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.exec.Machine.ReductionException;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.state.Frame;
import dev.damask.state.JoinCounter;
import dev.damask.state.Token;
import dev.damask.task.MergeFunction.BranchValue;
import dev.damask.term.Merge;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// How contexts that meet become one.
final class Merging {
  private final Writes writes;
  private final Frame block;
  private final JoinCounter join;
  private final long step;

  /// Merges what the branches of a block delivered.
  Merging(Writes writes, Frame block, long step) {
    this.writes = writes;
    this.block = block;
    this.join = Objects.requireNonNull(block.join);
    this.step = step;
  }

  /// A context and the stamps of its keys.
  record Stamped(Context context, Context stamps) {}

  /// What one branch did to a key.
  private record Write(int branch, @Nullable Object value, boolean present, long stamp) {}

  /// Merges the deliveries in branch order, over what the branches started with.
  Stamped merge(Merge merge, Stamped base) {
    if (merge == Merge.Standard.OVERLAY) {
      return overlay(base);
    }
    // In a branch of another block, what was written must be found again by that block's join.
    boolean alone = join.gotCount == 1 && (writes.all || block.base == null);
    for (int i = 0; alone && !(merge instanceof Merge.Collect) && i < join.got.length; i++) {
      Context only = join.got[i];
      if (only != null) {
        return new Stamped(only, stampsOf(join, i));
      }
    }
    if (!(merge instanceof Merge.Collect) && nothingWritten(base)) {
      return base;
    }
    TreeMap<String, List<Write>> all = new TreeMap<>();
    if (merge instanceof Merge.Collect(var keys)) {
      keys.forEach(key -> all.put(key, new ArrayList<>(2)));
    }
    for (int i = 0; i < join.got.length; i++) {
      Context delivered = join.got[i];
      if (delivered != null) {
        collect(base, delivered, i, all);
      }
    }
    return apply(merge, base, all);
  }

  /// Whether every branch delivered the very context and stamps it started with.
  private boolean nothingWritten(Stamped base) {
    for (int i = 0; i < join.got.length; i++) {
      Context delivered = join.got[i];
      if (delivered != null
          && (delivered != base.context() || stampsOf(join, i) != base.stamps())) {
        return false;
      }
    }
    return true;
  }

  /// Every key a branch wrote: its value or its stamp is no longer that of the fork.
  private void collect(
      Stamped base, Context delivered, int index, TreeMap<String, List<Write>> all) {
    int branch = join.selected[index];
    Context stamps = stampsOf(join, index);
    delivered.changesSince(
        base.context(),
        (key, value, present) ->
            all.computeIfAbsent(key, _ -> new ArrayList<>(2))
                .add(new Write(branch, value, present, stampAt(stamps, key))));
    if (join.byValue || stamps == base.stamps()) {
      return;
    }
    stamps.changesSince(
        base.stamps(),
        (key, _, _) -> {
          List<Write> list = all.computeIfAbsent(key, _ -> new ArrayList<>(2));
          if (list.isEmpty() || list.getLast().branch() != branch) {
            Object value = delivered.get(key);
            list.add(new Write(branch, value, delivered.has(key), stampAt(stamps, key)));
          }
        });
  }

  private static Context stampsOf(JoinCounter join, int index) {
    Context stamps = join.gotStamps == join.got ? null : join.gotStamps[index];
    return stamps == null ? Context.empty() : stamps;
  }

  private Stamped overlay(Stamped base) {
    Stamped result = base;
    for (int i = 0; i < join.got.length; i++) {
      Context delivered = join.got[i];
      if (delivered != null) {
        result = overlay(result, new Stamped(delivered, stampsOf(join, i)));
      }
    }
    if (writes.all) {
      return result;
    }
    // In a branch of another block, what was written must be found again by that block's join.
    Context context = result.context();
    Context[] stamps = {result.stamps()};
    context.changesSince(
        base.context(),
        (key, _, _) -> stamps[0] = writes.key(stamps[0], block, context, key, step));
    return new Stamped(context, stamps[0]);
  }

  /// Lays one context over another. The stamp of a key goes with its value, so a key that only the
  /// lower one wrote counts as not written where the upper one hides it.
  private static Stamped overlay(Stamped lower, Stamped upper) {
    Context[] stamps = {lower.stamps().withAll(upper.stamps())};
    if (!lower.stamps().isEmpty()) {
      upper
          .context()
          .forEach((key, _) -> {
            if (!upper.stamps().has(key)) {
              stamps[0] = stamps[0].without(key);
            }
          });
    }
    return new Stamped(lower.context().withAll(upper.context()), stamps[0]);
  }

  private Stamped apply(Merge merge, Stamped base, TreeMap<String, List<Write>> all) {
    if (merge == Merge.Standard.FAIL) {
      requireNoConflict(all);
    }
    Context context = base.context();
    Context stamps = base.stamps();
    for (Map.Entry<String, List<Write>> entry : all.entrySet()) {
      String key = entry.getKey();
      Write write = settle(merge, base.context(), key, entry.getValue());
      context = write.present() ? context.with(key, write.value()) : context.without(key);
      if (!writes.all) {
        stamps = writes.key(stamps, block, context, key, step);
      } else if (write.stamp() > 0) {
        stamps = stamps.with(key, write.stamp());
      }
    }
    return new Stamped(context, stamps);
  }

  /// The write that wins, or the one that settles what several branches wrote.
  private Write settle(Merge merge, Context base, String key, List<Write> list) {
    boolean several = list.size() > 1;
    return switch (merge) {
      case Merge.Standard.FIRST -> list.getFirst();
      case Merge.Standard standard when standard == Merge.Standard.COLLECT && several ->
          values(list);
      case Merge.Collect(var keys) when keys.contains(key) -> values(list);
      case Merge.Custom(var name, var function) when several -> {
        List<BranchValue> values = new ArrayList<>();
        list.forEach(write -> values.add(new BranchValue(write.branch(), write.value())));
        yield new Write(
            -1, custom(name, () -> function.merge(key, base.get(key), values)), true, step);
      }
      default -> list.getLast();
    };
  }

  private Write values(List<Write> list) {
    List<@Nullable Object> values = new ArrayList<>();
    list.stream().filter(Write::present).forEach(write -> values.add(write.value()));
    return new Write(-1, values, true, step);
  }

  private static @Nullable Object custom(
      String name, java.util.function.Supplier<@Nullable Object> function) {
    try {
      return dev.damask.value.Values.of(function.get());
    } catch (RuntimeException e) {
      throw new ReductionException(Failure.EXCEPTION, "merge function " + name + ": " + e);
    }
  }

  private static boolean isConflict(List<Write> writes) {
    Write first = writes.getFirst();
    for (Write write : writes) {
      if (write.present() != first.present() || !Objects.equals(write.value(), first.value())) {
        return true;
      }
    }
    return false;
  }

  private static void requireNoConflict(TreeMap<String, List<Write>> all) {
    List<String> keys = new ArrayList<>();
    all.forEach((key, list) -> {
      if (isConflict(list)) {
        keys.add(key);
      }
    });
    if (!keys.isEmpty()) {
      throw new ReductionException(
          Failure.MERGE_CONFLICT, "branches changed to different values: " + keys);
    }
  }

  /// Fuses the tokens that meet at a graph join, in arc order.
  static Stamped fuse(Merge merge, List<Stamped> parts) {
    Stamped result = parts.getFirst();
    for (int i = 1; i < parts.size(); i++) {
      result =
          merge == Merge.Standard.OVERLAY
              ? overlay(result, parts.get(i))
              : newest(result, parts.get(i));
    }
    return result;
  }

  /// For each key the entry with the newest stamp; a key without a stamp is as old as the case.
  static Stamped newest(Stamped one, Stamped other) {
    TreeSet<String> keys = new TreeSet<>(one.context().toMap().keySet());
    keys.addAll(other.context().toMap().keySet());
    // A key that both have lost still has a stamp, and a third may bring an older value of it.
    keys.addAll(other.stamps().toMap().keySet());
    Context context = one.context();
    Context stamps = one.stamps();
    for (String key : keys) {
      long mine = stampAt(one.stamps(), key);
      long theirs = stampAt(other.stamps(), key);
      boolean takes = theirs > mine || (theirs == mine && !one.context().has(key) && mine == 0);
      if (takes) {
        context =
            other.context().has(key)
                ? context.with(key, other.context().get(key))
                : context.without(key);
        stamps = theirs > 0 ? stamps.with(key, theirs) : stamps;
      }
    }
    return new Stamped(context, stamps);
  }

  private static long stampAt(Context stamps, String key) {
    return stamps.get(key) instanceof Long stamp ? stamp : 0;
  }

  /// Records who wrote which key, as far as values do not show it.
  ///
  /// ## What is stamped
  ///
  /// A program with a graph that merges by newest stamps every write with the number of its step.
  /// In every other program a write matters only to the join of the branch it happens in, and the
  /// join finds most writes by comparing values with those at the fork. Only a write that leaves a
  /// key with the value it had at the fork is stamped. Outside of branches nothing is.
  static final class Writes {
    /// Whether every write is stamped.
    final boolean all;

    /// Whether the program has a join that asks who wrote.
    final boolean any;

    /// By task the keys its function always writes; empty where only a comparison tells.
    private final List<List<String>> named;

    Writes(Program.Pools pools) {
      this.all = pools.stamps();
      this.any = pools.tracksWrites();
      this.named = Arrays.stream(pools.tasks()).map(Writes::named).toList();
    }

    private static List<String> named(Pool.Task task) {
      return task.function() == null ? List.of() : task.function().writtenKeys();
    }

    /// Whether writes in a frame may have to be stamped.
    boolean concern(Frame frame) {
      return all || (any && frame.base != null);
    }

    /// Stamps what a task function wrote.
    Context byTask(Token token, int task, Context before, Context after, long step) {
      List<String> keys = named.get(task);
      Context stamps = token.stamps;
      if (keys.isEmpty()) {
        return before == after ? stamps : changed(stamps, token.frame, before, after, step);
      }
      for (String key : keys) {
        stamps = key(stamps, token.frame, after, key, step);
      }
      return stamps;
    }

    private Context changed(Context from, Frame frame, Context before, Context after, long step) {
      Context[] stamps = {from};
      after.changesSince(
          before, (key, _, _) -> stamps[0] = key(stamps[0], frame, after, key, step));
      return stamps[0];
    }

    /// Stamps every key of what was written.
    Context keys(Context from, Frame frame, Context after, Context written, long step) {
      if (!concern(frame)) {
        return from;
      }
      Context[] stamps = {from};
      written.forEach((key, _) -> stamps[0] = key(stamps[0], frame, after, key, step));
      return stamps[0];
    }

    /// Stamps one key that was written or removed.
    Context key(Context stamps, Frame frame, Context after, String key, long step) {
      Context base = frame.base;
      boolean hidden = all || (any && base != null && isSame(base, after, key));
      return hidden ? stamps.with(key, step) : stamps;
    }

    private static boolean isSame(Context one, Context other, String key) {
      return Objects.equals(one.get(key), other.get(key)) && one.has(key) == other.has(key);
    }
  }
}
