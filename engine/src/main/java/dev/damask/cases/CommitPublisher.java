package dev.damask.cases;

import dev.damask.caller.CaseResult;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Effects;
import dev.damask.effect.SecretFiller;
import dev.damask.family.ChildCase;
import dev.damask.history.TraceListeners;
import dev.damask.intake.JfrEvents;
import dev.damask.intake.RecentEnds;
import dev.damask.nursery.CancelToken;
import dev.damask.ops.CaseEvent;
import dev.damask.ops.IncidentRows;
import dev.damask.ops.ScopeCancelled;
import dev.damask.script.StepHandler;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
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
      recent.add(end.caseId(), end.result());
      List<CompletableFuture<CaseResult<Context>>> futures = awaiting.remove(end.caseId());
      if (futures != null) {
        futures.forEach(future -> done.awaited.add(new AfterCommit.Ack<>(future, end.result())));
      }
    }
  }

  /// Publishes a durable batch. Calls and interrupts go before answers: once a cancellation is
  /// acknowledged nothing of it continues.
  void publish(Batch done) {
    if (!done.commits.isEmpty()) {
      count(done);
    }
    counters.removed.add(done.removals.size());
    if (!done.rows.isEmpty()) {
      counters.incidents.add(IncidentRows.difference(done.rows));
    }
    for (CaseCommit commit : done.commits) {
      listen(commit.record());
      traces.committed(commit);
    }
    for (AfterCommit.Settled each : done.telling.settled) {
      EffectIntent intent = each.intent();
      effects.settled(each.caseId(), intent.id(), intent.type(), intent.key());
    }
    for (AfterCommit.Outgoing each : done.telling.outgoing) {
      switch (each) {
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
    engine.messages.committed(done.rows);
    done.telling.acks.forEach(AfterCommit.Ack::tell);
    for (AfterCommit.Notification each : done.telling.cancelled) {
      listeners.accept("listener of scope " + each.event().scope(), () -> notify(each));
    }
    for (AfterCommit.End end : done.telling.ends) {
      counters.ended.increment();
      JfrEvents.CaseEnded.report(end.caseId(), end.result());
    }
    done.awaited.forEach(AfterCommit.Ack::tell);
  }

  private static void notify(AfterCommit.Notification notification) {
    ScopeCancelled event = notification.event();
    try {
      notification.listener().accept(event);
    } catch (RuntimeException | Error e) { // the user's; the cancellation is durable
      System.getLogger(Engine.class.getName())
          .log(System.Logger.Level.WARNING, "a listener of scope " + event.scope() + " failed", e);
    }
  }

  private void count(Batch done) {
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
    } catch (RuntimeException | Error e) { // the user's; the case is durable whatever it thinks
      System.getLogger(Engine.class.getName())
          .log(System.Logger.Level.WARNING, "a listener of case events failed", e);
    }
    engine.caseListeners.committed(event);
  }

  private void call(AfterCommit.Call call) {
    EffectIntent intent = call.intent();
    EffectCall stored = intent.call(call.caseId(), call.context()).withTerms(terms(call));
    EffectHandler handler = new SecretFiller(inEngine(call.handler()), options.secrets());
    engine.ownership.call(() -> effects.start(stored, handler, intent.userKey()));
  }

  /// A child of a script is awaited by the step's handler.
  private EffectHandler inEngine(EffectHandler handler) {
    return handler instanceof StepHandler(var run, ChildCase child)
        ? new StepHandler(run, new AwaitedChild(engine, child))
        : handler;
  }

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
