package dev.damask.cases;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseReply;
import dev.damask.caller.CaseResult;
import dev.damask.caller.CaseView;
import dev.damask.caller.StartReply;
import dev.damask.event.Reply;
import dev.damask.event.StateView;
import dev.damask.exec.Machine;
import dev.damask.history.JournalMode;
import dev.damask.intake.CaseTerms;
import dev.damask.intake.Request;
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
      ShardRestart.apply(shard, change);
      shard.reply(reply, true);
      return;
    }
    if (!(request instanceof Request.Rescan) && !shard.engine.ownership.owns(request.caseId())) {
      shard.publishing.addCompletion(() -> request.refuse(ShardRestart.moved()));
      return;
    }
    try {
      LiveCase known = request.needsCase() ? shard.find(request.caseId(), now) : null;
      switch (request) {
        case Request.Start start -> start(start, now);
        case Request.Remove remove -> remove(remove);
        case Request.Rescan(var reply) -> rescan(reply);
        case Request.Shift _ -> {}
        case Request.Look(var id, var reply) -> shard.reply(reply, view(id));
        case Request.Deliver delivered -> shard.messages.accept(delivered, now);
        case Request.Settle(var id, var reply) -> shard.reply(reply, isThere(id));
        case Request.Trial(var id, var target, var mapping, var reply) -> {
          LiveCase found = shard.live.get(id);
          LiveCase tried = found == null ? require(id, shard.live.peek(id)) : found;
          shard.reply(reply, shard.machines.attempt(tried, target, mapping));
        }
        case Request.Inspect(var id, var reply) -> shard.reply(reply, state(id));
        case Request.Await(var id, var reply) -> await(id, reply);
        case Request.Index(var id, var reply) -> index(require(id, known), reply);
        case Request.Retry(var id, var reply) -> retry(require(id, known), now, reply);
        case Request.Queued deed -> {
          LiveCase found = require(deed.caseId(), known);
          if (found.isQuarantined && !(deed instanceof Request.Report)) {
            throw new IllegalStateException(
                "case " + found.id + " is quarantined: look at its status, then retry it");
          }
          if (found.queue.size() >= shard.options.caseQueueMax()
              && !(deed instanceof Request.Report || deed instanceof Request.Scripted)) {
            throw new IllegalStateException(
                "case %s is busy: %d inputs wait for it; try again, nothing was changed"
                    .formatted(found.id, found.queue.size()));
          }
          Bounds.require(found, deed);
          found.queue.addLast(deed);
          shard.moving.add(found);
        }
      }
    } catch (IllegalArgumentException | IllegalStateException e) {
      shard.publishing.addCompletion(() -> request.refuse(e));
    } catch (CorruptCaseException e) {
      shard.undoIfCallers(e.getCause());
      refuse(request, shard.engine.corrupt.add(e), e);
    }
  }

  /// A case that cannot be read has a status and a result that say so; nothing else can be done
  /// with it.
  private void refuse(Request request, String why, CorruptCaseException e) {
    switch (request) {
      case Request.Look(var id, var reply) -> shard.reply(reply, Views.corrupt(id, why));
      case Request.Await(_, var reply) -> {
        var report = new CaseResult.Report(CaseResult.Reason.CORRUPT, List.of(why));
        shard.reply(reply, new CaseResult.Stuck<>(report));
      }
      default -> {
        IllegalStateException sentence = new IllegalStateException(why, e);
        shard.publishing.addCompletion(() -> request.refuse(sentence));
      }
    }
  }

  /// Takes a case out of the store, unless somebody could still miss it.
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
    shard.reply(remove.reply(), goes);
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
      made.rows = start.rows();
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
      shard.reply(start.reply(), new StartReply(StartReply.Kind.EXISTING, revision));
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

  /// How a case in memory stands, or as the store has it.
  private CaseView view(String caseId) {
    LiveCase known = shard.live.get(caseId);
    if (known != null) {
      return Views.of(known, known.status());
    }
    Store.LoadedCase stored = stored(caseId);
    LiveCase read = shard.live.decoded(stored);
    shard.engine.corrupt.remove(caseId);
    return read == null ? Views.of(stored.record()) : Views.of(read, stored.record().status());
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
    return (known == null ? require(caseId, shard.live.peek(caseId)) : known).state.view();
  }

  /// A case keeps its trace level, whatever the options of later engines say.
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
      shard.reply(future, new CaseResult.Stuck<>(report));
      return;
    }
    Objects.requireNonNull(known);
    // What still waits for an ended case changes nothing, so no commit would tell of the end again.
    boolean isSettled = known.state.isDone() || (known.isAtRest() && known.queue.isEmpty());
    CaseResult<Context> result = isSettled && !known.isDirty ? known.result() : null;
    if (result != null) {
      shard.reply(future, result);
    } else {
      shard.outlet.await(caseId, future);
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
      shard.resumption.resume(found, now);
      shard.moving.add(found);
      shard.engine.messages.repeat(found.id);
    }
    Reply kind = wasQuarantined ? Reply.ACCEPTED : Reply.REJECTED;
    found.telling.acks.add(
        new AfterCommit.Ack<>(future, revision -> new CaseReply(kind, revision), 0));
    shard.moving.add(found);
  }
}
