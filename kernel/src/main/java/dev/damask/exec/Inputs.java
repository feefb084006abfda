package dev.damask.exec;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.task.Context;
import dev.damask.term.TermPath;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Applies what comes from outside to one state.
final class Inputs {
  private final Machine machine;
  private final ExecState state;

  Inputs(Machine machine, ExecState state) {
    this.machine = machine;
    this.state = state;
  }

  Reply apply(Input input) {
    if (state.status.isEnded()) {
      return Reply.CASE_ENDED;
    }
    Reply reply =
        switch (input) {
          case Input.TaskDone(var id, var result) -> done(id, result);
          case Input.TaskFailed(var id, var reason, var detail) -> failed(id, reason, detail);
          case Input.CancelTask(var id) -> cancelTask(id);
          case Input.Signal(var place, var payload) -> signal(place, payload);
          case Input.Kill(var name, var complete) -> kill(name, complete);
          case Input.Fail(var reason, var detail) -> fail(reason, detail);
          case Input.AddInstance(var name, var item, var hasItem) ->
              add(name, hasItem ? Context.of(Instances.ITEM, item) : Context.empty());
          case Input.CloseInstances(var name) -> close(name);
          case Input.Advance(var millis) -> {
            state.clock = Math.max(state.clock, millis);
            yield Reply.ACCEPTED;
          }
        };
    if (!state.status.isEnded()) {
      state.status = Status.RUNNING;
    }
    return reply;
  }

  private @Nullable Token waiting(TokenId id) {
    return state.effects == null ? null : state.effects.get(id.number());
  }

  private Reply done(TokenId id, Context result) {
    Token token = waiting(id);
    if (token == null) {
      return Reply.LATE;
    }
    Pool.Task task = Reports.task(state, token);
    state.steps++;
    Context context;
    try {
      context = received(token.context, task.options().result(), result);
    } catch (Trouble trouble) {
      stop(token);
      machine.fail(state, token, trouble.reason, trouble.detail);
      return Reply.ACCEPTED;
    }
    if (machine.stamps) {
      token.stamps = Merging.stamp(token.stamps, token.context, context, state.steps);
    }
    token.context = context;
    goOn(token, TraceEvent.Kind.COMPLETED, "EFFECT-RESULT");
    return Reply.ACCEPTED;
  }

  /// The context of a task with its result, entry by entry or whole under one key.
  private Context received(Context before, @Nullable String key, Context result) {
    return machine.fitting(
        "with its result ", () -> key == null ? before.withAll(result) : before.with(key, result));
  }

  /// Ends the wait of a task and moves its token behind it.
  private void goOn(Token token, TraceEvent.Kind kind, String rule) {
    Pool.Task task = Reports.task(state, token);
    long effect = java.util.Objects.requireNonNull(token.wait).effect;
    machine.trace(state, kind, rule, token, task.name(), "");
    stop(token);
    if (task.undo() >= 0 && kind == TraceEvent.Kind.COMPLETED) {
      int index = machine.program.raw().code()[token.ip + 1];
      machine.cancellation.record(state, token, index, effect);
    }
    token.ip += Code.length(Code.EFFECT_YIELD);
    state.wake(token);
  }

  private void stop(Token token) {
    state.effects().remove(token.id);
    token.wait = null;
    token.state = Token.State.READY;
  }

  private Reply failed(TokenId id, String reason, String detail) {
    Token token = waiting(id);
    if (token == null || java.util.Objects.requireNonNull(token.wait).retrying) {
      return Reply.LATE; // between two attempts nothing runs that could fail
    }
    if (Failure.isFinal(reason) || !retry(token)) {
      giveUp(token, reason, detail);
    }
    return Reply.ACCEPTED;
  }

  /// Plans another attempt; false when there is none left.
  private boolean retry(Token token) {
    Pool.Task task = Reports.task(state, token);
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    if (wait.attempt >= task.options().retry().max()) {
      return false;
    }
    long entropy = Lineage.of(wait.effect, wait.attempt);
    long delay = task.options().retry().delayMillis(wait.attempt, entropy);
    wait.attempt++;
    if (delay > 0) {
      wait.retrying = true;
      wait.due = Timers.after(state.clock, delay);
      state.timers().add(wait.due, wait.number, token);
    } else {
      machine.arm(state, token, task);
    }
    state.noteStarted(token);
    return true;
  }

  private void giveUp(Token token, String reason, String detail) {
    int attempt = java.util.Objects.requireNonNull(token.wait).attempt;
    Pool.Task task = Reports.task(state, token);
    state.effects().remove(token.id);
    machine.trace(state, TraceEvent.Kind.FAILED, "TASK-ERROR", token, task.name(), reason);
    raise(token, new Failure(task.name(), reason, detail, attempt, place(token)));
  }

  private void raise(Token token, Failure failure) {
    Frame frame = token.frame;
    token.wait = null;
    machine.remove(state, token);
    machine.cancellation.raise(state, frame, failure);
  }

  private String place(Token token) {
    return machine.program.source().at(token.ip).toString();
  }

  /// A timer of a token has fired: an alternative, a further attempt, or the end of one.
  void timer(Token token) {
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    if (token.state == Token.State.AWAIT) {
      machine.places.timer(state, token);
      return;
    }
    if (token.state == Token.State.HELD) {
      machine.groups.timer(state, token);
      return;
    }
    Pool.Task task = Reports.task(state, token);
    if (wait.retrying) {
      machine.arm(state, token, task);
      state.noteStarted(token);
      return;
    }
    wait.due = Timers.NEVER;
    state.noteWithdrawn(token);
    if (!retry(token)) {
      int attempt = wait.attempt;
      state.effects().remove(token.id);
      machine.trace(
          state, TraceEvent.Kind.WITHDRAWN, "CANCEL-EFFECT", token, task.name(), Failure.TIMEOUT);
      raise(token, new Failure(task.name(), Failure.TIMEOUT, "", attempt, place(token)));
    }
  }

  private Reply cancelTask(TokenId id) {
    Token token = waiting(id);
    if (token == null) {
      return Reply.LATE;
    }
    machine.cancellation.withdraw(state, token);
    return Reply.ACCEPTED;
  }

  private Reply signal(String name, Context payload) {
    if (state.groups != null && name.startsWith(ProcessControl.PREFIX)) {
      return new ProcessControl(machine, machine.groups).apply(state, name, payload);
    }
    int index = machine.program.placeIndex(name);
    if (index < 0 || !machine.pools.places()[index].place().external()) {
      return Reply.REJECTED;
    }
    machine.trace(state, TraceEvent.Kind.SIGNALLED, "SIGNAL", null, name, "");
    return machine.places.signal(state, index, payload);
  }

  private Reply kill(String name, boolean complete) {
    Undoing.Ending.Kind kind =
        complete ? Undoing.Ending.Kind.COMPLETE : Undoing.Ending.Kind.WITHDRAW;
    machine.trace(state, TraceEvent.Kind.CANCELLED, "CANCEL-PROPAGATE", null, name, kind.name());
    if (name.equals("case")) {
      machine.cancellation.end(state, state.root, Undoing.Ending.of(kind));
      return Reply.ACCEPTED;
    }
    int index = machine.program.nameIndex(name);
    List<Frame> frames = index < 0 ? List.of() : List.copyOf(state.named(index).values());
    for (Frame frame : frames) {
      if (!frame.closed) {
        machine.cancellation.end(state, frame, Undoing.Ending.of(kind));
      }
    }
    return frames.isEmpty() ? killTasks(name, complete) : Reply.ACCEPTED;
  }

  private Reply fail(String reason, String detail) {
    machine.trace(state, TraceEvent.Kind.CANCELLED, "CANCEL-PROPAGATE", null, "case", reason);
    Failure failure = new Failure("", reason, detail, 1, TermPath.BODY.toString());
    Undoing.Ending ending = Undoing.Ending.of(Undoing.Ending.Kind.FAIL, failure);
    machine.cancellation.end(state, state.root, ending);
    return Reply.ACCEPTED;
  }

  /// Every task can be addressed by its own name.
  private Reply killTasks(String name, boolean complete) {
    List<Token> tokens = new ArrayList<>();
    if (state.effects != null) {
      for (Token token : state.effects.inOrder()) {
        if (Reports.task(state, token).name().equals(name)) {
          tokens.add(token);
        }
      }
    }
    for (Token token : tokens) {
      if (token.state != Token.State.EFFECT) {
        continue; // withdrawing the one before has taken this one along
      }
      if (complete) {
        state.noteWithdrawn(token);
        goOn(token, TraceEvent.Kind.WITHDRAWN, "CANCEL-EFFECT");
      } else {
        machine.cancellation.withdraw(state, token);
      }
    }
    return tokens.isEmpty() ? Reply.NO_SUCH_REGION : Reply.ACCEPTED;
  }

  private Reply add(String name, Context extra) {
    int index = machine.program.nameIndex(name);
    return index < 0 ? Reply.REJECTED : machine.instances.add(state, index, extra);
  }

  private Reply close(String name) {
    int index = machine.program.nameIndex(name);
    return index < 0 ? Reply.REJECTED : machine.instances.close(state, index);
  }
}
