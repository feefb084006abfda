package dev.damask.cases;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.effect.Computation;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Permits;
import dev.damask.effect.SecretFiller;
import dev.damask.event.EffectRequest;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.event.TokenId;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.intake.CaseTerms;
import dev.damask.intake.DirectCallCheck;
import dev.damask.script.ScriptFunction;
import dev.damask.script.ScriptStep;
import dev.damask.steps.CalledScript;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.task.RetryHint;
import dev.damask.value.Context;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// One run of a workflow on the thread of its caller, without a case: effects are performed one
/// after another, the one that started first before the others.
final class DirectCall {
  private static final int QUANTUM = 1_000;
  private static final String INTERRUPTED = "interrupted";

  private final DirectCalls calls;
  private final Machine machine;
  private final ExecState state;
  private final CaseOptions own;
  private final long startedMillis;

  /// The effects that wait, by token, the oldest first; null before the first one.
  private @Nullable Map<TokenId, EffectRequest> waiting;

  /// What the policy of effects is about; null before the first effect.
  private @Nullable LiveCase subject;

  private @Nullable CalledScript scripts; // null before the first script
  private boolean isInterrupted;

  DirectCall(DirectCalls calls, Machine machine, Context context, CaseOptions own) {
    this.calls = calls;
    this.machine = machine;
    this.own = own;
    this.startedMillis = calls.options.clock().millis();
    this.state = machine.start(context, startedMillis);
  }

  /// Runs to the end. An interrupt cancels the run; what was done is undone, and the flag is set
  /// again.
  CaseResult<Context> run() {
    try {
      while (true) {
        machine.move(state, QUANTUM);
        if (Thread.interrupted()) {
          interrupt();
        }
        if (state.isDone() || state.isBlocked()) {
          collect();
          EffectRequest next = next();
          if (next == null) {
            return result();
          }
          perform(next);
        }
      }
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void interrupt() {
    if (!isInterrupted && !state.isDone()) {
      machine.apply(state, new Input.Kill("case", false, INTERRUPTED));
    }
    isInterrupted = true;
  }

  private void collect() {
    for (TokenId token : state.takeWithdrawn()) {
      if (waiting != null) {
        waiting.remove(token);
      }
    }
    for (EffectRequest request : state.takeStarted()) {
      if (waiting == null) {
        waiting = new LinkedHashMap<>();
      }
      waiting.put(request.token(), request);
    }
  }

  private @Nullable EffectRequest next() {
    return waiting == null || waiting.isEmpty() || state.isDone()
        ? null
        : waiting.values().iterator().next();
  }

  private CaseResult<Context> result() {
    return switch (machine.outcome(state)) {
      case Outcome.Done(var context) -> new CaseResult.Completed<>(context);
      case Outcome.Failed(var failure) -> new CaseResult.Failed<>(failure);
      case Outcome.Cancelled cancelled -> CaseResult.Cancelled.of(cancelled);
      case Outcome.Deadlocked(var report) -> stuck(report);
      case Outcome.Waits waits -> stuck(List.of("the workflow waits: " + waits));
      case Outcome.Yielded _ -> throw new IllegalStateException("a call ended before its workflow");
    };
  }

  private static CaseResult<Context> stuck(List<String> lines) {
    return new CaseResult.Stuck<>(new CaseResult.Report(CaseResult.Reason.DEADLOCKED, lines));
  }

  private void perform(EffectRequest request) {
    Input input;
    try {
      input = input(request, request.computes() ? computed(request) : called(request));
    } catch (EffectException e) {
      input = new Input.TaskFailed(request.token(), e.reason(), String.valueOf(e.getMessage()));
    } catch (RuntimeException e) { // the user's template; the task fails with its message
      String detail = "its request cannot be created: " + e;
      input = new Input.TaskFailed(request.token(), Failure.EXPRESSION, detail);
    }
    boolean isAgain = isInterrupted;
    if (Thread.interrupted() || input instanceof Input.Kill) {
      interrupt();
    }
    if (!(input instanceof Input.Kill)) {
      machine.apply(state, input);
    } else if (isAgain) {
      String detail = "it was interrupted while the call was being undone";
      machine.apply(state, new Input.TaskFailed(request.token(), INTERRUPTED, detail));
    }
    Map<TokenId, EffectRequest> open = Objects.requireNonNull(waiting);
    boolean isWaiting = false; // another attempt of the same task keeps its place
    for (EffectRequest started : state.takeStarted()) {
      isWaiting |= started.token().equals(request.token());
      open.put(started.token(), started);
    }
    if (!isWaiting) {
      open.remove(request.token());
    }
  }

  private Input input(EffectRequest request, EffectResult result) {
    TokenId token = request.token();
    return switch (Bounds.of(subject(), result)) {
      case EffectResult.Ok(var context) -> new Input.TaskDone(token, context);
      case EffectResult.Same(_, var context) -> new Input.TaskDone(token, context);
      case EffectResult.Wants(var effect, var resume) -> new Input.TaskWants(token, effect, resume);
      case EffectResult.Failed(var reason, var detail, var hint) ->
          new Input.TaskFailed(
              token,
              isUnknown(request, reason) ? Failure.UNKNOWN_OUTCOME : reason,
              detail,
              hint.isPermanent() ? hint : RetryHint.NONE); // a call waits for no timer
      case EffectResult.Parked(var reason, var detail) ->
          new Input.TaskFailed(token, reason, detail, RetryHint.PERMANENT);
      case EffectResult.Interrupted() -> new Input.Kill("case", false, INTERRUPTED);
      case EffectResult.Joined _ -> throw new IllegalStateException("a call commits no case");
    };
  }

  private static boolean isUnknown(EffectRequest request, String reason) {
    return !request.computes()
        && request.task().options().delivery() == Delivery.AT_MOST_ONCE
        && EffectResult.isUnknown(reason);
  }

  private EffectResult computed(EffectRequest request) {
    EffectCall call = call(request, Computation.TYPE, Context.empty());
    if (request.task().function() instanceof ScriptFunction) {
      if (scripts == null) {
        scripts = new CalledScript(this::step, calls.options.clock()::millis);
      }
      return scripts.run(request, call);
    }
    return Computation.run(call, Objects.requireNonNull(request.task().function()));
  }

  private EffectResult called(EffectRequest request) throws EffectException {
    EffectIntent intent = EffectPolicy.plan(subject(), request);
    String type = intent.type();
    boolean hasMethod = request.task().handler() != null;
    String problem =
        intent.userKey()
            ? "has an idempotency key; a call stores no receipt"
            : DirectCallCheck.problem(type, hasMethod, calls.rules());
    if (problem != null) {
      throw new EffectException(Failure.NOT_ALLOWED, problem);
    }
    if (request.attempt() == 1) {
      admit(request, type, request.task().options().cost());
    }
    EffectHandler handler =
        request.task().handler() != null
            ? EffectHandler.of(request.task().handler())
            : Objects.requireNonNull(calls.options.handlers().get(type));
    return limited(call(request, type, intent.with()), handler);
  }

  /// One attempt of a step of a script.
  private EffectResult step(EffectRequest script, ScriptStep step, EffectCall call)
      throws EffectException {
    String problem = DirectCallCheck.problem(step.type(), true, calls.rules());
    if (problem != null) {
      throw new EffectException(Failure.NOT_ALLOWED, problem);
    }
    if (call.attempt() == 1) {
      admit(script, step.type(), step.options().cost());
    }
    return Bounds.of(subject(), limited(call, Objects.requireNonNull(step.handler())));
  }

  /// Throws [EffectException] if an effect must not start; otherwise counts its cost.
  private void admit(EffectRequest request, String type, BigDecimal cost) throws EffectException {
    EffectPolicy.Refusal refusal =
        calls.policy.refusal(subject(), request, type, calls.options.clock().millis());
    if (refusal != null) {
      throw new EffectException(refusal.reason(), refusal.sentence());
    }
    subject().terms = subject().terms.withEffect(cost);
  }

  /// Calls a handler within the limits of its type.
  private EffectResult limited(EffectCall call, EffectHandler handler) throws EffectException {
    String type = call.type();
    Permits.Owner permit = permit(type, call.context().withAll(call.with()));
    if (permit == null || !calls.effects.tryEnter(type)) {
      leave(permit);
      throw new EffectException(
          Failure.LIMIT, "as many effects of type " + type + " run as may run at once");
    }
    try {
      long begun = System.nanoTime();
      EffectResult result =
          EffectResult.of(traced(call), new SecretFiller(handler, calls.options.secrets()));
      boolean isFailed = result instanceof EffectResult.Failed;
      calls.counters.byType.ended(type, System.nanoTime() - begun, isFailed);
      return result;
    } finally {
      calls.effects.leave(type);
      leave(permit);
    }
  }

  private static final Permits.Owner UNLIMITED = new Permits.Owner("", new EffectId(0), 0);

  /// A permit of the limit of the type; null if none is free. A call does not wait for one.
  private Permits.@Nullable Owner permit(String type, Context about) {
    return calls.permits.isLimited(type)
        ? calls.permits.tryEnter(type, about, calls.options.clock().millis())
        : UNLIMITED;
  }

  private void leave(Permits.@Nullable Owner permit) {
    if (permit != null && permit != UNLIMITED) {
      calls.permits.release(permit, calls.options.clock().millis());
    }
  }

  private EffectCall traced(EffectCall call) {
    return own.traceparent().isEmpty()
        ? call
        : call.withTerms(
            new EffectCall.Terms(
                Optional.empty(), call.cancelToken(), call.epoch(), own.traceparent()));
  }

  private static EffectCall call(EffectRequest request, String type, Context with) {
    return new EffectCall(
        "",
        new Effect(
            request.id(),
            request.task().name(),
            request.attempt(),
            type,
            UUID.randomUUID().toString()),
        request.task().options().delivery(),
        with,
        request.context());
  }

  private LiveCase subject() {
    LiveCase known = subject;
    if (known == null) {
      CaseTerms terms = CaseTerms.of(own, startedMillis);
      known = new LiveCase("", state.program().name(), startedMillis, terms, machine, state);
      subject = known;
    }
    return known;
  }
}
