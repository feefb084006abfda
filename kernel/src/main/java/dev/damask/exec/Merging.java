package dev.damask.exec;

import dev.damask.task.Context;
import dev.damask.task.MergeFunction.BranchValue;
import dev.damask.term.Merge;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// How contexts that meet become one.
final class Merging {
  private Merging() {}

  /// A context and when each of its keys was written.
  record Stamped(Context context, Context stamps) {}

  /// What one branch did to a key.
  private record Write(int branch, @Nullable Object value, boolean present, long stamp) {}

  /// Notes the step of every write between two contexts.
  static Context stamp(Context stamps, Context before, Context after, long step) {
    Context[] marked = {stamps};
    after.changesSince(before, (key, value, present) -> marked[0] = marked[0].with(key, step));
    return marked[0];
  }

  /// Merges what the branches of a block delivered, in branch order, over what they started with.
  static Stamped merge(Merge merge, Stamped base, JoinCounter join, long step) {
    if (merge == Merge.Standard.OVERLAY) {
      return overlay(base, join);
    }
    if (join.gotCount == 1) {
      for (int i = 0; i < join.got.length; i++) {
        Context only = join.got[i];
        if (only != null) {
          return new Stamped(only, stampsOf(join, i));
        }
      }
    }
    TreeMap<String, List<Write>> writes = new TreeMap<>();
    for (int i = 0; i < join.got.length; i++) {
      Context delivered = join.got[i];
      if (delivered == null || delivered == base.context()) {
        continue;
      }
      int branch = join.selected[i];
      Context stamps = stampsOf(join, i);
      delivered.changesSince(
          base.context(),
          (key, value, present) ->
              writes
                  .computeIfAbsent(key, k -> new ArrayList<>(2))
                  .add(new Write(branch, value, present, stampAt(stamps, key))));
    }
    return apply(merge, base, writes, step);
  }

  private static Context stampsOf(JoinCounter join, int index) {
    Context stamps = join.gotStamps == join.got ? null : join.gotStamps[index];
    return stamps == null ? Context.empty() : stamps;
  }

  private static Stamped overlay(Stamped base, JoinCounter join) {
    Context context = base.context();
    Context stamps = base.stamps();
    for (int i = 0; i < join.got.length; i++) {
      Context delivered = join.got[i];
      if (delivered != null) {
        context = context.withAll(delivered);
        stamps = stamps.withAll(stampsOf(join, i));
      }
    }
    return new Stamped(context, stamps);
  }

  private static Stamped apply(
      Merge merge, Stamped base, TreeMap<String, List<Write>> writes, long step) {
    if (merge == Merge.Standard.FAIL) {
      requireNoConflict(writes);
    }
    Context context = base.context();
    Context stamps = base.stamps();
    for (Map.Entry<String, List<Write>> entry : writes.entrySet()) {
      String key = entry.getKey();
      Write write = settle(merge, base.context(), key, entry.getValue(), step);
      context = write.present() ? context.with(key, write.value()) : context.without(key);
      if (write.stamp() > 0) {
        stamps = stamps.with(key, write.stamp());
      }
    }
    return new Stamped(context, stamps);
  }

  /// The write that wins, or the one that settles a conflict.
  private static Write settle(
      Merge merge, Context base, String key, List<Write> writes, long step) {
    if (!isConflict(writes)) {
      return writes.getLast();
    }
    return switch (merge) {
      case Merge.Standard.FIRST -> writes.getFirst();
      case Merge.Standard.COLLECT -> {
        List<@Nullable Object> values = new ArrayList<>();
        writes.stream().filter(Write::present).forEach(write -> values.add(write.value()));
        yield new Write(-1, values, true, step);
      }
      case Merge.Custom(var name, var function) -> {
        List<BranchValue> values = new ArrayList<>();
        writes.forEach(write -> values.add(new BranchValue(write.branch(), write.value())));
        yield new Write(
            -1, custom(name, () -> function.merge(key, base.get(key), values)), true, step);
      }
      default -> writes.getLast();
    };
  }

  private static @Nullable Object custom(
      String name, java.util.function.Supplier<@Nullable Object> function) {
    try {
      return dev.damask.task.Values.of(function.get());
    } catch (RuntimeException e) {
      throw new Trouble(Failure.EXCEPTION, "merge function " + name + ": " + e);
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

  private static void requireNoConflict(TreeMap<String, List<Write>> writes) {
    List<String> keys = new ArrayList<>();
    writes.forEach((key, list) -> {
      if (isConflict(list)) {
        keys.add(key);
      }
    });
    if (!keys.isEmpty()) {
      throw new Trouble(Failure.MERGE_CONFLICT, "branches changed to different values: " + keys);
    }
  }

  /// Fuses the tokens that meet at a graph join, in arc order.
  static Stamped fuse(Merge merge, List<Stamped> parts) {
    Stamped result = parts.getFirst();
    for (int i = 1; i < parts.size(); i++) {
      result =
          merge == Merge.Standard.OVERLAY
              ? new Stamped(
                  result.context().withAll(parts.get(i).context()),
                  result.stamps().withAll(parts.get(i).stamps()))
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
}
