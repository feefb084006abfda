package dev.damask.steps;

import dev.damask.clock.EngineClock;
import dev.damask.effect.Computation;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectIntent.Held;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Receipt;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.TokenId;
import dev.damask.family.ChildCase;
import dev.damask.family.ChildRequest;
import dev.damask.intake.Request;
import dev.damask.script.ScriptDivergedException;
import dev.damask.script.ScriptFunction;
import dev.damask.script.ScriptMessage;
import dev.damask.script.ScriptRun;
import dev.damask.script.ScriptStep;
import dev.damask.script.StepEnding;
import dev.damask.store.Store;
import dev.damask.task.Expression;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The steps of the scripts of one shard: turns what a run asks for into intents, receipts and
/// calls of its case, and notifies the run of the end of its steps.
public final class ScriptSteps {
  private final ScriptRuns runs;
  private final StepResults results;
  private final ScriptSignals signals;

  /// The steps of one shard.
  ///
  /// @param mayBlock whether runs may block their threads
  /// @param inbox takes a request to the shard; false when the shard is gone
  public static ScriptSteps of(
      Store store, EngineClock clock, boolean mayBlock, Predicate<Request> inbox) {
    return new ScriptSteps(new ScriptRuns(store, clock, mayBlock, inbox));
  }

  private ScriptSteps(ScriptRuns runs) {
    this.runs = runs;
    this.results = new StepResults(runs);
    this.signals = new ScriptSignals(results);
  }

  /// Returns the runs of the shard.
  public ScriptRuns runs() {
    return runs;
  }

  /// The function of a task is a script; it starts when the wait for it is durable.
  ///
  /// @param isFirst whether nothing can be recorded of it
  public void begin(ScriptCase live, EffectRequest request, boolean isFirst) {
    LiveScript before = live.scripts().get(request.id());
    if (before != null && before.run != null) {
      runs.unwind(live, before.run, "the script starts again");
    }
    LiveScript script = new LiveScript(request);
    live.put(script);
    script.isParked = request.notBefore().isPresent();
    EffectIntent parked = live.intent(request.id());
    if (!script.isParked && parked != null && !parked.type().equals(Computation.TYPE)) {
      live.drop(parked); // an operator retries the script
    }
    runs.start(live, script, isFirst);
  }

  /// The messages of a run to its case.
  public void perform(ScriptCase live, ScriptRun run, ScriptMessage message, long now) {
    LiveScript script = live.scripts().get(run.call().id());
    if (script == null || script.run != run) {
      runs.unwind(live, run, "the script does not wait for this run");
      return;
    }
    switch (message) {
      case ScriptMessage.Ask ask -> {
        ask.marks().forEach(live::receipt);
        ask(live, script, ask, now);
      }
      case ScriptMessage.Note(var marks, var cancels) -> {
        marks.forEach(live::receipt);
        if (!cancels.isEmpty()) {
          cancel(live, script, cancels, now);
        }
      }
      case ScriptMessage.Leave() -> {
        List<EffectIntent> open = script.open(live);
        if (!open.isEmpty() && open.stream().allMatch(OpenStep::isIdle)) {
          runs.leave(live, script);
        }
      }
      case ScriptMessage.Stop(var why) -> {
        runs.park(live, script);
        String reason =
            why instanceof ScriptDivergedException ? ScriptFunction.DIVERGED : ScriptFunction.ERROR;
        live.park(script.request, reason, detail(run, why), now);
      }
    }
  }

  private static String detail(ScriptRun run, Throwable why) {
    return why instanceof ScriptDivergedException
        ? String.valueOf(why.getMessage())
        : "script %s of case %s stopped: %s"
            .formatted(run.call().task(), run.call().caseId(), EffectResult.text(why));
  }

  private void ask(ScriptCase live, LiveScript script, ScriptMessage.Ask ask, long now) {
    StepEnding ended = script.endedSince.get(ask.id());
    if (ended != null) {
      runs.deliver(live, script, ask.id(), ended);
      return;
    }
    script.asked.put(ask.id(), ask.step());
    EffectIntent intent = live.intent(ask.id());
    if (intent == null) {
      first(new OpenStep(live, script, planned(live, script, ask), now), ask.step());
    } else if (OpenStep.isIdle(intent)) {
      if (ask.step().handler() instanceof ChildCase child) {
        live.know(child); // its start may wait for an engine that knows its workflow
      }
      runs.held(live, script);
    } else if (!script.called.contains(intent.id()) && !live.isElsewhere(intent.id())) {
      again(new OpenStep(live, script, intent, now), ask.step());
    }
    if (ask.step().kind() == ScriptStep.Kind.AWAIT) {
      var _ = signals.serve(live, now);
    }
  }

  /// A step whose attempt may have been made by an earlier engine.
  private void again(OpenStep open, ScriptStep step) {
    if (open.intent().sent() && open.isAtMostOnce()) {
      results.unknown(open);
    } else {
      results.send(open, step);
    }
  }

  private void first(OpenStep open, ScriptStep step) {
    open.trace(Input.ScriptStep.Kind.STARTED, "");
    if (step.handler() == null) {
      long due = StepResults.due(step.within(), open.now());
      open.live().plan(open.intent().withHeld(Held.FOR_TIME, due));
      runs.held(open.live(), open.script());
      return;
    }
    try {
      String refusal = open.live().refusal(open.script().request, step.type(), open.now());
      if (refusal != null) {
        results.giveUp(open, new Receipt.Result.Refused(refusal));
        return;
      }
      open.live().charge(step.options().cost());
      EffectIntent held = open.live().held(open.intent(), open.now());
      if (held.isHeld()) {
        open.live().plan(held);
        runs.held(open.live(), open.script());
      } else {
        results.send(open.with(held), step);
      }
    } catch (EffectException e) {
      results.refuse(open, e.reason(), String.valueOf(e.getMessage()));
    }
  }

  private static EffectIntent planned(ScriptCase live, LiveScript script, ScriptMessage.Ask ask) {
    ScriptStep step = ask.step();
    Expression expression = step.options().key();
    Object own = expression == null ? null : expression.value(script.request.context());
    String key = own == null ? ChildRequest.idOf(live.id(), ask.id()) : own.toString();
    Effect effect = new Effect(ask.id(), ask.label(), 1, step.type(), key);
    int token = script.token().number();
    return EffectIntent.of(effect, token, own != null, step.options().delivery(), step.with())
        .asStep();
  }

  /// Returns what is wrong with the payload of a signal, for each open step that awaits it.
  public static List<List<String>> problems(ScriptCase live, Input.Signal signal) {
    return live.scripts().isEmpty() ? List.of() : ScriptSignals.problems(live, signal, 0);
  }

  /// Returns the open step of an intent; null if it is not a step of a live script.
  public @Nullable OpenStep open(ScriptCase live, @Nullable EffectIntent intent, long now) {
    LiveScript script = intent == null ? null : of(live, intent);
    return intent == null || script == null ? null : new OpenStep(live, script, intent, now);
  }

  static @Nullable LiveScript of(ScriptCase live, EffectIntent intent) {
    if (intent.step()) {
      for (LiveScript each : live.scripts().values()) {
        if (each.owns(intent.id(), intent.task())) {
          return each;
        }
      }
    }
    return null;
  }

  /// Takes the result of a step or of a stale run; false if it is another one's.
  public boolean reported(ScriptCase live, EffectCall call, EffectResult result, long now) {
    OpenStep open = open(live, live.intent(call.id()), now);
    if (open != null) {
      if (result instanceof EffectResult.Ok || open.intent().attempt() == call.attempt()) {
        results.report(open, result);
      }
      ScriptRun run = open.script().run;
      boolean isRefused = !(result instanceof EffectResult.Ok);
      if (isRefused && run != null && run.outcome(call.id()) instanceof StepEnding.Ok) {
        runs.restart(live, open.script()); // the run has gone by a result that is not accepted
      }
      return true;
    }
    // A step that no intent waits for has a result after all: the run that may have seen it starts
    // over.
    for (LiveScript each : List.copyOf(live.scripts().values())) {
      if (each.run != null && each.owns(call.id(), call.task())) {
        runs.restart(live, each);
      }
    }
    EffectIntent left = live.intent(call.id());
    return isStale(live, call) || (left != null && left.step());
  }

  /// Whether the result of a script comes from a run that is not its last.
  @SuppressWarnings("ReferenceEquality") // a run hands over the call that it was started with
  private static boolean isStale(ScriptCase live, EffectCall call) {
    LiveScript script = live.scripts().get(call.id());
    return call.type().equals(Computation.TYPE)
        && script != null
        && (script.run == null || script.run.call() != call);
  }

  /// The child case of a step has completed with a context.
  public void childCompleted(OpenStep open, EffectResult result) {
    switch (result) {
      case EffectResult.Failed(var reason, var detail, _) -> childFailed(open, reason, detail);
      default -> results.report(open, result);
    }
  }

  /// The child case of a step has no result. It is not started again: a script may catch that.
  public void childFailed(OpenStep open, String reason, String detail) {
    results.giveUp(open, new Receipt.Result.Failed(reason, detail));
  }

  /// The time of a step is up.
  public void timeUp(OpenStep open) {
    results.timeUp(open);
  }

  /// The limit of its type allows a step to be sent.
  public void admitted(OpenStep open) {
    results.admitted(open);
  }

  /// A person or another system answers an open step.
  public Reply answer(OpenStep open, Request.Verdict verdict) {
    return results.answer(open, verdict);
  }

  /// An item of an `all` failed: the steps of the others are cancelled.
  private void cancel(ScriptCase live, LiveScript script, String labels, long now) {
    for (EffectIntent intent : script.open(live)) {
      if (intent.task().startsWith(labels)) {
        OpenStep open = new OpenStep(live, script, intent, now);
        open.stop();
        open.trace(Input.ScriptStep.Kind.WITHDRAWN, "");
        results.end(open, new StepEnding.Cancelled());
      }
    }
  }

  /// A token is gone: so are the run and the open steps of its script.
  public void withdraw(ScriptCase live, TokenId token, long now) {
    for (LiveScript script : List.copyOf(live.scripts().values())) {
      if (script.token().equals(token)) {
        for (EffectIntent intent : script.open(live)) {
          new OpenStep(live, script, intent, now).stop();
          live.drop(intent);
        }
        runs.end(live, script, "the task was cancelled");
      }
    }
  }

  /// Applies an input from outside. A signal may be what a script awaits.
  public Reply feed(ScriptCase live, Input input, long now) {
    return signals.feed(live, input, now);
  }

  /// After a move: what the workflow put on an external place may be what a script awaits.
  public void settle(ScriptCase live, long now) {
    for (LiveScript each : List.copyOf(live.scripts().values())) {
      if (!live.isWaiting(each.token())) {
        withdraw(live, each.token(), now);
      }
    }
    var _ = signals.serve(live, now);
  }

  /// Results that runs received may have been undone: they start again.
  public void restart(ScriptCase live) {
    for (LiveScript each : List.copyOf(live.scripts().values())) {
      if (live.isWaiting(each.token())) {
        runs.restart(live, each);
      } else {
        runs.end(live, each, "the task no longer waits");
      }
    }
  }
}
