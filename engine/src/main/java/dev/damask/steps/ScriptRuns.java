package dev.damask.steps;

import dev.damask.clock.EngineClock;
import dev.damask.effect.Computation;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.event.EffectRequest;
import dev.damask.intake.Request;
import dev.damask.script.ScriptFunction;
import dev.damask.script.ScriptMessage;
import dev.damask.script.ScriptPort;
import dev.damask.script.ScriptRun;
import dev.damask.script.StepEnding;
import dev.damask.store.Store;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/// The runs of the scripts of one shard: starts them, wakes scripts that left memory, and ends
/// runs.
public final class ScriptRuns {
  private final Store store;
  private final EngineClock clock;
  private final boolean mayBlock;
  private final Predicate<Request> inbox;

  /// The runs in memory; also read by the closer.
  private final Set<ScriptRun> running = ConcurrentHashMap.newKeySet();

  private volatile boolean isClosing; // written by the closer

  /// @param inbox takes a request to the shard; false when the shard is gone
  ScriptRuns(Store store, EngineClock clock, boolean mayBlock, Predicate<Request> inbox) {
    this.store = store;
    this.clock = clock;
    this.mayBlock = mayBlock;
    this.inbox = inbox;
  }

  boolean isClosing() {
    return isClosing;
  }

  /// No script starts any more; those that run end at their next step.
  public void closing() {
    isClosing = true;
    unwindAll("the engine closes");
  }

  /// Ends all runs of the shard.
  public void unwindAll(String why) {
    running.forEach(run -> run.unwind(why));
    running.clear();
  }

  void send(String caseId, ScriptRun run, ScriptMessage message) {
    if (!inbox.test(new Request.Scripted(caseId, run, message))) {
      run.unwind("the engine is closed");
    }
  }

  private ScriptPort port(String caseId) {
    return new ScriptPort() {
      @Override
      public void send(ScriptRun run, ScriptMessage message) {
        ScriptRuns.this.send(caseId, run, message);
      }

      @Override
      public List<Receipt> receipts() {
        return store.receipts(caseId);
      }

      @Override
      public boolean mayBlock() {
        return mayBlock;
      }

      @Override
      public long millis() {
        return clock.millis();
      }
    };
  }

  /// Starts a run when what has been done so far is durable.
  void start(ScriptCase live, LiveScript script, boolean isFirst) {
    if (script.isParked) {
      return;
    }
    EffectRequest request = script.request;
    Effect effect =
        new Effect(request.id(), request.task().name(), request.attempt(), Computation.TYPE, "");
    int token = request.token().number();
    EffectIntent intent = EffectIntent.of(effect, token, false, Delivery.READ, Context.empty());
    if (isClosing || live.isQuarantined()) {
      live.compute(intent);
      return;
    }
    live.compute(intent.forAttempt(request.attempt(), true, 0));
    List<EffectIntent> open = script.open(live);
    script.endedSince.clear();
    open.forEach(each -> script.endedSince.put(each.id(), null));
    EffectCall call = intent.call(live.id(), request.context());
    ScriptFunction function = (ScriptFunction) Objects.requireNonNull(request.task().function());
    ScriptRun run =
        new ScriptRun(
            new ScriptRun.Plan(
                call, function, port(live.id()), open, isFirst, ++script.runs, request.undone()));
    script.run = run;
    running.add(run);
    live.start(call, run);
  }

  /// Tells a run how a step has ended, unless its handler has done so; a script that is out of
  /// memory runs again.
  void deliver(ScriptCase live, LiveScript script, EffectId step, StepEnding outcome) {
    ScriptRun run = script.run;
    if (run == null || !mayBlock) {
      restart(live, script);
    } else if (!outcome.equals(run.outcome(step))) {
      live.tell(() -> run.deliver(step, outcome));
    }
  }

  /// A step of a script waits: a run in memory must not wait for it without an end.
  void held(ScriptCase live, LiveScript script) {
    ScriptRun run = script.run;
    if (run != null) {
      live.tell(run::mayTakeLong);
    }
  }

  /// Runs a script that is out of memory.
  void wake(ScriptCase live, LiveScript script) {
    if (script.run == null) {
      start(live, script, false);
    }
  }

  /// A script leaves memory; its case may follow.
  void leave(ScriptCase live, LiveScript script) {
    ScriptRun run = script.run;
    EffectIntent computing = live.intent(script.id());
    if (run != null) {
      unwind(live, run, "the script leaves memory while it waits");
      script.run = null;
    }
    if (computing != null) {
      live.drop(computing);
      live.setDirty(); // its stored status changes: the next engine need not take it up
    }
  }

  /// Runs a script again from its beginning.
  void restart(ScriptCase live, LiveScript script) {
    if (script.run != null) {
      unwind(live, script.run, "the script starts again");
    }
    start(live, script, false);
  }

  /// A script is an incident. Its open steps may still end, and are recorded.
  void park(ScriptCase live, LiveScript script) {
    if (script.run != null) {
      unwind(live, script.run, "the script is an incident");
      script.run = null;
    }
    script.isParked = true;
  }

  /// The case waits for the script no longer.
  void end(ScriptCase live, LiveScript script, String why) {
    live.scripts().remove(script.id());
    if (script.run != null) {
      unwind(live, script.run, why);
      script.run = null;
    }
  }

  void unwind(ScriptCase live, ScriptRun run, String why) {
    running.remove(run);
    live.tell(() -> run.unwind(why));
  }

  /// A case is quarantined: its scripts run again when it is released.
  public void drop(ScriptCase live) {
    for (LiveScript each : live.scripts().values()) {
      if (each.run != null) {
        running.remove(each.run);
        each.run.unwind("the case was quarantined");
        each.run = null;
      }
    }
  }
}
