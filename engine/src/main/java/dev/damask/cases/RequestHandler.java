package dev.damask.cases;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseOrigin;
import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.caller.MigrationResult;
import dev.damask.caller.StartReply;
import dev.damask.effect.Receipt;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.StateView;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.history.CommitTime;
import dev.damask.history.History;
import dev.damask.history.JournalMode;
import dev.damask.intake.AuditedReply;
import dev.damask.intake.CaseTerms;
import dev.damask.intake.Request;
import dev.damask.ops.MigrationPlan;
import dev.damask.program.Program;
import dev.damask.store.CaseRecord;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.Store;
import dev.damask.value.Context;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What a shard does with what is asked of it. What happens to a case only joins the case's queue
/// here; the answer comes when the case has moved and is durable.
final class RequestHandler {
  private final Shard shard;

  RequestHandler(Shard shard) {
    this.shard = shard;
  }

  void accept(Request request, long now) {
    if (request instanceof Request.Shift(var change, var reply)) {
      if (!reply.isCancelled()) {
        ShardRestart.apply(shard, change);
        shard.reply(reply, true);
      }
      return;
    }
    if (!(request instanceof Request.Rescan) && !shard.engine.ownership.owns(request.caseId())) {
      shard.publishing.addCompletion(() -> request.refuse(ShardRestart.moved()));
      return;
    }
    try {
      LiveCase known = request.needsCase() ? shard.find(request.caseId(), now) : null;
      requireRevision(request, known);
      switch (request) {
        case Request.Start start -> start(start, now);
        case Request.Remove remove -> remove(remove);
        case Request.Rescan(var reply) -> rescan(reply);
        case Request.Shift _ -> {}
        case Request.Look(var id, var reply) -> shard.reply(id, reply, view(id));
        case Request.Deliver delivered -> shard.messages.accept(delivered, now);
        case Request.Settle(var id, var reply) -> shard.reply(id, reply, isThere(id));
        case Request.Trial(var id, var target, var mapping, var reply) -> {
          LiveCase found = shard.live.get(id);
          LiveCase tried = found == null ? require(id, shard.live.peekDescribed(id)) : found;
          shard.reply(id, reply, shard.machines.attempt(tried, target, mapping));
        }
        case Request.Inspect(var id, var reply) -> shard.reply(id, reply, state(id));
        case Request.Await(var id, var reply) -> await(id, reply);
        case Request.Index(var id, var reply) -> index(require(id, known), reply);
        case Request.Retry(var id, var reply) -> retry(require(id, known), now, reply);
        case Request.PauseCase pause ->
            shard.pauses.pause(require(pause.caseId(), known), pause, now);
        case Request.ResumeCase resume ->
            shard.pauses.resume(require(resume.caseId(), known), resume, now);
        case Request.CopyCase copy -> copy(copy, now);
        case Request.Feed feed when known == null && shard.messages.keep(feed) -> {}
        case Request.Migrate migrate when known == null -> moveDescribed(migrate, now);
        case Request.Queued deed -> {
          LiveCase found = require(deed.caseId(), known);
          if (found.isQuarantined && !(deed instanceof Request.Report)) {
            throw new IllegalStateException(
                "case " + found.id + " is quarantined: check its status, then retry it");
          }
          if (!(deed instanceof Request.Report || deed instanceof Request.Scripted)) {
            int waiting = found.queue.size() + shard.pauses.waiting(found);
            Bounds.requirePlace(found.id, waiting, shard.options.caseQueueMax());
          }
          Bounds.require(found, deed, shard.runner);
          if (found.isPaused()) {
            shard.pauses.store(found, deed, now);
          } else {
            found.queue.addLast(deed);
            shard.moving.add(found);
          }
        }
      }
    } catch (IllegalArgumentException | IllegalStateException e) {
      shard.publishing.addCompletion(() -> request.refuse(e));
    } catch (CorruptCaseException e) {
      shard.undoIfCallers(e.getCause());
      refuse(request, shard.engine.corrupt.add(e), e);
    }
  }

  /// Moves a case whose code is missing: its state is read with the description of its program. It
  /// stays out of memory if it cannot be moved.
  private void moveDescribed(Request.Migrate migrate, long now) {
    String caseId = migrate.caseId();
    LiveCase read =
        require(caseId, shard.isRemoving(caseId) ? null : shard.live.peekDescribed(caseId));
    MigrationResult result =
        read.isPaused() || read.isQuarantined
            ? new MigrationResult.Refused(List.of(MigrationPlan.still(read.status())), 0)
            : shard.machines.attempt(read, migrate.target(), migrate.mapping());
    if (result instanceof MigrationResult.Refused) {
      shard.reply(caseId, migrate.reply(), result);
      return;
    }
    shard.live.keep(read);
    var _ = shard.runner.migrate(read, migrate);
    read.isDirty = true;
    shard.pauses.takeUp(read, now);
    Input settle = new Input.Advance(now); // the new version settles what it can
    read.queue.addLast(new Request.Feed(caseId, settle, null, new CompletableFuture<>()));
    shard.engine.messages.repeat(caseId);
    shard.moving.add(read);
  }

  /// Compares the revision that a request requires, unless it is applied later: then the case
  /// runner compares it.
  private void requireRevision(Request request, @Nullable LiveCase known) {
    if (AuditedReply.requiredRevision(request.future()) < 0) {
      return;
    }
    if (known != null && (known.isPaused() || !(request instanceof Request.Queued))) {
      RequiredRevision.require(request, known);
    } else if (known == null && (request.needsCase() || request instanceof Request.Remove)) {
      RequiredRevision.require(request, shard.store.record(request.caseId()).orElse(null));
    }
  }

  /// A case that cannot be read has a status and a result that show this; nothing else can be done
  /// with it.
  private void refuse(Request request, String why, CorruptCaseException e) {
    switch (request) {
      case Request.Look(var id, var reply) -> shard.reply(id, reply, Views.corrupt(id, why));
      case Request.Await(var id, var reply) -> {
        var report = new CaseResult.Report(CaseResult.Reason.CORRUPT, List.of(why));
        shard.reply(id, reply, new CaseResult.Stuck<>(report));
      }
      default -> {
        IllegalStateException sentence = new IllegalStateException(why, e);
        shard.publishing.addCompletion(() -> request.refuse(sentence));
      }
    }
  }

  /// Removes a case from the store, unless it may still be needed.
  private void remove(Request.Remove remove) {
    String caseId = remove.caseId();
    LiveCase known = shard.live.get(caseId);
    boolean isDamaged = false;
    CaseRecord record = null;
    try {
      record = shard.store.record(caseId).orElse(null);
      if (remove.damagedOnly() && known == null) {
        shard.live.peek(caseId); // the record may decode and the state not
      }
    } catch (CorruptCaseException e) {
      isDamaged = true;
    }
    boolean isOver =
        record != null
            && record.status().isEnded()
            && record.changedMillis() < remove.endedBefore()
            && (known == null || known.isEvictable());
    // One that is going already would be counted twice.
    boolean goes = (remove.damagedOnly() ? isDamaged : isOver) && !shard.isRemoving(caseId);
    if (goes) {
      shard.engine.corrupt.remove(caseId);
      shard.remove(caseId);
    }
    shard.reply(remove.caseId(), remove.reply(), goes);
  }

  private void rescan(CompletableFuture<Boolean> future) {
    shard.timers.rescan();
    shard.store.scanActive(id -> {
      if (shard.engine.shard(id) == shard && !shard.live.contains(id)) {
        shard.toResume.add(id);
      }
    });
    shard.reply(future, true);
  }

  private void start(Request.Start start, long now) {
    if (shard.isRemoving(start.caseId())) {
      throw new IllegalStateException(
          "an old case " + start.caseId() + " is just being removed: try again");
    }
    LiveCase known = shard.live.get(start.caseId());
    CaseRecord record = known == null ? shard.store.record(start.caseId()).orElse(null) : null;
    if (known == null && record == null) {
      LiveCase made =
          create(start.caseId(), start.program(), start.context(), start.options(), now);
      made.rows.addAll(start.rows());
      made.telling.acks.add(started(start, true));
      return;
    }
    shard.engine.corrupt.require(start.caseId());
    String workflow = known != null ? known.workflow : Objects.requireNonNull(record).workflow();
    if (!workflow.equals(start.program().name())) {
      throw new IllegalArgumentException(
          "case %s is a case of workflow %s, not of %s"
              .formatted(start.caseId(), workflow, start.program().name()));
    }
    if (known != null && known.record == null) {
      // Its first commit is still being made: both callers hear of it together.
      known.telling.acks.add(started(start, false));
    } else {
      long revision = known != null ? known.revision() : Objects.requireNonNull(record).revision();
      StartReply existing = new StartReply(StartReply.Kind.EXISTING, revision);
      shard.reply(start.caseId(), start.reply(), existing);
    }
  }

  /// Creates a case in memory; its first commit stores it.
  LiveCase create(String caseId, Program program, Context context, CaseOptions options, long now) {
    CaseOptions own = withLevel(options);
    Machine machine = shard.machines.machine(caseId, program, own, 0);
    CaseTerms terms = CaseTerms.of(own, now);
    LiveCase made =
        new LiveCase(caseId, program.name(), now, terms, machine, machine.start(context, now));
    shard.options.watch().started(made.id, context, now);
    if (shard.options.journal() == JournalMode.INPUTS) {
      made.inputs().started(program.hash(), context);
    }
    shard.live.put(made);
    shard.moving.add(made);
    shard.engine.counters.started.increment();
    return made;
  }

  private static AfterCommit.Ack<StartReply> started(Request.Start start, boolean isNew) {
    StartReply.Kind kind = isNew ? StartReply.Kind.STARTED : StartReply.Kind.EXISTING;
    return new AfterCommit.Ack<>(start.reply(), revision -> new StartReply(kind, revision), 0);
  }

  /// The status of a case in memory or in the store.
  private CaseView view(String caseId) {
    LiveCase known = shard.live.get(caseId);
    if (known != null) {
      return Views.of(known, known.status());
    }
    Store.LoadedCase stored = stored(caseId);
    LiveCase read = shard.live.decoded(stored);
    shard.engine.corrupt.remove(caseId);
    return read == null ? shard.live.described(stored) : Views.of(read, stored.record().status());
  }

  private Store.LoadedCase stored(String caseId) {
    return Optional.of(caseId)
        .filter(id -> !shard.isRemoving(id))
        .flatMap(shard.live::stored)
        .orElseThrow(() -> Views.unknown(caseId));
  }

  private boolean isThere(String caseId) {
    try {
      return shard.live.contains(caseId)
          || (!shard.isRemoving(caseId) && shard.store.record(caseId).isPresent());
    } catch (CorruptCaseException e) {
      shard.engine.corrupt.add(e);
      return true;
    }
  }

  /// The state of a case in memory, or as the store has it.
  private StateView state(String caseId) {
    LiveCase known = shard.live.get(caseId);
    return known == null ? shard.live.stateOf(stored(caseId)) : known.state.view();
  }

  /// A case keeps its trace level, whatever the options of later engines are.
  private CaseOptions withLevel(CaseOptions own) {
    return own.trace().isPresent() ? own : own.withTrace(shard.options.traceLevel());
  }

  private LiveCase require(String caseId, @Nullable LiveCase found) {
    if (found != null) {
      return found;
    }
    CaseRecord record = shard.store.record(caseId).orElseThrow(() -> Views.unknown(caseId));
    throw new IllegalStateException(Views.missing(record));
  }

  private void await(String caseId, CompletableFuture<CaseResult<Context>> future) {
    LiveCase inMemory = shard.live.get(caseId);
    Store.LoadedCase stored = inMemory == null ? stored(caseId) : null;
    LiveCase known = stored == null ? inMemory : shard.live.decoded(stored);
    if (stored != null && known == null) {
      List<String> lines = List.of(Views.missing(stored.record()));
      CaseResult.Report report = new CaseResult.Report(CaseResult.Reason.PROGRAM_MISSING, lines);
      shard.reply(caseId, future, new CaseResult.Stuck<>(report));
      return;
    }
    Objects.requireNonNull(known);
    // What still waits for an ended case changes nothing, so no commit would report the end again.
    boolean isSettled = known.state.isDone() || (known.isAtRest() && known.queue.isEmpty());
    CaseResult<Context> result = isSettled && !known.isDirty ? known.result() : null;
    if (result != null) {
      shard.reply(caseId, future, result);
    } else {
      shard.publisher.await(caseId, future);
    }
  }

  /// A case that moves writes its facts with its next commit.
  private void index(LiveCase found, CompletableFuture<Boolean> future) {
    CaseRecord record = found.record;
    found.indexing.forget(); // the functions may compute other values than before
    found.isDirty |= record != null && found.indexing.of(found) != record.facts();
    found.telling.acks.add(new AfterCommit.Ack<>(future, true));
    shard.moving.add(found);
  }

  private void retry(LiveCase found, long now, CompletableFuture<CaseReply> future) {
    boolean wasQuarantined = found.isQuarantined;
    if (wasQuarantined) {
      found.isQuarantined = false;
      found.isDirty = true;
      found.terms = found.terms.withCrashes(0);
      shard.pauses.takeUp(found, now);
      shard.moving.add(found);
      shard.engine.messages.repeat(found.id);
    }
    Reply kind = wasQuarantined ? Reply.ACCEPTED : Reply.REJECTED;
    found.telling.acks.add(
        new AfterCommit.Ack<>(future, revision -> new CaseReply(kind, revision), 0));
    shard.moving.add(found);
  }

  /// Starts a case from a position in the history of another one: with its state and its receipts
  /// up to there. The first commit has no journal, because the case did not begin with an input.
  private void copy(Request.CopyCase request, long now) {
    String caseId = request.caseId();
    CaseOrigin origin = request.origin();
    LiveCase known = shard.live.get(caseId);
    CaseRecord record = known == null ? shard.store.record(caseId).orElse(null) : known.record;
    if (record != null && origin.equals(CaseTerms.decode(record.terms()).origin())) {
      StartReply existing = new StartReply(StartReply.Kind.EXISTING, record.revision());
      shard.reply(caseId, request.reply(), existing);
      return;
    }
    if (record != null || known != null || shard.isRemoving(caseId)) {
      throw new IllegalArgumentException(
          "case " + caseId + " exists; start the copy under another id");
    }
    LiveCase made = made(caseId, origin, now);
    made.telling.acks.add(
        new AfterCommit.Ack<>(
            request.reply(), revision -> new StartReply(StartReply.Kind.STARTED, revision), 0));
    CommitTime at = shard.inFlight.commitAt(now);
    CommitTime silent = new CommitTime(at.epoch(), at.millis(), at.trimming(), JournalMode.NONE);
    shard.live.put(made);
    shard.commit(made, made.commit(silent), null);
    shard.telling(made.id).append(made.telling, made.revision());
    made.published();
    shard.engine.counters.started.increment();
    shard.machines.resumed(made);
    begin(made, now);
  }

  private LiveCase made(String caseId, CaseOrigin origin, long now) {
    CaseRecord source =
        shard.store.record(origin.caseId()).orElseThrow(() -> Views.unknown(origin.caseId()));
    History history = Views.history(shard.store, source, shard.engine.programs, false);
    ExecState past = history.stateAt(origin.position());
    if (past.isDone()) {
      throw new IllegalStateException(
          "case %s: it had ended at position %d; start again from an earlier one"
              .formatted(origin.caseId(), origin.position()));
    }
    CaseOptions own = CaseTerms.decode(source.terms()).options();
    Machine machine = shard.machines.machine(caseId, past.program(), own, 0);
    LiveCase made =
        new LiveCase(
            caseId,
            past.program().name(),
            now,
            CaseTerms.of(own, now).withOrigin(origin),
            machine,
            StateCodec.copy(machine, past));
    long kept = history.receiptsAt(origin.position());
    for (Receipt receipt : shard.store.receipts(origin.caseId())) {
      if (receipt.number() <= kept) {
        made.receipt(receipt.body());
      }
    }
    return made;
  }

  /// Every open task begins again, with the keys of the new case. A task that was an incident is
  /// tried again.
  private void begin(LiveCase made, long now) {
    for (EffectRequest request : made.state.pendingEffects()) {
      if (request.isParked()) {
        made.queue.addLast(
            new Request.Feed(
                made.id, new Input.TaskRetried(request.token()), null, new CompletableFuture<>()));
      }
    }
    shard.resumption.resume(made, now);
    shard.moving.add(made);
  }
}
