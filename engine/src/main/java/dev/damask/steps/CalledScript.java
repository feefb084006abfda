package dev.damask.steps;

import dev.damask.effect.Computation;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Receipt;
import dev.damask.effect.ReceiptChain;
import dev.damask.event.EffectRequest;
import dev.damask.event.Failure;
import dev.damask.script.ScriptDivergedException;
import dev.damask.script.ScriptFunction;
import dev.damask.script.ScriptMessage;
import dev.damask.script.ScriptPort;
import dev.damask.script.ScriptRun;
import dev.damask.script.ScriptStep;
import dev.damask.script.StepEnding;
import dev.damask.task.Delivery;
import dev.damask.task.OnExhausted;
import dev.damask.task.TaskOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The scripts of one call of a workflow without a case: each step is performed at once, on the
/// thread of the caller, and its receipt stays in memory for the undo. A step that waits fails.
public final class CalledScript implements ScriptPort {
  /// Performs one attempt of a step.
  @FunctionalInterface
  public interface Attempt {
    /// Calls the handler of a step. Throws [EffectException] if it must not be called.
    ///
    /// @param script the task of the script
    EffectResult of(EffectRequest script, ScriptStep step, EffectCall call) throws EffectException;
  }

  private final Attempt attempt;
  private final LongSupplier clock;
  private final List<Receipt> receipts = new ArrayList<>();
  private ReceiptChain chain = ReceiptChain.EMPTY;
  private @Nullable EffectRequest script; // null before the first script
  private @Nullable Throwable stopped; // null unless the last run stopped

  /// Creates the scripts of a call.
  public CalledScript(Attempt attempt, LongSupplier clock) {
    this.attempt = attempt;
    this.clock = clock;
  }

  /// Runs the script of a task to its end.
  public EffectResult run(EffectRequest request, EffectCall call) {
    ScriptFunction function = (ScriptFunction) Objects.requireNonNull(request.task().function());
    script = request;
    stopped = null;
    EffectResult result =
        Computation.run(
            call,
            new ScriptRun(
                new ScriptRun.Plan(call, function, this, List.of(), true, 1, request.undone())));
    Throwable why = stopped;
    if (why == null) {
      return result;
    }
    String reason =
        why instanceof ScriptDivergedException ? ScriptFunction.DIVERGED : ScriptFunction.ERROR;
    return new EffectResult.Failed(reason, EffectResult.text(why));
  }

  @Override
  public void send(ScriptRun run, ScriptMessage message) {
    switch (message) {
      case ScriptMessage.Ask ask -> {
        ask.marks().forEach(this::record);
        StepEnding ending = perform(ask);
        if (ending == null) {
          var _ = run.unwind("the call was interrupted");
        } else {
          run.deliver(ask.id(), ending);
        }
      }
      case ScriptMessage.Note(var marks, _) -> marks.forEach(this::record);
      case ScriptMessage.Leave() -> {}
      case ScriptMessage.Stop(var why) -> stopped = why;
    }
  }

  private void record(Receipt.Body body) {
    Receipt next = chain.next(body);
    chain = chain.with(next);
    receipts.add(next);
  }

  /// Null when the thread was interrupted.
  private @Nullable StepEnding perform(ScriptMessage.Ask ask) {
    String problem = problem(ask.step());
    if (problem != null) {
      return new StepEnding.Failed(Failure.NOT_ALLOWED, problem);
    }
    TaskOptions options = ask.step().options();
    String key = UUID.randomUUID().toString();
    for (int number = 1; true; number++) {
      Effect effect = new Effect(ask.id(), ask.label(), number, ask.step().type(), key);
      EffectResult result = attempt(ask.step(), effect);
      switch (result) {
        case EffectResult.Interrupted() -> {
          return null;
        }
        case EffectResult.Ok(var context) -> {
          record(body(ask.step(), effect, new Receipt.Result.Ok(context)));
          return new StepEnding.Ok(context);
        }
        case EffectResult.Failed(var reason, var detail, var hint) -> {
          Receipt.Result receipt = failed(options, reason, detail);
          record(body(ask.step(), effect, receipt));
          boolean isRetried =
              number < options.retry().max()
                  && options.isRetried(reason)
                  && !hint.isPermanent()
                  && !Failure.isFinal(reason);
          if (!isRetried) {
            return StepEnding.Failed.of(receipt);
          }
        }
        case EffectResult.Same _,
            EffectResult.Wants _,
            EffectResult.Parked _,
            EffectResult.Joined _ ->
            throw new IllegalStateException("a step of a script cannot end with " + result);
      }
    }
  }

  private EffectResult attempt(ScriptStep step, Effect effect) {
    EffectRequest request = Objects.requireNonNull(script);
    try {
      return attempt.of(
          request,
          step,
          new EffectCall("", effect, step.options().delivery(), step.with(), request.context()));
    } catch (EffectException e) {
      return new EffectResult.Failed(e.reason(), String.valueOf(e.getMessage()));
    }
  }

  private static Receipt.Result failed(TaskOptions options, String reason, String detail) {
    return options.delivery() == Delivery.AT_MOST_ONCE && EffectResult.isUnknown(reason)
        ? new Receipt.Result.Indeterminate()
        : new Receipt.Result.Failed(reason, detail);
  }

  private Receipt.Body body(ScriptStep step, Effect effect, Receipt.Result result) {
    return new Receipt.Body(
        effect,
        clock.getAsLong(),
        result,
        Receipt.hash(step.type(), step.with()),
        Receipt.Body.UNKNOWN);
  }

  /// Why a step cannot be performed without a case; null if it can.
  private static @Nullable String problem(ScriptStep step) {
    if (step.kind() != ScriptStep.Kind.CALL) {
      return "step %s waits, and a call waits for nothing; start a case".formatted(step.name());
    }
    TaskOptions options = step.options();
    if (options.timeout() != null) {
      return "step %s has a timeout; a call waits for no timer".formatted(step.name());
    }
    if (options.key() != null) {
      return "step %s has an idempotency key; a call stores no receipt".formatted(step.name());
    }
    if (options.onExhausted() == OnExhausted.PARK) {
      return "step %s parks when its attempts are used up; a call has no operator"
          .formatted(step.name());
    }
    if (options.retry().max() > 1 && options.retry().delay().isPositive()) {
      return "step %s has a retry with a delay; use a retry without delay, or start a case"
          .formatted(step.name());
    }
    return null;
  }

  @Override
  public List<Receipt> receipts() {
    return List.copyOf(receipts);
  }

  @Override
  public boolean mayBlock() {
    return false;
  }

  @Override
  public long millis() {
    return clock.getAsLong();
  }
}
