package dev.damask.exec;

import dev.damask.program.Pool;
import dev.damask.task.Context;
import dev.damask.task.ExpressionFailure;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Sets of instances: spawning, adding, collecting, firing.
final class Instances {
  static final String INDEX = "index";
  static final String ITEM = "item";

  private final Machine machine;

  Instances(Machine machine) {
    this.machine = machine;
  }

  /// Retires the token and starts the instances.
  void spawn(ExecState state, Token token, int index) {
    Pool.Instances spec = machine.pools.instances()[index];
    InstancePolicy policy = spec.policy();
    Object value = machine.value(policy.count(), token.context);
    List<?> items = value instanceof List<?> list ? list : null;
    long count =
        items != null
            ? items.size()
            : machine.natural(policy.count(), token.context, "a number of instances");
    requireBounds(policy, count);
    long need = -1;
    if (policy.need() instanceof InstancePolicy.Need.Count(var expression)) {
      need = machine.natural(expression, token.context, "the need of an mi");
    }

    Frame frame = machine.openBeside(state, Frame.Kind.SET, token, index);
    frame.loops = token.loops;
    InstanceSet set = new InstanceSet();
    set.need = need;
    set.sealed = !policy.open();
    frame.set = set;
    state.named(spec.name()).put(frame.id, frame);
    machine.remove(state, token);
    for (int i = 0; i < count; i++) {
      Context extra = items == null ? Context.empty() : Context.of(ITEM, items.get(i));
      make(state, frame, set, extra);
    }
    machine.trace(state, TraceEvent.Kind.FORKED, "MI-SPAWN", token, "", count + " instances");
    if (count == 0 || need == 0) {
      fire(state, frame);
    }
  }

  private void requireBounds(InstancePolicy policy, long count) {
    if (count < policy.min() || count > policy.max()) {
      throw new Trouble(
          Failure.MI_BOUNDS,
          "expected " + policy.min() + " to " + policy.max() + " instances, found " + count);
    }
    if (count > machine.limits.instances()) {
      throw new Trouble(
          Failure.MI_BOUNDS,
          "limit instances: at most " + machine.limits.instances() + ", found " + count);
    }
  }

  private void make(ExecState state, Frame frame, InstanceSet set, Context extra) {
    int number = ++set.made;
    long lineage = Lineage.of(frame.lineage, number);
    Context context = frame.entry.withAll(extra).with(INDEX, number);
    Frame instance =
        new Frame(++state.lastId, Frame.Kind.INSTANCE, frame, number, context, lineage);
    frame.attach(instance);
    Context stamps = frame.entryStamps;
    if (machine.stamps) {
      stamps = Merging.stamp(stamps, frame.entry, context, state.steps);
    }
    Pool.Instances spec = machine.pools.instances()[frame.spec];
    state.wake(machine.newToken(state, instance, spec.body(), context, stamps, lineage));
  }

  /// The main token of an instance has reached its end.
  void deliver(ExecState state, Token token) {
    Frame instance = token.frame;
    Frame frame = instance.outer();
    InstanceSet set = set(frame);
    machine.remove(state, token);
    Invariant.check(!instance.delivered, "I3 an instance delivers once", instance.id);
    instance.delivered = true;
    if (!set.fired) {
      set.got.put(instance.spec, token.context);
      check(state, frame);
    }
    machine.cancellation.closeIfEmpty(state, instance);
  }

  /// An instance has ended without delivering.
  void died(ExecState state, Frame frame) {
    InstanceSet set = set(frame);
    set.dead++;
    if (!set.fired && set.alive() == 0 && !set.got.isEmpty()) {
      fire(state, frame);
    }
  }

  /// Whether the completion that has just come was enough.
  private void check(ExecState state, Frame frame) {
    InstanceSet set = set(frame);
    InstancePolicy policy = machine.pools.instances()[frame.spec].policy();
    boolean enough =
        switch (policy.need()) {
          case InstancePolicy.Need.All() -> false;
          case InstancePolicy.Need.Count(var count) -> set.got.size() >= set.need;
          case InstancePolicy.Need.When(var condition) -> {
            try {
              yield condition.test(set.got.size(), set.made, set.results());
            } catch (ExpressionFailure e) {
              raise(state, frame, Failure.EXPRESSION, String.valueOf(e.getMessage()));
              yield false;
            } catch (RuntimeException e) {
              raise(state, frame, Failure.EXPRESSION, condition.text() + ": " + e);
              yield false;
            }
          }
        };
    if (!frame.closed && (enough || set.alive() == 0)) {
      fire(state, frame);
    }
  }

  private void raise(ExecState state, Frame frame, String reason, String detail) {
    int exit = machine.program.pools().instances()[frame.spec].continuation();
    String place = machine.program.source().at(exit - 1).toString();
    machine.cancellation.raise(state, frame.outer(), new Failure("", reason, detail, 1, place));
  }

  /// The flow goes on with what has been collected.
  void fire(ExecState state, Frame frame) {
    InstanceSet set = set(frame);
    Invariant.check(!set.fired, "I4 a set of instances fires at most once", frame.id);
    set.fired = true;
    set.sealed = true;
    Pool.Instances spec = machine.pools.instances()[frame.spec];
    InstancePolicy policy = spec.policy();
    Context context = frame.entry;
    Context stamps = frame.entryStamps;
    if (policy.collect() != null) {
      try {
        context = collected(frame, set, policy.collect());
      } catch (Trouble trouble) {
        raise(state, frame, trouble.reason, trouble.detail);
        return;
      }
      if (machine.stamps) {
        stamps = Merging.stamp(stamps, frame.entry, context, ++state.steps);
      }
    }
    frame.delivered = true;
    Token token =
        machine.exitToken(state, frame, spec.continuation(), context, stamps, Lineage.JOIN);
    machine.trace(
        state, TraceEvent.Kind.JOINED, "MI-JOIN", token, machine.pools.names()[spec.name()], "");
    if (policy.rest() == JoinPolicy.Rest.CANCEL) {
      for (Frame instance : frame.childList()) {
        if (!instance.delivered && !instance.closed) {
          machine.cancellation.end(
              state, instance, Undoing.Ending.of(Undoing.Ending.Kind.WITHDRAW));
        }
      }
    }
    machine.cancellation.closeIfEmpty(state, frame);
  }

  private Context collected(Frame frame, InstanceSet set, String key) {
    List<@Nullable Object> values = new ArrayList<>();
    set.got.values().forEach(context -> values.add(context.get(key)));
    return machine.fitting("after an mi ", () -> frame.entry.with(key + "_all", values));
  }

  /// Adds an instance to the first open activation that takes one.
  Reply add(ExecState state, int name, Context extra) {
    for (Frame frame : state.named(name).values()) {
      if (frame.set != null && !frame.set.sealed) {
        if (frame.set.made >= machine.limits.instances() || frame.set.made >= max(frame)) {
          return Reply.REJECTED;
        }
        make(state, frame, frame.set, extra);
        return Reply.ACCEPTED;
      }
    }
    return Reply.REJECTED;
  }

  private int max(Frame frame) {
    return machine.pools.instances()[frame.spec].policy().max();
  }

  Reply close(ExecState state, int name) {
    for (Frame frame : state.named(name).values()) {
      if (frame.set != null && !frame.set.sealed) {
        frame.set.sealed = true;
        return Reply.ACCEPTED;
      }
    }
    return Reply.REJECTED;
  }

  void addFromWithin(ExecState state, Frame from, int name, Context payload) {
    Frame frame = enclosing(from, name);
    if (frame == null) {
      add(state, name, payload);
    } else if (!set(frame).sealed
        && set(frame).made < machine.limits.instances()
        && set(frame).made < max(frame)) {
      make(state, frame, set(frame), payload);
    }
  }

  void closeFromWithin(ExecState state, Frame from, int name) {
    Frame frame = enclosing(from, name);
    if (frame == null) {
      close(state, name);
    } else {
      set(frame).sealed = true;
    }
  }

  /// The activation of a name that a frame stands in; null when it stands in none.
  private @Nullable Frame enclosing(Frame from, int name) {
    for (Frame frame = from; frame != null; frame = frame.parent) {
      if (frame.kind == Frame.Kind.SET && machine.pools.instances()[frame.spec].name() == name) {
        return frame;
      }
    }
    return null;
  }

  private static InstanceSet set(Frame frame) {
    return java.util.Objects.requireNonNull(frame.set);
  }
}
