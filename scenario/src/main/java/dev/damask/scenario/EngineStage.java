package dev.damask.scenario;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.ManualEngine;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Effects;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.Scheduler;
import dev.damask.event.TokenId;
import dev.damask.event.TraceEvent;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.history.CaseObserver;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.store.MemoryStore;
import dev.damask.task.EffectId;
import dev.damask.task.TaskFunction;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// One case on the engine, with a store in memory and in virtual time. It has no handlers: every
/// task waits until an input answers it.
public final class EngineStage implements ScenarioRunner.Stage {
  private static final String CASE = "case-1";

  private final VirtualClock clock = new VirtualClock(0);
  private final MemoryStore store = new MemoryStore();
  private final ManualEngine engine;
  private final Machine reader;
  private final Map<EffectId, EffectCall> computing = new HashMap<>();
  private Effects.Sink sink = (_, _) -> {};

  /// Starts a case at time zero and runs it until it waits.
  ///
  /// @param scheduler makes the choices
  /// @param tracer receives the trace of every move once it is durable
  public EngineStage(
      WorkflowDefinition workflow, Scheduler scheduler, Context context, Tracer tracer) {
    EngineOptions options =
        EngineOptions.defaults()
            .withShards(1)
            .withTrace(TraceLevel.FULL)
            .withClock(clock)
            .withHandlers(Map.of())
            .withSchedulers(_ -> Optional.of(scheduler))
            .withWatch(new Forwarding(tracer));
    this.engine =
        ManualEngine.open(
            options,
            store,
            made -> {
              sink = made;
              return new NoEffects();
            },
            workflow);
    Program program = engine.program(workflow);
    this.reader =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    ask(engine.start(workflow, CASE, context, CaseOptions.DEFAULT));
  }

  @Override
  public Reply apply(Input input) {
    return switch (input) {
      case Input.TaskDone(var token, var result) -> {
        EffectId id = effect(token);
        yield isReported(id, new EffectResult.Ok(result))
            ? Reply.ACCEPTED
            : ask(engine.completeTask(CASE, id, result));
      }
      case Input.TaskFailed(var token, var reason, var detail, _) -> {
        EffectId id = effect(token);
        yield isReported(id, new EffectResult.Failed(reason, detail))
            ? Reply.ACCEPTED
            : ask(engine.failTask(CASE, id, reason));
      }
      case Input.TaskRetried(var token) -> ask(engine.retryTask(CASE, effect(token)));
      case Input.CancelTask(var token) -> ask(engine.cancelTask(CASE, effect(token)));
      case Input.Advance(var millis) -> {
        clock.moveTo(millis);
        settle();
        yield Reply.ACCEPTED;
      }
      default -> ask(engine.feed(CASE, input, null));
    };
  }

  /// Returns the effect that a token waits for, or an id that never exists if it waits for none.
  private EffectId effect(TokenId token) {
    CaseView view = ask(engine.status(CASE));
    return view.tasks().stream()
        .filter(task -> task.token() == token.number())
        .map(PendingTask::id)
        .findFirst()
        .orElse(new EffectId(0));
  }

  /// Ends a slow function with a result. Returns false if it does not run.
  private boolean isReported(EffectId id, EffectResult result) {
    EffectCall call = computing.remove(id);
    if (call != null) {
      sink.report(call, result);
      settle();
    }
    return call != null;
  }

  /// Advances the clock and stops at every timer that is due.
  @Override
  public void advance(long millis) {
    long target = clock.millis() + millis;
    for (long next = engine.nextDue(); next <= target; next = engine.nextDue()) {
      clock.moveTo(next);
      settle();
    }
    clock.moveTo(target);
    settle();
  }

  /// Returns the stored state.
  @SuppressWarnings("exports") // the state is for our own modules
  @Override
  public ExecState state() {
    return store.load(CASE).orElseThrow().record().decode(reader);
  }

  private <T> T ask(CompletableFuture<T> reply) {
    settle();
    try {
      return reply.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private void settle() {
    while (engine.turn()) {
      // Until nothing is left to do at this time.
    }
  }

  /// Passes the trace of every commit to the tracer.
  private record Forwarding(Tracer tracer) implements CaseObserver {
    @Override
    public void traced(String caseId, List<TraceEvent> events) {
      events.forEach(tracer::accept);
    }
  }

  /// Makes no calls, because there are no handlers.
  private final class NoEffects extends Effects.None {
    @Override
    public void start(EffectCall call, EffectHandler handler, boolean userKey) {
      throw new IllegalStateException("no handler is registered for " + call);
    }

    @Override
    public void compute(EffectCall call, TaskFunction function) {
      computing.put(call.id(), call); // as any other task it waits until an input answers it
    }

    @Override
    public void withdraw(String caseId, EffectId id) {
      computing.remove(id);
    }
  }
}
