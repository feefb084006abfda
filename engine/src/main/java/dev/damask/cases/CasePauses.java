package dev.damask.cases;

import dev.damask.caller.CasePause;
import dev.damask.caller.CaseReply;
import dev.damask.caller.MigrationResult;
import dev.damask.cluster.CaseMessage;
import dev.damask.effect.Computation;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Permits;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.history.JournalEntry;
import dev.damask.history.JournalMode;
import dev.damask.intake.CaseMessages;
import dev.damask.intake.MessageDelivery;
import dev.damask.intake.Request;
import dev.damask.intake.StoredInput;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Pauses and resumes the cases of a shard (ADR 0040).
///
/// A paused case moves nothing and calls nothing. Its inputs become rows of the store's table, each
/// with its own revision. When the case is resumed, results of tasks are applied first, then the
/// timers that have come due fire, and then the other inputs are applied in the order they came.
/// Each row is removed by the commit that applies it.
final class CasePauses {
  /// The kind of the table's rows that count the paused cases. The key of a row is the case id.
  static final String KIND = "paused";

  /// More than a case can have, see `EngineOptions.withCaseQueueMax`.
  private static final int ROWS_MAX = 1_000_000;

  /// How many stored inputs are read at a time.
  private static final int PAGE = 16;

  private final Shard shard;
  private final CaseMessages messages;

  CasePauses(Shard shard) {
    this.shard = shard;
    this.messages = CaseMessages.ofInputs(shard.options.clock()::millis);
  }

  void pause(LiveCase live, Request.PauseCase request, long now) {
    CasePause before = live.terms.pause();
    if (live.state.isDone() || live.isPaused()) {
      answer(live, request.reply(), live.state.isDone() ? Reply.CASE_ENDED : Reply.REJECTED);
      return;
    }
    live.terms =
        live.terms.withPause(
            before == null
                ? new CasePause(now, request.reason(), 0, false)
                : new CasePause(now, request.reason(), before.inputs(), false, before.bytes()));
    live.paused.toTakeUp.clear();
    live.paused.left = 0;
    note(live, new JournalEntry.Event.Paused(now, request.reason()));
    Children.write(live, new RowChange.Put(row(live)));
    List<Request.Queued> waiting = live.queue.list();
    live.queue.clear();
    waiting.forEach(deed -> store(live, deed, now));
    answer(live, request.reply(), Reply.ACCEPTED);
  }

  private static TableRow row(LiveCase live) {
    return new TableRow(KIND, live.id, 1, Bytes.of());
  }

  private void note(LiveCase live, JournalEntry.Event event) {
    live.isDirty = true;
    if (shard.options.journal() == JournalMode.INPUTS) {
      live.inputs().noted(event, live.state);
    }
  }

  private void answer(LiveCase live, CompletableFuture<CaseReply> future, Reply reply) {
    CaseRunner.tell(live, future, reply);
    shard.moving.add(live);
  }

  /// Stores something that happens to a paused case.
  void store(LiveCase live, Request.Queued deed, long now) {
    shard.moving.add(live);
    switch (deed) {
      // A function is run again, a message of another case is delivered again.
      case Request.Received _, Request.Stored _ -> {}
      case Request.Report(var call, EffectResult.Joined(_, var transaction), _) -> {
        transaction.rollback(); // only a commit of the case can end it
        live.paused.toTakeUp.add(call.id());
      }
      case Request.Report(var call, var result, _) when isOfFunction(call.type(), result) ->
          live.paused.toTakeUp.add(call.id());
      case Request.Admit(_, var effect, var attempt) -> {
        Permits.Owner owner = new Permits.Owner(live.id, effect, attempt);
        live.telling.outgoing.add(new AfterCommit.Release(owner));
        live.paused.toTakeUp.add(effect);
      }
      case Request.Scripted _, Request.GiveUp _ -> live.queue.addLast(deed);
      case Request.Feed(_, Input.ChangeData _, _, _, _) -> live.queue.addLast(deed);
      case Request.Migrate(_, _, _, var reply) -> {
        MigrationResult refused =
            new MigrationResult.Refused(List.of("the case is paused; resume it first"), 0);
        live.telling.acks.add(new AfterCommit.Ack<>(reply, refused::at, 0));
      }
      case Request.Report(_, _, var reply) -> write(live, deed, reply, now);
      case Request.Answer answer -> {
        if (shard.runner.answers.isLate(live, answer, now)) {
          CaseRunner.tell(live, answer.reply(), Reply.LATE);
        } else {
          // The lease may have ended when the case is resumed.
          Request.Answer kept =
              new Request.Answer(
                  live.id,
                  answer.effect(),
                  TaskAnswers.decided(live, answer).verdict(),
                  answer.reply());
          write(live, kept, answer.reply(), now);
        }
      }
      case Request.Feed(_, _, var messageId, _, var reply) -> {
        Reply known = messageId == null ? null : shard.runner.consumed(live, messageId);
        if (known == null) {
          write(live, deed, reply, now);
        } else {
          CaseRunner.tell(live, reply, known);
        }
      }
    }
  }

  private static boolean isOfFunction(String type, EffectResult result) {
    return type.equals(Computation.TYPE)
        || result instanceof EffectResult.Wants
        || result instanceof EffectResult.Interrupted;
  }

  private void write(
      LiveCase live, Request.Queued deed, @Nullable CompletableFuture<CaseReply> reply, long now) {
    CasePause before = Objects.requireNonNull(live.terms.pause());
    CaseMessage message = Objects.requireNonNull(CaseMessages.of(deed, ""));
    TableRow row = new StoredInput(before.inputs() + 1L, now, message).row();
    CasePause pause = before.plusInput(row.value().length());
    Children.write(live, new RowChange.Put(row));
    live.paused.rows.put(row.version(), row);
    live.terms = live.terms.withPause(pause);
    live.isDirty = true;
    CaseRunner.tell(live, reply, Reply.STORED);
  }

  void resume(LiveCase live, Request.ResumeCase request, long now) {
    CasePause pause = live.terms.pause();
    if (pause == null || pause.isResumed()) {
      answer(live, request.reply(), Reply.REJECTED);
      return;
    }
    Set<EffectId> left = new LinkedHashSet<>(live.paused.toTakeUp);
    List<Request.Stored> stored = stored(live, left);
    live.terms = live.terms.withPause(stored.isEmpty() ? null : pause.resumed());
    RowChange paused = new RowChange.Put(row(live));
    if (!live.rows.removeIf(paused::equals)) { // else it was paused since the last commit
      Children.write(live, new RowChange.Remove(row(live)));
    }
    note(live, new JournalEntry.Event.Resumed(now));
    List<Request.Queued> kept = live.queue.list();
    queue(live, stored, left, now);
    kept.forEach(live.queue::addLast);
    live.paused.isCatchingUp = live.state.isBlocked();
    shard.engine.messages.repeat(live.id);
    answer(live, request.reply(), Reply.ACCEPTED);
  }

  /// How a case continues that was read from the store or released from quarantine.
  void takeUp(LiveCase live, long now) {
    Set<EffectId> pending = new LinkedHashSet<>();
    live.state.pendingEffects().stream().map(EffectRequest::id).forEach(pending::add);
    if (live.isPaused()) {
      live.paused.toTakeUp.addAll(pending);
    } else if (live.terms.pause() == null) {
      shard.resumption.resume(live, now);
    } else {
      List<Request.Stored> stored = stored(live, pending);
      queue(live, stored, pending, now);
    }
  }

  /// Queues stored inputs, the results first, and takes up the effects that have no stored result.
  private void queue(LiveCase live, List<Request.Stored> stored, Set<EffectId> left, long now) {
    live.queue.clear();
    shard.resumption.takeUp(live, left, now);
    List<Request.Queued> first = live.queue.list();
    live.queue.clear();
    live.paused.left = stored.size();
    stored.stream().filter(Request.Stored::isResult).forEach(live.queue::addLast);
    first.forEach(live.queue::addLast);
    stored.stream().filter(each -> !each.isResult()).forEach(live.queue::addLast);
  }

  /// Whether a stored report ends the present attempt of an effect. A report of an earlier attempt
  /// that came a second time does not.
  private static boolean hasEnded(LiveCase live, EffectId effect, Request.Queued deed) {
    return deed instanceof Request.Report report
        && report.call().id().equals(effect)
        && TaskAnswers.isAwaited(live.intents.get(effect), report.call());
  }

  /// The stored inputs of a case, in order. They are read page by page, and only notes of them are
  /// kept.
  ///
  /// @param effects those that a stored input ends are removed
  private List<Request.Stored> stored(LiveCase live, Set<EffectId> effects) {
    int inputs = Objects.requireNonNull(live.terms.pause()).inputs();
    Map<Long, Request.Stored> notes = new TreeMap<>();
    live.paused.rows.values().forEach(row -> note(live, row, inputs, notes, effects));
    TableRow after = new TableRow(StoredInput.KIND, live.id, Long.MAX_VALUE, Bytes.of());
    List<TableRow> page = List.of();
    do {
      page = inputs == 0 ? page : shard.store.table().rows(StoredInput.KIND, after, PAGE);
      for (TableRow row : page) {
        if (!row.key().equals(live.id)) {
          return List.copyOf(notes.values());
        }
        note(live, row, inputs, notes, effects);
        after = MessageDelivery.keyOf(row);
      }
    } while (page.size() == PAGE);
    return List.copyOf(notes.values());
  }

  private void note(
      LiveCase live,
      TableRow row,
      int inputs,
      Map<Long, Request.Stored> notes,
      Set<EffectId> effects) {
    if (row.version() <= inputs) {
      Request.Queued deed = deed(StoredInput.of(row).message(), new CompletableFuture<>());
      notes.put(row.version(), Request.Stored.of(deed, row));
      effects.removeIf(effect -> hasEnded(live, effect, deed));
    }
  }

  private Request.Queued deed(CaseMessage message, CompletableFuture<Object> reply) {
    return (Request.Queued) messages.request(message, reply);
  }

  /// Reads a stored input when it is applied. Its caller got the reply `STORED` long ago, so what
  /// the case does not accept is logged when that is durable.
  Request.Queued deed(LiveCase live, Request.Stored stored) {
    TableRow key = stored.row();
    TableRow fresh = live.paused.rows.get(key.version());
    TableRow row =
        fresh != null
            ? fresh
            : shard
                .store
                .table()
                .find(key.kind(), key.key(), key.version())
                .orElseThrow(() ->
                    new IllegalStateException(
                        "case %s: its stored input %d is missing"
                            .formatted(live.id, key.version())));
    CaseMessage message = StoredInput.of(row).message();
    CompletableFuture<Object> reply = new CompletableFuture<>();
    var _ = reply.thenAccept(given -> StoredInput.report(message, given));
    return deed(message, reply);
  }

  /// How many bytes of stored inputs wait to be applied.
  static long bytes(LiveCase live) {
    CasePause pause = live.terms.pause();
    return pause == null ? 0 : pause.bytes();
  }

  /// How many inputs are stored for a paused case.
  int waiting(LiveCase live) {
    CasePause pause = live.terms.pause();
    return pause == null || pause.isResumed() ? 0 : pause.inputs();
  }

  /// What is applied to a case before it moves: changed data while it is paused, and the stored
  /// results when it is resumed; null if there is none.
  static Request.@Nullable Queued next(LiveCase live) {
    if (live.isPaused()) {
      return live.queue.takeChange();
    }
    Request.Queued first = live.queue.pollFirst();
    if (first instanceof Request.Stored stored && stored.isResult()) {
      return first;
    }
    live.paused.isCatchingUp = false;
    if (first != null) {
      live.queue.addFirst(first);
    }
    return null;
  }

  /// A stored input was applied.
  static void applied(LiveCase live, Request.Stored stored) {
    Children.write(live, new RowChange.Remove(stored.row()));
    live.paused.rows.remove(stored.row().version());
    live.isDirty = true;
    CasePause pause = live.terms.pause();
    live.paused.left--;
    boolean isLast = live.paused.left <= 0;
    live.terms =
        live.terms.withPause(pause == null || isLast ? null : pause.applied(stored.bytes()));
  }

  /// The rows that are removed with a case.
  static List<RowChange> removedWith(Store store, String caseId) {
    List<RowChange> rows = new ArrayList<>();
    for (TableRow row : store.table().versions(StoredInput.KIND, caseId, ROWS_MAX)) {
      rows.add(new RowChange.Remove(MessageDelivery.keyOf(row)));
    }
    store.table().find(KIND, caseId, 1).ifPresent(row -> rows.add(new RowChange.Remove(row)));
    return rows;
  }
}
