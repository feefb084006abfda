package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.event.Reply;
import dev.damask.event.TraceEvent;
import dev.damask.exec.Machine.ReductionException;
import dev.damask.program.Pool;
import dev.damask.state.Frame;
import dev.damask.state.InstanceSet;
import dev.damask.state.Invariant;
import dev.damask.state.Token;
import dev.damask.state.Token.Lineage;
import dev.damask.state.Undoing;
import dev.damask.task.ExpressionFailure;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Sets of instances: spawning, adding, collecting, firing.
final class Instances {
  static final String INDEX = "index";
  static final String ITEM = "item";
  private static final String ALL = "_all";

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
    frame.setLoops(token.loops);
    InstanceSet set = new InstanceSet();
    set.setNeed(need);
    set.setSealed(!policy.isOpen());
    frame.setSet(set);
    state.openSets += awaitsClose(frame) ? 1 : 0;
    state.named(spec.name()).put(frame.id, frame);
    state.setCancelled(name(frame), false);
    machine.remove(state, token);
    for (int i = 0; i < count; i++) {
      Context extra = items == null ? Context.empty() : Context.of(ITEM, items.get(i));
      make(state, frame, set, extra);
    }
    machine.trace(state, TraceEvent.Kind.FORKED, "MI-SPAWN", token, "", count + " instances");
    if (need == 0 || (count == 0 && !awaitsClose(frame))) {
      fire(state, frame);
    }
  }

  private void requireBounds(InstancePolicy policy, long count) {
    if (count < policy.min() || count > policy.max()) {
      throw new ReductionException(
          Failure.MI_BOUNDS,
          "expected " + policy.min() + " to " + policy.max() + " instances, found " + count);
    }
    if (count > machine.limits.instances()) {
      throw new ReductionException(
          Failure.MI_BOUNDS,
          "limit instances: at most " + machine.limits.instances() + ", found " + count);
    }
  }

  private void make(ExecState state, Frame frame, InstanceSet set, Context extra) {
    set.setMade(set.made + 1);
    int number = set.made;
    long lineage = Lineage.of(frame.lineage, number);
    Context context = frame.entry.withAll(extra).with(INDEX, number);
    Frame instance =
        new Frame(++state.lastId, Frame.Kind.INSTANCE, frame, number, context, lineage);
    frame.attach(instance);
    Context stamps = frame.entryStamps;
    Context written = extra.with(INDEX, number);
    stamps = machine.writes.keys(stamps, instance, context, written, state.steps);
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
    instance.setDelivered(true);
    if (!set.fired) {
      set.deliver(frame, instance.spec, token.context);
      check(state, frame);
    }
    machine.cancellation.closeIfEmpty(state, instance);
  }

  /// An instance has ended without delivering.
  void died(ExecState state, Frame frame) {
    InstanceSet set = set(frame);
    set.setDead(set.dead + 1);
    if (!set.fired && !set.got.isEmpty() && hasRunOut(frame)) {
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
              yield condition.test(frame.entry, set.got.size(), set.made, set.results());
            } catch (ExpressionFailure e) {
              raise(state, frame, Failure.EXPRESSION, String.valueOf(e.getMessage()));
              yield false;
            } catch (RuntimeException e) {
              raise(state, frame, Failure.EXPRESSION, condition.text() + ": " + e);
              yield false;
            }
          }
        };
    if (!frame.closed && (enough || hasRunOut(frame))) {
      fire(state, frame);
    }
  }

  private void raise(ExecState state, Frame frame, String reason, String detail) {
    int exit = machine.program.pools().instances()[frame.spec].continuation();
    String place = machine.program.source().at(exit - 1).toString();
    Failure failure = new Failure("", reason, detail, 1, place);
    if (!machine.cancellation.raise(state, frame.outer(), failure)) {
      machine.cancellation.end(state, frame, Undoing.Ending.of(Undoing.Ending.Kind.WITHDRAW));
    }
  }

  /// The flow continues with what has been collected.
  void fire(ExecState state, Frame frame) {
    InstanceSet set = set(frame);
    Invariant.check(!set.fired, "I4 a set of instances fires at most once", frame.id);
    set.setFired(true);
    seal(state, frame);
    Pool.Instances spec = machine.pools.instances()[frame.spec];
    InstancePolicy policy = spec.policy();
    Context context = frame.entry;
    Context stamps = frame.entryStamps;
    if (policy.collect() != null) {
      try {
        context = collected(frame, set, policy.collect());
      } catch (ReductionException trouble) {
        raise(state, frame, trouble.reason, trouble.detail);
        return;
      }
      state.steps += machine.writes.all ? 1 : 0;
      String key = policy.collect() + ALL;
      stamps = machine.writes.key(stamps, frame, context, key, state.steps);
    }
    frame.setDelivered(true);
    Token token =
        machine.exitToken(state, frame, spec.continuation(), context, stamps, Lineage.JOIN);
    if (machine.writes.all && policy.collect() != null) {
      machine.wrote(state, token, "collected values");
    }
    machine.trace(
        state, TraceEvent.Kind.JOINED, "MI-JOIN", token, machine.pools.names()[spec.name()], "");
    if (policy.rest() == JoinPolicy.Rest.CANCEL) {
      List<Frame> rest =
          frame.childList().stream().filter(each -> !each.delivered && !each.closed).toList();
      machine.cancellation.withdrawAll(state, List.of(), rest);
    }
    machine.cancellation.closeIfEmpty(state, frame);
  }

  private Context collected(Frame frame, InstanceSet set, String key) {
    List<@Nullable Object> values = new ArrayList<>();
    set.got.values().forEach(context -> values.add(context.get(key)));
    return machine.fitting("after an mi ", () -> frame.entry.with(key + ALL, values));
  }

  /// Adds an instance to the first open activation that takes one.
  Reply add(ExecState state, int name, Context extra) {
    for (Frame frame : state.named(name).values()) {
      if (frame.set != null && !frame.set.sealed) {
        if (!takesMore(frame)) {
          return Reply.REJECTED;
        }
        make(state, frame, frame.set, extra);
        added(state, frame);
        return Reply.ACCEPTED;
      }
    }
    return Reply.REJECTED;
  }

  private boolean takesMore(Frame frame) {
    InstanceSet set = set(frame);
    int max = machine.pools.instances()[frame.spec].policy().max();
    return !set.sealed && set.made < machine.limits.instances() && set.made < max;
  }

  Reply close(ExecState state, int name) {
    for (Frame frame : state.named(name).values()) {
      if (frame.set != null && !frame.set.sealed) {
        close(state, frame);
        return Reply.ACCEPTED;
      }
    }
    return Reply.REJECTED;
  }

  /// Takes no further instance; a set that only waited for this has run out.
  private void close(ExecState state, Frame frame) {
    InstanceSet set = set(frame);
    boolean waited = awaitsClose(frame);
    seal(state, frame);
    machine.trace(state, TraceEvent.Kind.CLOSED, "MI-CLOSE", null, name(frame), "");
    if (waited && !set.fired && set.alive() == 0) {
      if (set.made == 0 || !set.got.isEmpty()) {
        fire(state, frame);
      } else {
        machine.cancellation.closeIfEmpty(state, frame);
      }
    }
  }

  private void added(ExecState state, Frame frame) {
    String detail = "instance " + set(frame).made;
    machine.trace(state, TraceEvent.Kind.ADDED, "MI-ADD", null, name(frame), detail);
  }

  private String name(Frame frame) {
    return machine.pools.names()[machine.pools.instances()[frame.spec].name()];
  }

  private void seal(ExecState state, Frame frame) {
    state.openSets -= awaitsClose(frame) ? 1 : 0;
    set(frame).setSealed(true);
  }

  /// A set is gone, whatever ended it.
  void settled(ExecState state, Frame frame) {
    seal(state, frame);
  }

  /// Whether the set stays open, also without an instance, until a caller closes it.
  boolean awaitsClose(Frame frame) {
    InstancePolicy policy = machine.pools.instances()[frame.spec].policy();
    return policy.open() == InstancePolicy.Open.UNTIL_CLOSED && !set(frame).sealed;
  }

  private boolean hasRunOut(Frame frame) {
    return set(frame).alive() == 0 && !awaitsClose(frame);
  }

  void addFromWithin(ExecState state, Token token, int name, Context payload) {
    Frame frame = enclosing(token.frame, name);
    Reply reply = Reply.ACCEPTED;
    if (frame == null) {
      reply = add(state, name, payload);
    } else if (takesMore(frame)) {
      make(state, frame, set(frame), payload);
      added(state, frame);
    } else {
      reply = Reply.REJECTED;
    }
    reject(state, token, name, reply, "add");
  }

  void closeFromWithin(ExecState state, Token token, int name) {
    Frame frame = enclosing(token.frame, name);
    Reply reply = Reply.ACCEPTED;
    if (frame == null) {
      reply = close(state, name);
    } else if (set(frame).sealed) {
      reply = Reply.REJECTED;
    } else {
      close(state, frame);
    }
    reject(state, token, name, reply, "close");
  }

  /// Shows in the trace what a set that is not open did not accept.
  private void reject(ExecState state, Token token, int name, Reply reply, String what) {
    if (reply == Reply.REJECTED) {
      String subject = machine.pools.names()[name];
      machine.trace(state, TraceEvent.Kind.REJECTED, "MI-REJECT", token, subject, what);
    }
  }

  /// The activation of a name that a frame is in; null when it is in none.
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
