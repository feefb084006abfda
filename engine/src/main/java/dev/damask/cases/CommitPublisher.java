package dev.damask.cases;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Effects;
import dev.damask.effect.SecretFiller;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/// Where a shard tells the outside what is durable: handlers are called and interrupted, callers
/// get their answers, those who await an end hear of it. It belongs to the thread of its shard.
final class CommitPublisher {
  private final EngineOptions options;
  private final Effects effects;
  private final Counters counters;
  private final TraceListeners traces;
  private final BiConsumer<String, Runnable> listeners;
  private final Map<String, List<CompletableFuture<CaseResult>>> awaiting = new HashMap<>();

  CommitPublisher(EngineOptions options, Effects effects, Engine engine) {
    this.traces = engine.traceListeners;
    this.options = options;
    this.effects = effects;
    this.counters = engine.counters;
    this.listeners = engine::listen;
  }

  void await(String caseId, CompletableFuture<CaseResult> future) {
    awaiting.computeIfAbsent(caseId, _ -> new ArrayList<>()).add(future);
  }

  /// Calls and interrupts go before answers: once a cancellation is acknowledged nothing of it goes
  /// on.
  void release(Batch done) {
    if (!done.commits.isEmpty()) {
      count(done);
    }
    counters.removed.add(done.removals.size());
    for (int i = 0; i < done.commits.size(); i++) {
      durable(done.cases.get(i), done.commits.get(i).record());
      traces.committed(done.commits.get(i));
    }
    for (AfterCommit.Settled each : done.telling.settled) {
      EffectIntent intent = each.intent();
      effects.settled(each.caseId(), intent.id(), intent.type(), intent.key());
    }
    for (AfterCommit.Outgoing each : done.telling.outgoing) {
      switch (each) {
        case AfterCommit.Call call -> call(call);
        case AfterCommit.Compute(var call, var function) -> effects.compute(call, function);
        case AfterCommit.Withdrawal(var caseId, var effect) -> effects.withdraw(caseId, effect);
      }
    }
    done.telling.acks.forEach(AfterCommit.Ack::tell);
    for (AfterCommit.Notification each : done.telling.cancelled) {
      listeners.accept("listener of scope " + each.event().scope(), () -> notify(each));
    }
    for (AfterCommit.End end : done.telling.ends) {
      counters.ended.increment();
      JfrEvents.CaseEnded event = new JfrEvents.CaseEnded();
      if (event.shouldCommit()) {
        event.caseId = end.caseId();
        event.result = end.result().getClass().getSimpleName();
        event.commit();
      }
      List<CompletableFuture<CaseResult>> futures = awaiting.remove(end.caseId());
      if (futures != null) {
        futures.forEach(future -> future.complete(end.result()));
      }
    }
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
      done.flight.cases = done.commits.size();
      done.flight.bytes = bytes;
      done.flight.commit();
    }
  }

  private void durable(LiveCase each, CaseRecord record) {
    each.durable(record.revision());
    if (each.durableRevision == each.revision()) {
      each.recent.clear();
    }
    try {
      options
          .listener()
          .accept(
              new CaseEvent(
                  record.caseId(), record.workflow(), record.status(), record.revision()));
    } catch (RuntimeException | Error e) { // the user's; the case is durable whatever it thinks
      System.getLogger(Engine.class.getName())
          .log(System.Logger.Level.WARNING, "a listener of case events failed", e);
    }
  }

  private void call(AfterCommit.Call call) {
    EffectIntent intent = call.intent();
    EffectCall stored =
        new EffectCall(
            call.caseId(),
            intent.id(),
            intent.task(),
            intent.type(),
            intent.key(),
            intent.attempt(),
            intent.delivery(),
            intent.with(),
            call.context());
    EffectHandler handler = new SecretFiller(call.handler(), options.secrets());
    effects.start(stored, handler, intent.userKey());
  }

  /// The case never was: whoever awaits its end hears why.
  void refuse(String caseId, RuntimeException why) {
    List<CompletableFuture<CaseResult>> futures = awaiting.remove(caseId);
    if (futures != null) {
      futures.forEach(future -> future.completeExceptionally(why));
    }
  }

  /// The engine is gone: nobody waits for ever.
  void refuse(RuntimeException why) {
    awaiting.values().forEach(all -> all.forEach(future -> future.completeExceptionally(why)));
  }
}
