package dev.damask.cases;

import dev.damask.caller.CaseResult;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Effects;
import dev.damask.effect.JoiningHandler;
import dev.damask.effect.SecretFiller;
import dev.damask.effect.TransactionalHandler;
import dev.damask.event.Failure;
import dev.damask.history.TraceListeners;
import dev.damask.intake.Counters;
import dev.damask.intake.JfrEvents;
import dev.damask.intake.RecentEnds;
import dev.damask.intake.ShardActivity;
import dev.damask.nursery.CancelToken;
import dev.damask.ops.CaseEvent;
import dev.damask.ops.IncidentRows;
import dev.damask.ops.ScopeCancelled;
import dev.damask.ops.TaskRows;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.RowCounts;
import dev.damask.task.Delivery;
import dev.damask.value.Context;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Publishes what is durable: handlers are called and interrupted, callers get their answers, those
/// who await an end are notified.
final class CommitPublisher {
  private final EngineOptions options;
  private final Effects effects;
  private final Counters counters;
  private final TraceListeners traces;
  private final BiConsumer<String, Runnable> listeners;
  private final Engine engine;
  private final RecentEnds recent;

  // Belongs to the thread that holds the shard's lock.
  private final Map<String, List<CompletableFuture<CaseResult<Context>>>> awaiting =
      new HashMap<>();

  CommitPublisher(EngineOptions options, Effects effects, Engine engine, RecentEnds recent) {
    this.recent = recent;
    this.traces = engine.traceListeners;
    this.options = options;
    this.effects = effects;
    this.counters = engine.counters;
    this.listeners = engine::listen;
    this.engine = engine;
  }

  void await(String caseId, CompletableFuture<CaseResult<Context>> future) {
    awaiting.computeIfAbsent(caseId, _ -> new ArrayList<>()).add(future);
  }

  /// Notes that a batch is durable: its cases, and the ends that are awaited. The caller holds the
  /// shard's lock.
  void settle(Batch done) {
    for (int i = 0; i < done.commits.size(); i++) {
      LiveCase each = done.cases.get(i);
      each.durable(done.commits.get(i).record().revision());
    }
    for (AfterCommit.End end : done.telling.ends) {
      counters.ended.increment(); // before a caller can receive the result
      recent.add(end.caseId(), end.result());
      List<CompletableFuture<CaseResult<Context>>> futures = awaiting.remove(end.caseId());
      if (futures != null) {
        futures.forEach(future -> done.awaited.add(new AfterCommit.Ack<>(future, end.result())));
      }
    }
  }

  /// The steps of a publication. One that breaks hinders none of the others, because the batch is
  /// durable: its callers must get their answers.
  private static final class Steps {
    private @Nullable Throwable broken;

    void run(Runnable step) {
      try {
        step.run();
      } catch (ShardActivity.LeftBehind e) {
        throw e;
      } catch (OutOfMemoryError e) {
        broken = e;
      } catch (RuntimeException | AssertionError | LinkageError | VirtualMachineError e) {
        broken = broken == null ? e : broken; // listeners catch whatever else users may throw
      }
    }

    /// Throws what broke first, or that memory ran out.
    void end() {
      if (broken instanceof Error error) {
        throw error;
      }
      if (broken instanceof RuntimeException thrown) {
        throw thrown;
      }
    }
  }

  /// Publishes a durable batch. Calls and interrupts go before answers: once a cancellation is
  /// acknowledged nothing of it continues. If a step breaks, the others are done, and what broke is
  /// thrown: the shard then takes up the effects that were not called.
  void publish(Batch done) {
    Steps steps = new Steps();
    steps.run(() -> count(done));
    for (CaseCommit commit : done.commits) {
      steps.run(() -> listen(commit.record()));
      steps.run(() -> traces.committed(commit));
    }
    for (AfterCommit.Settled each : done.telling.settled) {
      EffectIntent intent = each.intent();
      steps.run(() -> effects.settled(each.caseId(), intent.id(), intent.type(), intent.key()));
    }
    done.telling.outgoing.forEach(each -> steps.run(() -> send(each)));
    steps.run(() -> engine.messages.committed(done.rows));
    done.telling.acks.forEach(ack -> steps.run(ack::tell));
    for (AfterCommit.Notification each : done.telling.cancelled) {
      String name = "listener of scope " + each.event().scope();
      steps.run(() -> listeners.accept(name, () -> notify(each)));
    }
    for (AfterCommit.End end : done.telling.ends) {
      steps.run(() -> JfrEvents.CaseEnded.report(end.caseId(), end.result()));
    }
    done.awaited.forEach(ack -> steps.run(ack::tell));
    steps.end();
  }

  private void send(AfterCommit.Outgoing outgoing) {
    switch (outgoing) {
      case AfterCommit.Call call -> call(call);
      case AfterCommit.Compute(var call, var function) -> effects.compute(call, function);
      case AfterCommit.Script(var call, var run) -> effects.script(call, run);
      case AfterCommit.News(var news) -> news.run();
      case AfterCommit.Wait(var waiter) -> engine.permits.await(waiter, options.clock().millis());
      case AfterCommit.Release(var owner) ->
          engine.permits.release(owner, options.clock().millis());
      case AfterCommit.Recovered(var shard) ->
          engine.permits.recovered(shard, options.clock().millis());
      case AfterCommit.Withdrawal(var caseId, var effect) -> effects.withdraw(caseId, effect);
    }
  }

  private static void notify(AfterCommit.Notification notification) {
    ScopeCancelled event = notification.event();
    try {
      notification.listener().accept(event);
    } catch (Throwable e) { // the user's, on its own thread; the cancellation is durable
      System.getLogger(Engine.class.getName())
          .log(System.Logger.Level.WARNING, "a listener of scope " + event.scope() + " failed", e);
    }
  }

  private void count(Batch done) {
    if (!done.commits.isEmpty()) {
      countCommits(done);
    }
    counters.removed.add(done.removals.size());
    if (!done.rows.isEmpty()) {
      counters.incidents.add(RowCounts.difference(done.rows, IncidentRows.KIND));
      IncidentRows.log(done.rows);
      if (RowCounts.difference(done.rows, TaskRows.KIND) > 0) {
        engine.tasks.added();
      }
      counters.paused.add(RowCounts.difference(done.rows, CasePauses.KIND));
    }
  }

  private void countCommits(Batch done) {
    long bytes = 0;
    for (CaseCommit commit : done.commits) {
      bytes += commit.stateBytes() + commit.record().caseId().length();
    }
    counters.batches.increment();
    counters.commits.add(done.commits.size());
    counters.bytes.add(bytes);
    counters.committing.record(System.nanoTime() - done.submittedNanos);
    if (done.flight != null) {
      done.flight.end(done.commits.size(), bytes);
    }
  }

  private void listen(CaseRecord record) {
    CaseEvent event =
        new CaseEvent(record.caseId(), record.workflow(), record.status(), record.revision());
    try {
      options.listener().accept(event);
    } catch (OutOfMemoryError e) { // the engine stops
      throw e;
    } catch (Throwable e) { // the user's; the case is durable whatever it thinks
      System.getLogger(Engine.class.getName())
          .log(System.Logger.Level.WARNING, "a listener of case events failed", e);
    }
    engine.caseListeners.committed(event);
  }

  private void call(AfterCommit.Call call) {
    EffectIntent intent = call.intent();
    EffectCall stored = intent.call(call.caseId(), call.context()).withTerms(terms(call));
    EffectHandler handler = new SecretFiller(inEngine(call), options.secrets());
    engine.ownership.call(() -> effects.start(stored, handler, intent.userKey()));
  }

  private EffectHandler inEngine(AfterCommit.Call call) {
    return switch (call.handler()) {
      case TransactionalHandler joining ->
          new JoiningHandler(joining, options.transactions, engine.store::begin);
      case EffectHandler _ when call.intent().delivery() == Delivery.EXACTLY_ONCE -> NOT_JOINING;
      case EffectHandler other -> other;
    };
  }

  /// In the place of a handler that would perform an effect outside of the transaction.
  private static final EffectHandler NOT_JOINING =
      _ -> {
        throw EffectException.permanent(
            Failure.NOT_ALLOWED,
            "the handler accepts no connection, so its effect cannot be delivered exactly once");
      };

  private EffectCall.Terms terms(AfterCommit.Call call) {
    long deadlineMillis = call.deadlineMillis();
    Optional<Instant> deadline =
        deadlineMillis == EffectIntent.NEVER
            ? Optional.empty()
            : Optional.of(Instant.ofEpochMilli(deadlineMillis));
    return new EffectCall.Terms(
        deadline, CancelToken.create(), engine.store.epoch(), call.traceparent());
  }

  /// The case was never stored: returns the refusal of the callers that await its end.
  Runnable refusal(String caseId, RuntimeException why) {
    List<CompletableFuture<CaseResult<Context>>> futures = awaiting.remove(caseId);
    return () -> {
      if (futures != null) {
        futures.forEach(future -> future.completeExceptionally(why));
      }
    };
  }

  /// Returns the refusal of the callers that await the ends of some cases.
  Runnable refusal(Predicate<String> isMeant, RuntimeException why) {
    List<Runnable> all = new ArrayList<>();
    List.copyOf(awaiting.keySet()).stream()
        .filter(isMeant)
        .forEach(caseId -> all.add(refusal(caseId, why)));
    return () -> all.forEach(Runnable::run);
  }

  /// The engine is gone: refuses all callers that await an end.
  void refuse(RuntimeException why) {
    awaiting.values().forEach(all -> all.forEach(future -> future.completeExceptionally(why)));
  }
}
