package dev.damask.exec;

import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.Status;
import dev.damask.event.TokenId;
import dev.damask.event.TraceEvent;
import dev.damask.exec.Machine.ReductionException;
import dev.damask.exec.Merging.Writes;
import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.state.Frame;
import dev.damask.state.PlaceState;
import dev.damask.state.Timers;
import dev.damask.state.Token;
import dev.damask.state.Token.Lineage;
import dev.damask.state.Token.Wait;
import dev.damask.state.Undoing;
import dev.damask.task.Delivery;
import dev.damask.task.OnExhausted;
import dev.damask.task.Retry;
import dev.damask.task.TaskAddress;
import dev.damask.task.TaskOptions;
import dev.damask.term.TermPath;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
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
          case Input.TaskWants(var id, var effect, var resume) -> wants(id, effect, resume);
          case Input.TaskFailed failed -> failed(failed);
          case Input.ScriptStep step -> step(step);
          case Input.ScriptTake(var id, var place, var position) -> take(id, place, position);
          case Input.TaskParked(var id, var reason) -> park(id, reason);
          case Input.TaskRetried(var id) -> retryNow(id);
          case Input.TaskSent(var id, var isSent) -> sent(id, isSent);
          case Input.CancelTask(var id) -> cancelTask(id);
          case Input.Signal(var place, var payload) -> signal(place, payload);
          case Input.Kill(var name, var complete, var reason) -> kill(name, complete, reason);
          case Input.Fail(var reason, var detail) -> fail(reason, detail);
          case Input.ChangeData(var id, var values, var reason) -> change(id, values, reason);
          case Input.AddInstance(var name, var item, var hasItem) ->
              add(name, hasItem ? Context.of(Instances.ITEM, item) : Context.empty());
          case Input.CloseInstances(var name) -> close(name);
          case Input.Advance(var millis) -> {
            state.clock = Math.max(state.clock, millis);
            yield Reply.ACCEPTED;
          }
        };
    // No wait depends on the context of its token, so changed data moves nothing.
    if (!state.status.isEnded() && !(input instanceof Input.ChangeData)) {
      state.status = Status.RUNNING;
      CancelCause.settled(state);
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
    Pool.Task task = token.task(state.program);
    state.steps++;
    Context context;
    try {
      context =
          java.util.Objects.requireNonNull(token.wait).computes
              ? machine.fitting("", () -> result)
              : received(token.context, task.options().result(), result);
    } catch (ReductionException trouble) {
      stop(token);
      machine.moved(state, TraceEvent.Kind.STOPPED, "EFFECT-RESULT", token, token.ip);
      machine.fail(state, token, trouble.reason, trouble.detail);
      return Reply.ACCEPTED;
    }
    token.setStamps(stamps(token, task, context, result));
    token.setContext(context);
    goOn(token, TraceEvent.Kind.COMPLETED, "EFFECT-RESULT");
    return Reply.ACCEPTED;
  }

  /// What an effect returned is written; a function wrote what it changed.
  private Context stamps(Token token, Pool.Task task, Context context, Context result) {
    Writes writes = machine.writes;
    if (java.util.Objects.requireNonNull(token.wait).computes) {
      return writes.byTask(token, task(token), token.context, context, state.steps);
    }
    String key = task.options().result();
    return key == null
        ? writes.keys(token.stamps, token.frame, context, result, state.steps)
        : writes.key(token.stamps, token.frame, context, key, state.steps);
  }

  private int task(Token token) {
    return machine.program.raw().code()[token.ip + 1];
  }

  /// A function that ran outside requests an effect: the token waits for that now.
  private Reply wants(TokenId id, EffectSpec effect, Context resume) {
    Token token = waiting(id);
    Wait wait = token == null ? null : token.wait;
    if (token == null || wait == null || !wait.computes || wait.retrying) {
      return Reply.LATE;
    }
    wait.setComputes(false);
    wait.setAttempt(1);
    wait.setSpec(effect);
    token.setStamps(machine.writes.byTask(token, task(token), token.context, resume, state.steps));
    token.setContext(resume);
    machine.arm(state, token, token.task(state.program));
    state.noteStarted(token);
    return Reply.ACCEPTED;
  }

  /// A script took a step. The state of its token stays the same; the step is counted and traced.
  private Reply step(Input.ScriptStep step) {
    Token token = waiting(step.token());
    if (token == null || !java.util.Objects.requireNonNull(token.wait).computes) {
      return Reply.LATE;
    }
    state.steps += step.kind() == Input.ScriptStep.Kind.COMPLETED ? 1 : 0;
    machine.trace(
        state, step.kind().event(), step.kind().rule(), token, step.name(), step.detail());
    return Reply.ACCEPTED;
  }

  /// A script takes a token from an external place; those before it stay, in their order.
  private Reply take(TokenId id, String name, int position) {
    Token token = waiting(id);
    int index = machine.program.placeIndex(name);
    if (token == null
        || !java.util.Objects.requireNonNull(token.wait).computes
        || index < 0
        || !machine.pools.places()[index].place().external()) {
      return Reply.LATE;
    }
    PlaceState place = machine.places.at(state, state.root, index);
    if (position < 0 || position >= place.tokens.size()) {
      return Reply.LATE;
    }
    List<Context> kept = new java.util.ArrayList<>(place.tokens);
    kept.remove(position);
    if (position == 0) {
      place.remove();
    } else {
      place.clear();
      kept.forEach(place::add);
    }
    return Reply.ACCEPTED;
  }

  /// The context of a task with its result, entry by entry or whole under one key.
  private Context received(Context before, @Nullable String key, Context result) {
    return machine.fitting(
        "with its result ", () -> key == null ? before.withAll(result) : before.with(key, result));
  }

  /// Ends the wait of a task and moves its token behind it.
  private void goOn(Token token, TraceEvent.Kind kind, String rule) {
    Pool.Task task = token.task(state.program);
    long effect = java.util.Objects.requireNonNull(token.wait).effect;
    machine.trace(state, kind, rule, token, task.name(), "");
    stop(token);
    if (task.undo() >= 0 && kind == TraceEvent.Kind.COMPLETED && !task.isUndoneFromStart()) {
      int index = machine.program.raw().code()[token.ip + 1];
      machine.cancellation.record(state, token, index, effect);
    }
    token.setIp(token.ip + Code.length(Code.EFFECT_YIELD));
    if (kind == TraceEvent.Kind.WITHDRAWN) {
      int before = token.ip - Code.length(Code.EFFECT_YIELD);
      machine.moved(state, TraceEvent.Kind.PASSED, "CANCEL-EFFECT", token, before);
    }
    state.wake(token);
  }

  private void stop(Token token) {
    state.effects().remove(token.id);
    token.setWait(null);
    token.setState(Token.State.READY);
  }

  private Reply failed(Input.TaskFailed input) {
    Token token = waiting(input.token());
    if (token == null) {
      return Reply.LATE;
    }
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    String reason = input.reason();
    if (wait.isParked()) {
      giveUp(token, reason, input.detail());
      return Reply.ACCEPTED;
    }
    if (wait.retrying) {
      return Reply.LATE; // between two attempts nothing runs that could fail
    }
    boolean isOver = input.hint().isPermanent();
    if (isOver || Failure.isFinal(reason) || !retry(token, reason, input.hint().afterMillis())) {
      if (isOver || !parks(token, reason)) {
        giveUp(token, reason, input.detail());
      } else {
        park(token, reason);
      }
    }
    return Reply.ACCEPTED;
  }

  /// Whether a task whose attempts are used up becomes an incident. A reason that its retry
  /// excludes is for the workflow.
  private boolean parks(Token token, String reason) {
    TaskOptions options = token.task(state.program).options();
    return options.onExhausted() == OnExhausted.PARK
        && !java.util.Objects.requireNonNull(token.wait).computes
        && !options.retry().except().contains(reason)
        && Failure.isParked(reason);
  }

  /// The token waits between two attempts, and no timer starts the next one.
  private void park(Token token, String reason) {
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    wait.setRetrying(true);
    wait.setDue(Timers.NEVER);
    String task = token.task(state.program).name();
    machine.trace(state, TraceEvent.Kind.PARKED, "TASK-PARK", token, task, reason);
    state.noteParked(token, reason);
  }

  private Reply park(TokenId id, String reason) {
    Token token = waiting(id);
    if (token == null || java.util.Objects.requireNonNull(token.wait).isParked()) {
      return Reply.LATE;
    }
    park(token, reason);
    return Reply.ACCEPTED;
  }

  /// Tries a task once more that waits for an operator, or ends the delay before its next attempt.
  private Reply retryNow(TokenId id) {
    Token token = waiting(id);
    Wait wait = token == null ? null : token.wait;
    if (token == null || wait == null || !wait.retrying) {
      return Reply.LATE;
    }
    if (wait.isParked()) {
      again(token, 0);
    } else {
      machine.arm(state, token, token.task(state.program));
      state.noteStarted(token);
    }
    return Reply.ACCEPTED;
  }

  private Reply sent(TokenId id, boolean isSent) {
    Token token = waiting(id);
    if (token == null || java.util.Objects.requireNonNull(token.wait).retrying) {
      return Reply.LATE;
    }
    if (isSent) {
      machine.arm(state, token, token.task(state.program));
    } else {
      java.util.Objects.requireNonNull(token.wait).setDue(Timers.NEVER);
    }
    return Reply.ACCEPTED;
  }

  /// Plans another attempt; false when there is none left or the failure is not retried.
  ///
  /// @param afterMillis how long the handler asked to wait at least
  private boolean retry(Token token, String reason, long afterMillis) {
    TaskOptions options = token.task(state.program).options();
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    if (wait.attempt >= options.retry().max() || !options.isRetried(reason)) {
      return false;
    }
    long entropy = Lineage.of(wait.effect, wait.attempt);
    long delay = options.retry().delayMillis(wait.attempt, entropy);
    again(token, Math.max(delay, Math.min(afterMillis, Retry.DELAY_MAX.toMillis())));
    return true;
  }

  private void again(Token token, long delay) {
    Pool.Task task = token.task(state.program);
    Wait wait = java.util.Objects.requireNonNull(token.wait);
    wait.setAttempt(wait.attempt + 1);
    machine.trace(
        state,
        TraceEvent.Kind.RETRIED,
        "TASK-RETRY",
        token,
        task.name(),
        "attempt " + wait.attempt);
    if (delay > 0) {
      wait.setRetrying(true);
      wait.setDue(Timers.after(state.clock, delay));
      state.timers().add(wait.due, wait.number, token);
    } else {
      machine.arm(state, token, task);
    }
    state.noteStarted(token);
  }

  private void giveUp(Token token, String reason, String detail) {
    int attempt = java.util.Objects.requireNonNull(token.wait).attempt;
    Pool.Task task = token.task(state.program);
    state.effects().remove(token.id);
    machine.trace(state, TraceEvent.Kind.FAILED, "TASK-ERROR", token, task.name(), reason);
    raise(token, new Failure(task.name(), reason, detail, attempt, place(token)));
  }

  private void raise(Token token, Failure failure) {
    Frame frame = token.frame;
    token.setWait(null);
    machine.raised(state, token, failure);
    machine.remove(state, token);
    machine.cancellation.propagate(state, frame, failure);
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
    Pool.Task task = token.task(state.program);
    if (wait.retrying) {
      machine.arm(state, token, task);
      state.noteStarted(token);
      return;
    }
    wait.setDue(Timers.NEVER);
    state.noteWithdrawn(token);
    if (retry(token, Failure.TIMEOUT, 0)) {
      return;
    }
    Failure failure = timedOut(task, wait.attempt, place(token));
    if (parks(token, failure.reason())) {
      park(token, failure.reason());
      return;
    }
    state.effects().remove(token.id);
    machine.trace(
        state, TraceEvent.Kind.WITHDRAWN, "CANCEL-EFFECT", token, task.name(), Failure.TIMEOUT);
    raise(token, failure);
  }

  /// After a timeout it is unknown whether an at-most-once effect has happened.
  private static Failure timedOut(Pool.Task task, int attempt, String place) {
    return task.options().delivery() == Delivery.AT_MOST_ONCE
        ? new Failure(task.name(), Failure.UNKNOWN_OUTCOME, "it timed out", attempt, place)
        : new Failure(task.name(), Failure.TIMEOUT, "", attempt, place);
  }

  private Reply cancelTask(TokenId id) {
    Token token = waiting(id);
    if (token == null) {
      return Reply.LATE;
    }
    String task = token.task(state.program).name();
    CancelCause.note(state, CancelCause.requested(task, ""));
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

  private Reply kill(String name, boolean complete, String reason) {
    Undoing.Ending.Kind kind =
        complete ? Undoing.Ending.Kind.COMPLETE : Undoing.Ending.Kind.WITHDRAW;
    String detail = kind.name() + (reason.isEmpty() ? "" : ": " + reason);
    machine.trace(state, TraceEvent.Kind.CANCELLED, "CANCEL-PROPAGATE", null, name, detail);
    Failure cause = CancelCause.requested(name, reason);
    Undoing.Ending ending = Undoing.Ending.of(kind, cause);
    if (name.equals("case")) {
      machine.cancellation.end(state, state.root, ending);
      return Reply.ACCEPTED;
    }
    int index = machine.program.nameIndex(name);
    List<Frame> frames = index < 0 ? List.of() : List.copyOf(state.named(index).values());
    for (Frame frame : frames) {
      if (!frame.closed) {
        machine.cancellation.end(state, frame, ending);
      }
    }
    return frames.isEmpty() ? killTasks(name, complete, cause) : Reply.ACCEPTED;
  }

  private Reply fail(String reason, String detail) {
    machine.trace(state, TraceEvent.Kind.CANCELLED, "CANCEL-PROPAGATE", null, "case", reason);
    Failure failure = new Failure("", reason, detail, 1, TermPath.BODY.toString());
    machine.raised(state, null, failure);
    Undoing.Ending ending = Undoing.Ending.of(Undoing.Ending.Kind.FAIL, failure);
    machine.cancellation.end(state, state.root, ending);
    return Reply.ACCEPTED;
  }

  /// Late if the token does not wait: it has gone, moves, or its function works with its context.
  private Reply change(TokenId id, Context values, String reason) {
    Token token = StateViews.find(state, id.number());
    Wait wait = token == null ? null : token.wait;
    if (token == null || token.state == Token.State.READY || (wait != null && wait.computes)) {
      return Reply.LATE;
    }
    Context context;
    try {
      context = machine.fitting("with the changed data ", () -> token.context.withAll(values));
    } catch (ReductionException trouble) {
      return Reply.REJECTED;
    }
    state.steps++;
    token.setStamps(machine.writes.keys(token.stamps, token.frame, context, values, state.steps));
    token.setContext(context);
    machine.wrote(state, token, "changed by an operator: " + reason);
    return Reply.ACCEPTED;
  }

  /// The waiting tasks of a name; if there are none, those that the name is the address of.
  private List<Token> addressed(String name) {
    List<Token> waiting = state.effects == null ? List.of() : state.effects.inOrder();
    List<Token> named =
        waiting.stream().filter(each -> each.task(state.program).name().equals(name)).toList();
    return named.isEmpty()
        ? TaskAddress.parse(name)
            .map(address -> address.among(waiting, each -> each.address(state.program)))
            .orElse(List.of())
        : named;
  }

  /// Every task can be addressed by its own name, and by the address of one execution.
  private Reply killTasks(String name, boolean complete, Failure cause) {
    List<Token> tokens = addressed(name);
    for (Token token : tokens) {
      if (token.state != Token.State.EFFECT) {
        continue; // withdrawing the one before has taken this one along
      }
      if (complete) {
        state.noteWithdrawn(token);
        goOn(token, TraceEvent.Kind.WITHDRAWN, "CANCEL-EFFECT");
      } else {
        CancelCause.note(state, cause);
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
