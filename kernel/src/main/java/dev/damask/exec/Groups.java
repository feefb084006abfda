package dev.damask.exec;

import static dev.damask.state.GroupState.group;
import static dev.damask.state.GroupState.isRunning;
import static dev.damask.state.GroupState.isSending;
import static dev.damask.state.GroupState.number;
import static dev.damask.state.GroupState.stepOf;

import dev.damask.event.Failure;
import dev.damask.event.ProcessEvent;
import dev.damask.event.TraceEvent;
import dev.damask.exec.Machine.ReductionException;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.state.Frame;
import dev.damask.state.GroupState;
import dev.damask.state.Invariant;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.Token.Lineage;
import dev.damask.state.Undoing;
import dev.damask.task.ProcessInfo;
import dev.damask.term.StepNode;
import dev.damask.value.Context;
import dev.damask.value.ContextEdit;
import dev.damask.value.StepOutcome;
import dev.damask.value.StepResult.Evaluated;
import dev.damask.value.StepResult.Start;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Process instances: how they begin, spawn, deliver to the join of their group, and end.
///
/// A process is a token in the frame of its group. A join opens a group for the children of its
/// branch inside the group of the parent, where its target waits. Deciding a join may end the
/// target of another join. Undecided groups are queued, so nested joins cannot overflow the stack.
final class Groups {
  private final Machine machine;

  /// Groups to be decided before the machine continues; empty between two steps.
  private final Deque<Frame> doubtful = new ArrayDeque<>();

  Groups(Machine machine) {
    this.machine = machine;
  }

  /// Opens the outermost group and starts the process of the entry step.
  void enter(ExecState state, Token token, int index) {
    Pool.Processes processes = machine.pools.processes()[index];
    Object entry = token.context.get(StepNode.ENTRY);
    int step = processes.free() == null ? find(processes, entry) : processes.free().entry();
    if (step < 0) {
      throw new ReductionException(
          Failure.EXPRESSION, "the key " + StepNode.ENTRY + " names a step, found " + entry);
    }
    Frame root = machine.openBeside(state, Frame.Kind.GROUP, token, index);
    root.setLoops(token.loops);
    GroupState group = new GroupState(processes, null, root, -1);
    root.setGroup(group);
    state.groups().put(root.id, root);
    machine.remove(state, token);
    Birth birth = new Birth(own(token.context), Birth.NOW, 0, "", root.lineage);
    start(state, root, step, birth, 0);
  }

  private static int find(Pool.Processes processes, @Nullable Object id) {
    for (int i = 0; i < processes.steps().length; i++) {
      if (processes.steps()[i].id().equals(id)) {
        return i;
      }
    }
    return -1;
  }

  /// What the children of one process have in common.
  private record Birth(Context payload, long due, int parent, String from, long lineage) {
    static final long NOW = ProcessEvent.Spawned.NOT_TIMED;

    Birth with(Context other) {
      return new Birth(other, due, parent, from, lineage);
    }
  }

  /// Makes a process that begins at once, or waits for its time.
  private Token start(ExecState state, Frame home, int step, Birth birth, long ordinal) {
    GroupState group = group(home);
    GroupState root = group(group.root);
    ProcessInfo process =
        new ProcessInfo(root.nextNumber(), birth.parent(), birth.from(), common(root));
    Token token =
        machine.newToken(
            state,
            home,
            group.processes.steps()[step].gate(),
            birth.payload(),
            Context.empty(),
            Lineage.of(birth.lineage(), ordinal));
    token.setNode(step);
    token.setProcess(process);
    group.live[step]++;
    if (birth.due() == Birth.NOW) {
      state.wake(token);
    } else {
      hold(state, token, birth.due());
    }
    if (machine.tracer != null) {
      long due = birth.due() == Timers.NEVER ? ProcessEvent.Spawned.NOT_TIMED : birth.due();
      told(
          state,
          TraceEvent.Kind.SPAWNED,
          "SPAWN",
          token,
          new ProcessEvent.Spawned(process.number(), birth.parent(), due));
    }
    return token;
  }

  /// The keys of the engine in the context of a case.
  static Context common(GroupState root) {
    if (root.common == null) {
      root.common = root.root.entry.without(StepNode.ENTRY).startingWith(StepNode.RESERVED);
    }
    return root.common;
  }

  /// The instruction at the head of a step.
  void gate(ExecState state, Token token) {
    GroupState root = group(group(token.frame).root);
    if (root.paused || Window.keeps(root, token)) {
      hold(state, token, Timers.NEVER);
    } else {
      root.running++;
      token.setIp(token.ip + Code.length(Code.STEP_GATE));
    }
  }

  /// The instruction at the end of a step. It repeats a task that must still be evaluated.
  void spawn(ExecState state, Token token, int index) {
    Pool.Processes processes = group(token.frame).processes;
    if (processes.free() == null) {
      token.setIp(processes.steps()[index].gate() + Code.length(Code.STEP_GATE));
    } else {
      Context context = token.context;
      conclude(state, token, index, new Evaluated(processes.free().outcome(index), context));
    }
  }

  /// The task of a step returns how it was evaluated, unless nothing is evaluated at all.
  void requireFree(Token token) {
    if (group(token.frame).processes.free() == null) {
      throw new ReductionException(Failure.EXCEPTION, "the task of a step returned no evaluation");
    }
  }

  /// What a process weighs that is given a payload: the keys of the engine count.
  int weight(Frame frame, Context payload) {
    return payload.weight() + common(group(group(frame).root)).weight();
  }

  /// Does what follows from the evaluation of a step.
  void conclude(ExecState state, Token token, int index, Evaluated evaluation) {
    GroupState group = group(token.frame);
    Pool.Step step = group.processes.steps()[index];
    StepOutcome outcome = evaluation.outcome();
    if (isSending(token)) {
      sent(state, token, step, evaluation);
      return;
    }
    Window.pay(group(group.root), evaluation.cost());
    if (machine.tracer != null) {
      machine.trace(
          state,
          TraceEvent.Kind.EVALUATED,
          "SPAWN",
          token,
          step.id(),
          new Machine.Told(
              "",
              new TraceEvent.Evaluation(evaluation.payload(), evaluation.cost(), evaluation.note()),
              new ProcessEvent.Evaluated(number(token), outcome)));
    }
    switch (outcome) {
      case CANCELLED -> {
        group(group.root).setResult(null); // nothing continues from processes that were cancelled
        machine.cancellation.end(
            state, group.root, Undoing.Ending.of(Undoing.Ending.Kind.WITHDRAW));
      }
      case ABORTED -> abort(state, token, "by its rule");
      case VALID, INVALID -> {
        boolean valid = outcome == StepOutcome.VALID;
        Pool.Branch branch = valid ? step.valid() : step.invalid();
        Window.requireRoom(state, branch, machine.limits.instances());
        long due = due(state, evaluation.start());
        Birth birth =
            new Birth(
                own(evaluation.payload()), due, number(token), step.id(), token.nextLineage());
        leave(state, token, evaluation.after() != null);
        Birth children = birth.with(inherited(evaluation));
        finish(state, token.frame, branch, group.accepts(index, valid), birth, children);
      }
    }
  }

  /// What an evaluated process has sent has been answered: the process ends.
  private void sent(ExecState state, Token token, Pool.Step step, Evaluated evaluation) {
    machine.trace(
        state,
        TraceEvent.Kind.SENT,
        "SPAWN",
        token,
        step.id(),
        new ProcessEvent.Sent(number(token), evaluation.note().more()));
    Frame frame = token.frame;
    leave(state, token, false);
    doubtful.add(frame);
    settle(state);
  }

  /// What the children receive: the keys that are kept, under the payload.
  static Context inherited(Evaluated evaluation) {
    return own(
        evaluation.kept().isEmpty()
            ? evaluation.payload()
            : evaluation.kept().withAll(evaluation.payload()));
  }

  /// A payload cannot set the keys of the engine.
  private static Context own(Context payload) {
    return payload.startingWith(StepNode.RESERVED).isEmpty()
        ? payload
        : payload.keeping(key -> !key.startsWith(StepNode.RESERVED));
  }

  private static long due(ExecState state, Start start) {
    return switch (start) {
      case Start.At(long millis) -> millis <= state.clock ? Birth.NOW : millis;
      case Start.After(long millis) -> millis > 0 ? Timers.after(state.clock, millis) : Birth.NOW;
    };
  }

  /// What follows from the end of a process: delivers, starts the children, and checks the join.
  ///
  /// @param source of the join, that the evaluation counts for; -1 when it counts for none
  private void finish(
      ExecState state, Frame frame, Pool.Branch branch, int source, Birth own, Birth children) {
    GroupState group = group(frame);
    if (!GroupState.isLate(frame)) {
      group(group.root).setResult(own.payload());
    }
    if (source >= 0) {
      group.deliver(source, own.payload());
      if (group.gotCount >= group.spec().need() && !close(state, frame)) {
        return;
      }
    }
    // After a join that stops the rest, nothing begins, not even the children of the last one.
    boolean spawns = branch.spawns().length > 0 || branch.join() >= 0;
    if (spawns && !(group.join >= 0 && group.isShut())) {
      spawnAll(state, frame, branch, children);
    }
    doubtful.add(frame);
    settle(state);
  }

  private void spawnAll(ExecState state, Frame frame, Pool.Branch branch, Birth birth) {
    Frame home = frame;
    if (branch.join() >= 0) {
      home = open(state, frame, branch.join(), birth);
    }
    for (int i = 0; i < branch.spawns().length; i++) {
      start(state, home, branch.spawns()[i], birth, i);
    }
    if (home != frame) {
      doubtful.add(home);
    }
  }

  /// Opens the group of a join inside the group of the one who declares it, and its target there.
  private Frame open(ExecState state, Frame frame, int join, Birth birth) {
    GroupState around = group(frame);
    long lineage = Lineage.of(birth.lineage(), Lineage.JOIN);
    Frame inner =
        new Frame(++state.lastId, Frame.Kind.GROUP, frame, join, birth.payload(), lineage);
    frame.attach(inner);
    GroupState group = new GroupState(around.processes, around.root, inner, join);
    inner.setGroup(group);
    Birth later =
        birth.due() == Birth.NOW
            ? new Birth(
                birth.payload(), Timers.NEVER, birth.parent(), birth.from(), birth.lineage())
            : birth;
    Token target = start(state, frame, group.spec().target(), later, Lineage.JOIN);
    java.util.Objects.requireNonNull(target.wait).setGroup(inner);
    group.setTarget(target);
    machine.trace(
        state,
        TraceEvent.Kind.FORKED,
        "SPAWN",
        target,
        stepOf(target),
        new ProcessEvent.Awaits(inner.id));
    return inner;
  }

  /// Lets a process stand at its gate until its time, its join and its release have come.
  private void hold(ExecState state, Token token, long due) {
    Token.Wait wait = new Token.Wait(++state.lastWait);
    wait.setDue(due);
    token.setWait(wait);
    register(state, token);
    if (due != Timers.NEVER) {
      state.timers().add(due, wait.number, token);
    }
  }

  /// Enters a held process into the counts of its state; also used after decoding.
  void register(ExecState state, Token token) {
    token.setState(Token.State.HELD);
    state.externalWaits++; // it can always be woken, resumed or killed from outside
  }

  /// The time of a held process has come.
  void timer(ExecState state, Token token) {
    java.util.Objects.requireNonNull(token.wait).setDue(Timers.NEVER);
    release(state, token);
  }

  /// Lets a held process begin if nothing holds it any more.
  void release(ExecState state, Token token) {
    Token.Wait wait = java.util.Objects.requireNonNull(token.wait);
    if (wait.group == null && wait.due == Timers.NEVER && !group(group(token.frame).root).paused) {
      state.externalWaits--;
      token.setWait(null);
      state.wake(token);
    }
  }

  /// Enough sources have delivered: the target gets what they brought. False when that is more than
  /// a context may hold, which fails everything.
  private boolean close(ExecState state, Frame frame) {
    GroupState group = group(frame);
    Token target = java.util.Objects.requireNonNull(group.target);
    Invariant.check(!group.closed, "I15 a join group closes once", frame.id);
    ContextEdit edit = target.context.edit();
    int left = group.spec().need();
    for (int i = 0; i < group.got.length && left > 0; i++) {
      Context piece = group.got[i];
      if (piece != null) {
        overlay(edit, piece);
        left--;
      }
    }
    Context merged = edit.done();
    int weight = weight(frame, merged);
    if (weight > machine.limits.contextBytes()) {
      String detail = "after a join a context has about " + weight + " bytes, at most ";
      String place = machine.program.source().at(target.ip).toString();
      Failure failure =
          new Failure("", Failure.LIMIT, detail + machine.limits.contextBytes(), 1, place);
      machine.cancellation.raise(state, group.root.outer(), failure);
      return false;
    }
    shut(group, target);
    target.setContext(merged);
    if (machine.tracer != null) {
      told(
          state,
          TraceEvent.Kind.JOINED,
          "JOIN-CLOSE",
          target,
          new ProcessEvent.Joined(number(target), frame.id));
    }
    release(state, target);
    return true;
  }

  private static void shut(GroupState group, Token target) {
    group.setClosed(true);
    group.setTarget(null);
    java.util.Objects.requireNonNull(target.wait).setGroup(null);
  }

  /// Later keys overwrite earlier ones; what begins with an underscore does not travel.
  private static void overlay(ContextEdit under, Context piece) {
    piece.forEach((key, value) -> {
      if (!key.startsWith("_")) {
        under.put(key, value);
      }
    });
  }

  /// Ends a process that was not evaluated to a branch.
  void abort(ExecState state, Token token, String reason) {
    Frame frame = token.frame;
    abandon(state, token, reason);
    doubtful.add(frame);
    settle(state);
  }

  private void abandon(ExecState state, Token token, String reason) {
    if (machine.tracer != null) {
      told(
          state,
          TraceEvent.Kind.ABORTED,
          "PROCESS-ABORT",
          token,
          new ProcessEvent.Aborted(number(token), reason));
    }
    Frame awaited = token.wait == null ? null : token.wait.group;
    if (awaited != null) {
      // No target waits for that group any more: its join is decided too.
      shut(group(awaited), token);
      doubtful.add(awaited);
    }
    leave(state, token, false);
  }

  /// Takes a process out of its group.
  ///
  /// @param sends whether its token stays for what it sends
  private void leave(ExecState state, Token token, boolean sends) {
    GroupState group = group(token.frame);
    GroupState root = group(group.root);
    if (isSending(token)) {
      group.sending--;
    } else {
      group.live[token.node]--;
      root.running -= isRunning(token) ? 1 : 0;
    }
    if (sends) {
      group.sending++;
      token.setContext(Context.of(StepNode.SENDING, true));
    } else {
      machine.cancellation.drop(state, token);
    }
    Window.waiting(root).forEach(next -> release(state, next));
  }

  /// Looks at every group that may have changed, until nothing changes any more.
  private void settle(ExecState state) {
    List<Frame> seen = new ArrayList<>();
    for (Frame frame = doubtful.poll(); frame != null; frame = doubtful.poll()) {
      GroupState group = group(frame);
      if (group.isOpen() && group.gotCount + group.possible() < group.spec().need()) {
        Token target = java.util.Objects.requireNonNull(group.target);
        machine.trace(
            state,
            TraceEvent.Kind.ABANDONED,
            "JOIN-ABORT",
            target,
            stepOf(target),
            "unfulfillable");
        Frame around = target.frame;
        abandon(state, target, "its join cannot be fulfilled");
        doubtful.add(around);
      } else if (group.join >= 0 && group.isShut()) {
        stopWaiting(state, frame);
      }
      seen.add(frame);
    }
    seen.forEach(frame -> machine.cancellation.closeIfEmpty(state, frame));
  }

  /// Ends every process of a group that has not begun.
  private void stopWaiting(ExecState state, Frame frame) {
    List<Token> waiting = new ArrayList<>();
    for (Token token = frame.firstToken; token != null; token = token.next) {
      if (!isRunning(token)) {
        waiting.add(token);
      }
    }
    waiting.sort(Comparator.comparingInt(token -> token.id));
    waiting.forEach(token -> abandon(state, token, "its join is closed"));
  }

  /// The outermost group is empty: what the last process left continues.
  void deliverIfEnded(ExecState state, Frame frame) {
    GroupState group = group(frame);
    Invariant.check(group.target == null, "I16 an empty group has no open join", frame.id);
    if (group.join < 0 && group.result != null && !frame.delivered) {
      frame.setDelivered(true);
      machine.exitToken(
          state,
          frame,
          machine.pools.processes()[frame.spec].continuation(),
          common(group).withAll(group.result),
          frame.entryStamps,
          Lineage.END);
    }
  }

  private void told(
      ExecState state, TraceEvent.Kind kind, String rule, Token token, ProcessEvent process) {
    machine.trace(state, kind, rule, token, stepOf(token), process);
  }
}
