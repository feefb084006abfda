package dev.damask.cases;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectResult;
import dev.damask.effect.EffectTransaction;
import dev.damask.event.EffectRequest;
import dev.damask.event.Failure;
import dev.damask.history.TraceRows;
import dev.damask.intake.OpenEffects;
import dev.damask.intake.Request;
import dev.damask.store.CaseRecord;
import dev.damask.store.JoinOutcome;
import dev.damask.task.EffectId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Commits the results of handlers that worked in a transaction of the store (ADR 0045). The next
/// revision of the case is the last statement of that transaction.
///
/// Such a step is alone: the shard waits until nothing is in flight, moves the case with this one
/// result, and waits for the commit. If the database refuses, the case becomes what it was, and the
/// attempt has failed.
final class JoinedSteps {
  private final Shard shard;

  JoinedSteps(Shard shard) {
    this.shard = shard;
  }

  /// Commits the step of a case if the first input that waits is one.
  void perform(LiveCase live, long now) {
    if (!live.isAtRest() || !live.queue.isJoinedFirst()) {
      return;
    }
    shard.submit();
    shard.inFlight.awaitHere();
    boolean isCurrent = shard.live.ready(live.id) == live && !live.isDirty;
    if (!isCurrent || !(live.queue.pollFirst() instanceof Request.Report report)) {
      return; // dropped with its inputs, or committed first
    }
    if (!(report.result() instanceof EffectResult.Joined(var result, var transaction))) {
      throw new IllegalStateException("not a joined result: " + report);
    }
    EffectIntent intent = live.intents.get(report.call().id());
    EffectResult bounded = Bounds.of(live, new EffectResult.Ok(result));
    boolean isAwaited = !live.isQuarantined && TaskAnswers.isAwaited(intent, report.call());
    if (live.terms.pause() != null) {
      transaction.rollback();
      live.paused.toTakeUp.add(report.call().id()); // it is called again when the case is resumed
    } else if (intent == null || !isAwaited) {
      transaction.rollback();
    } else if (bounded instanceof EffectResult.Ok) {
      commit(live, intent, report, transaction, now);
    } else {
      transaction.rollback();
      live.queue.addFirst(new Request.Report(report.call(), bounded, report.reply()));
    }
    shard.moving.add(live);
  }

  private void commit(
      LiveCase live,
      EffectIntent intent,
      Request.Report report,
      EffectTransaction transaction,
      long now) {
    Before before = Before.of(live);
    List<Request.Queued> rest = live.queue.list();
    live.queue.clear();
    EffectResult.Joined joined = (EffectResult.Joined) report.result();
    EffectResult plain = new EffectResult.Ok(joined.result());
    live.queue.addFirst(new Request.Report(report.call(), plain, report.reply()));
    boolean isHandedOver = false;
    try {
      shard.move(live, now);
      if (live.isDirty && !live.isQuarantined) {
        shard.commitNow(live, now);
      }
      if (live.isQuarantined) {
        IllegalStateException sentence =
            new IllegalStateException("case " + live.id + " was quarantined");
        shard.publishing.addCompletion(() -> rest.forEach(each -> each.refuse(sentence)));
        return;
      }
      rest.forEach(live.queue::addLast);
      if (live.intents.get(intent.id()) == intent) {
        return; // its task did not accept the result
      }
      isHandedOver = true;
    } finally {
      if (!isHandedOver) {
        transaction.rollback();
      }
    }
    Batch batch = Batch.of(shard.takeBatch().parts());
    JoinOutcome outcome = shard.inFlight.join(batch, transaction);
    if (outcome instanceof JoinOutcome.Failed(var detail)) {
      List<Request.Queued> left = takeBack(live, before, intent);
      String sentence = "the transaction was refused: " + detail;
      EffectResult failed = new EffectResult.Failed(Failure.EXCEPTION, sentence);
      live.queue.addLast(new Request.Report(report.call(), failed, report.reply()));
      left.forEach(live.queue::addLast);
    } else if (outcome instanceof JoinOutcome.Again(var detail)) {
      List<Request.Queued> left = takeBack(live, before, intent);
      left.forEach(live.queue::addLast);
      callAgain(live, intent, report.call(), detail);
    }
  }

  private void callAgain(LiveCase live, EffectIntent intent, EffectCall call, String why) {
    System.getLogger(Engine.class.getName())
        .log(
            System.Logger.Level.WARNING,
            "{0} lost its transaction and is called again: {1}",
            call,
            why);
    for (EffectRequest request : live.state.pendingEffects()) {
      EffectHandler handler = shard.runner.governor.handler(request, intent.type());
      if (request.id().equals(intent.id()) && handler != null) {
        live.telling.outgoing.add(AfterCommit.Call.of(live, intent, request, handler));
      }
    }
  }

  /// Makes a case what it was before a commit that has not happened. Returns what waits for it.
  private List<Request.Queued> takeBack(LiveCase live, Before before, EffectIntent intent) {
    List<Request.Queued> waiting = live.queue.list();
    shard.options.watch().dropped(live.id);
    live.submitted.takeBack();
    live.record = before.record;
    live.traceMemory = before.traceMemory;
    before.restore(live.intents);
    live.undo(shard.live.lastSubmitted(live));
    if (intent.userKey()) {
      live.telling.settled.add(new AfterCommit.Settled(live.id, intent)); // others may try
    }
    return waiting;
  }

  /// What a commit changes in memory besides the state.
  private record Before(
      @Nullable CaseRecord record,
      TraceRows.@Nullable Memory traceMemory,
      List<EffectIntent> intents,
      Set<EffectId> elsewhere) {
    static Before of(LiveCase live) {
      return new Before(
          live.record,
          live.traceMemory,
          List.copyOf(live.intents.all()),
          Set.copyOf(live.intents.elsewhere()));
    }

    void restore(OpenEffects open) {
      Map<EffectId, Optional<EffectIntent>> changed = new HashMap<>();
      open.all().forEach(each -> changed.put(each.id(), Optional.empty()));
      intents.forEach(each -> changed.put(each.id(), Optional.of(each)));
      open.restore(changed, true);
      open.elsewhere().addAll(elsewhere);
    }
  }
}
