package dev.damask.cases;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseReply;
import dev.damask.event.Failure;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.family.ChildCase;
import dev.damask.intake.CaseTerms;
import dev.damask.intake.FamilyMessage;
import dev.damask.intake.KeptSignals;
import dev.damask.intake.MessageDelivery;
import dev.damask.intake.ParentLink;
import dev.damask.intake.Replies;
import dev.damask.intake.Request;
import dev.damask.intake.ZeroCharacters;
import dev.damask.program.Program;
import dev.damask.script.ScriptFunction;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.RowChange;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import dev.damask.term.Limits;
import dev.damask.trace.TraceLevel;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// What a shard does with messages for its cases. Applying a message a second time changes nothing.
final class ReceivedMessages {
  private final Shard shard;

  private final KeptSignals kept;

  ReceivedMessages(Shard shard) {
    this.shard = shard;
    this.kept = new KeptSignals(shard.store, shard.engine.messages::read);
  }

  /// The signals that were kept for a case are applied, or the case has gone.
  void forget(String caseId) {
    kept.forget(caseId);
  }

  /// The cases are read from the store again.
  void forgetAll() {
    kept.forgetAll();
  }

  void accept(Request.Deliver delivered, long now) {
    TableRow row = delivered.row();
    if (delivered.isRepeated()
        && shard.store.table().find(row.kind(), row.key(), row.version()).isEmpty()) {
      return; // it was applied in the meantime
    }
    FamilyMessage message = shard.engine.messages.read(row);
    if (message == null) {
      return; // corrupt; the others are delivered
    }
    if (message instanceof FamilyMessage.Start start) {
      start(start, row, now);
      return;
    }
    LiveCase found = shard.find(message.to(), now);
    if (found == null) {
      if (!isKnown(message.to())) {
        gone(message, row);
      } else {
        shard.engine.messages.parked();
      }
    } else if (!found.isQuarantined && !found.isPaused()) { // else it is delivered again later
      kept.forget(found.id);
      found.queue.addLast(new Request.Received(message.to(), message, MessageDelivery.keyOf(row)));
      shard.moving.add(found);
    }
  }

  private boolean isKnown(String caseId) {
    return !shard.isRemoving(caseId) && shard.store.record(caseId).isPresent();
  }

  /// The receiver does not exist: a child that was cancelled before it was started, or a case that
  /// was removed.
  private void gone(FamilyMessage message, TableRow row) {
    shard.write(message.to(), new RowChange.Remove(MessageDelivery.keyOf(row)));
    if (message instanceof FamilyMessage.Cancel) {
      shard.write(message.to(), new RowChange.Remove(FamilyMessage.startRow(message)));
    }
  }

  private void start(FamilyMessage.Start start, TableRow row, long now) {
    if (shard.isRemoving(start.to())) {
      shard.engine.messages.repeat(start.to()); // an old case of this id is just being removed
      return;
    }
    RowChange taken = new RowChange.Remove(MessageDelivery.keyOf(row));
    LiveCase known = shard.find(start.to(), now);
    if (known == null && isKnown(start.to())) {
      existing(start, taken);
    } else if (known != null) {
      existing(start, known, taken);
    } else {
      create(start, taken, now);
    }
  }

  private void create(FamilyMessage.Start start, RowChange taken, long now) {
    Program program = program(start);
    if (program == null) {
      shard.engine.messages.parked();
      System.getLogger(Engine.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "case {0} waits for its child {1}: workflow {2} is not registered; register it",
              start.from(),
              start.to(),
              start.workflow());
      return;
    }
    if (start.input().weight() > program.limits().contextBytes()) {
      String sentence =
          "the input of child %s has about %d bytes, its context has at most %d"
              .formatted(start.to(), start.input().weight(), program.limits().contextBytes());
      refuse(start, taken, Failure.LIMIT, sentence);
      return;
    }
    try {
      Replies.requireInput(program, start.to(), start.input());
    } catch (IllegalArgumentException e) {
      refuse(start, taken, Failure.EXPRESSION, String.valueOf(e.getMessage()));
      return;
    }
    child(start, program, now);
  }

  /// Creates a child; its first commit removes the message that started it.
  private LiveCase child(FamilyMessage.Start start, Program program, long now) {
    CaseOptions own = CaseOptions.DEFAULT;
    if (!start.trace().isEmpty()) {
      own = own.withTrace(TraceLevel.valueOf(start.trace()));
    }
    if (start.allow().isPresent()) {
      own = own.withAllow(start.allow().get().toArray(String[]::new));
    }
    if (!start.traceparent().isEmpty()) {
      own = own.withTraceparent(start.traceparent());
    }
    LiveCase made = shard.requestHandler.create(start.to(), program, start.input(), own, now);
    made.terms = made.terms.withParent(ParentLink.of(start));
    Children.write(made, new RowChange.Remove(FamilyMessage.startRow(start)));
    if (start.isDetached()) {
      Children.write(made, new RowChange.Put(started(start).row()));
    }
    return made;
  }

  private static FamilyMessage started(FamilyMessage.Start start) {
    return new FamilyMessage.Started(start.from(), start.to(), start.task());
  }

  private @Nullable Program program(FamilyMessage.Start start) {
    Programs programs = shard.engine.programs;
    Program pinned = start.program().map(programs::find).orElse(null);
    return pinned != null || start.program().isPresent()
        ? pinned
        : programs.named(start.workflow());
  }

  /// A case of this id exists and its program is missing.
  private void existing(FamilyMessage.Start start, RowChange taken) {
    CaseRecord record = shard.store.record(start.to()).orElseThrow();
    ParentLink parent = CaseTerms.decode(record.terms()).parent();
    if (parent != null && parent.isFrom(start.from(), start.task())) {
      shard.write(start.to(), taken);
    } else {
      taken(start, taken);
    }
  }

  private void existing(FamilyMessage.Start start, LiveCase known, RowChange taken) {
    ParentLink parent = known.terms.parent();
    boolean isOwn = parent != null && parent.isFrom(start.from(), start.task());
    // An engine of an earlier version started children as handlers do.
    boolean isAdopted =
        parent == null && !start.isGiven() && known.workflow.equals(start.workflow());
    if (!isOwn && !isAdopted) {
      taken(start, taken);
      return;
    }
    Children.write(known, taken);
    if (start.isDetached()) {
      Children.write(known, new RowChange.Put(started(start).row()));
    }
    if (isAdopted || known.state.isDone()) {
      known.terms = known.terms.withParent(ParentLink.of(start));
      known.isDirty = true; // its end is sent with the next commit, or now
    }
    shard.moving.add(known);
  }

  private void taken(FamilyMessage.Start start, RowChange taken) {
    String sentence = "case %s exists and was not started by this task".formatted(start.to());
    refuse(start, taken, ChildCase.ID_TAKEN, sentence);
  }

  /// The child cannot be started: its parent receives why.
  private void refuse(FamilyMessage.Start start, RowChange taken, String reason, String sentence) {
    shard.write(start.to(), taken);
    shard.write(
        start.to(),
        new RowChange.Put(
            new FamilyMessage.Failed(start.from(), start.to(), start.task(), reason, sentence)
                .row()));
  }

  /// A child broke before it was ever stored: it is stored as it was started, and quarantined. Its
  /// parent waits until it is released.
  void neverStored(LiveCase child, String evidence, long now) {
    ParentLink parent = child.terms.parent();
    FamilyMessage.Start start = parent == null ? null : startOf(child);
    if (start == null) {
      return;
    }
    LiveCase again = child(start, child.state.program(), now);
    shard.moving.remove(again);
    again.isQuarantined = true;
    CaseCommit commit =
        again.commit(shard.inFlight.commitAt(now), CaseRecord.NEVER, evidence, true);
    shard.commit(again, commit, null);
  }

  /// The message that started a case which is not stored yet; null if there is none.
  private FamilyMessage.@Nullable Start startOf(LiveCase child) {
    for (RowChange change : child.takeRows()) {
      TableRow row = change.row();
      if (change instanceof RowChange.Remove && row.kind().equals(FamilyMessage.KIND)) {
        return shard
            .store
            .table()
            .find(row.kind(), row.key(), row.version())
            .map(FamilyMessage::of)
            .map(FamilyMessage.Start.class::cast)
            .orElse(null);
      }
    }
    return null;
  }

  /// Stores a signal to a case whose program is known by its description only, as a message that an
  /// engine with the code applies; false if the request is none, or nothing describes its case.
  boolean keep(Request.Feed feed) {
    CaseRecord record = shard.store.record(feed.caseId()).orElse(null);
    if (!(feed.input() instanceof Input.Signal signal) || record == null) {
      return false;
    }
    Program described = shard.engine.programs.descriptions().find(record.program());
    if (described == null || record.status() == CaseStatus.QUARANTINED) {
      return false;
    }
    shard.reply(
        feed.caseId(),
        feed.reply(),
        new CaseReply(reply(feed, signal, record, described), record.revision()));
    return true;
  }

  private Reply reply(
      Request.Feed feed, Input.Signal signal, CaseRecord record, Program described) {
    if (record.status().isEnded()) {
      return Reply.CASE_ENDED;
    }
    String messageId = feed.messageId();
    OptionalInt before =
        messageId == null ? OptionalInt.empty() : shard.store.consumed(record.caseId(), messageId);
    if (before.isPresent()) {
      return Reply.byNumber().get(before.getAsInt());
    }
    ZeroCharacters.refuse("case " + record.caseId() + ": a payload", signal.payload());
    if (!isAccepted(described, signal.place())) {
      return Reply.REJECTED;
    }
    String id = messageId == null ? "" : messageId;
    KeptSignals.Summary waiting = kept.of(record.caseId());
    if (id.isEmpty() || !waiting.ids().contains(id)) {
      Bounds.requirePlace(record.caseId(), waiting.count(), shard.options.caseQueueMax());
      Limits own = CaseTerms.decode(record.terms()).options().limits().orElse(described.limits());
      if (waiting.count() > 0) {
        Bounds.requireRoom(record.caseId(), signal.payload().weight(), waiting.bytes(), own);
      }
      String parent = feed.traceparent() == null ? "" : feed.traceparent();
      EffectId number = new EffectId(kept.next(waiting));
      FamilyMessage.Signalled message =
          new FamilyMessage.Signalled(
              record.caseId(), number, signal.place(), signal.payload(), id, parent);
      TableRow row = message.row();
      shard.write(record.caseId(), new RowChange.Put(row));
      waiting.add(message, row.value().length());
    }
    return Reply.BUFFERED;
  }

  /// Whether a place accepts signals. A signal that no place has is for the scripts, if any.
  private static boolean isAccepted(Program described, String place) {
    int index = described.placeIndex(place);
    return index < 0
        ? described.placeIndex(ScriptFunction.MAILBOX) >= 0
        : described.pools().places()[index].place().external();
  }
}
