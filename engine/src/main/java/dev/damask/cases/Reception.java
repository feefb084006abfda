package dev.damask.cases;

import dev.damask.exec.Machine;
import dev.damask.store.CaseRecord;
import dev.damask.store.DamagedCase;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What a shard does with what is asked of it. What happens to a case only joins the case's queue
/// here; the answer comes when the case has moved and is durable.
final class Reception {
  private final Shard shard;

  Reception(Shard shard) {
    this.shard = shard;
  }

  void accept(Request request, long now) {
    try {
      LiveCase known = request.needsCase() ? shard.find(request.caseId(), now) : null;
      switch (request) {
        case Request.Start start -> start(start, now);
        case Request.Remove remove -> remove(remove);
        case Request.Rescan(var reply) -> rescan(reply);
        case Request.Look(var id, var reply) ->
            shard.reply(reply, Views.of(id, known, shard.store));
        case Request.Await(var id, var reply) -> await(id, known, reply);
        case Request.Retry(var id, var reply) -> retry(require(id, known), now, reply);
        case Request.Deed deed -> {
          LiveCase found = require(deed.caseId(), known);
          if (found.isQuarantined && !(deed instanceof Request.Report)) {
            throw new IllegalStateException(
                "case " + found.id + " is quarantined: look at its status, then retry it");
          }
          if (found.queue.size() >= shard.options.caseQueueMax()
              && !(deed instanceof Request.Report)) {
            throw new IllegalStateException(
                "case %s is busy: %d inputs wait for it; try again, nothing was changed"
                    .formatted(found.id, found.queue.size()));
          }
          found.queue.addLast(deed);
          shard.moving.add(found);
        }
      }
    } catch (IllegalArgumentException | IllegalStateException e) {
      request.refuse(e);
    } catch (DamagedCase e) {
      request.refuse(new IllegalStateException(e.getMessage(), e));
    }
  }

  /// Takes a case out of the store, unless somebody could still miss it.
  private void remove(Request.Remove remove) {
    String caseId = remove.caseId();
    boolean isDamaged = false;
    CaseRecord record = null;
    try {
      record = shard.store.load(caseId).orElse(null);
    } catch (DamagedCase e) {
      isDamaged = true;
    }
    LiveCase known = shard.live.get(caseId);
    boolean isOver =
        record != null
            && record.status().isEnded()
            && record.changedMillis() < remove.endedBefore()
            && (known == null || known.isEvictable());
    boolean goes = remove.damagedOnly() ? isDamaged : isOver;
    if (goes) {
      shard.remove(caseId);
    }
    shard.reply(remove.reply(), goes);
  }

  private void rescan(CompletableFuture<Boolean> future) {
    shard.timers.rescan();
    shard.store.scanActive(id -> {
      if (shard.engine.shard(id) == shard && shard.live.get(id) == null) {
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
    CaseRecord record = known == null ? shard.store.load(start.caseId()).orElse(null) : null;
    if (known == null && record == null) {
      Machine machine = shard.machines.machine(start.program(), start.options(), 0);
      LiveCase made =
          new LiveCase(
              start.caseId(),
              start.program().name(),
              now,
              Terms.of(start.options(), now),
              machine,
              machine.start(start.context(), now));
      shard.options.watch().started(made.id, start.context(), now);
      shard.live.put(made);
      made.telling.acks.add(new Telling.Ack<>(start.reply(), true));
      shard.moving.add(made);
      shard.engine.counters.started.increment();
      return;
    }
    String workflow = known != null ? known.workflow : Objects.requireNonNull(record).workflow();
    if (!workflow.equals(start.program().name())) {
      throw new IllegalArgumentException(
          "case %s is a case of workflow %s, not of %s"
              .formatted(start.caseId(), workflow, start.program().name()));
    }
    if (known != null && known.record == null) {
      // Its first commit is still being made: both callers hear of it together.
      known.telling.acks.add(new Telling.Ack<>(start.reply(), false));
    } else {
      shard.reply(start.reply(), false);
    }
  }

  private LiveCase require(String caseId, @Nullable LiveCase found) {
    if (found != null) {
      return found;
    }
    CaseRecord record =
        shard
            .store
            .load(caseId)
            .orElseThrow(() -> new IllegalArgumentException("there is no case " + caseId));
    throw new IllegalStateException(Views.missing(record));
  }

  private void await(
      String caseId, @Nullable LiveCase known, CompletableFuture<CaseResult> future) {
    if (known == null) {
      CaseRecord record = shard.store.load(caseId).orElse(null);
      if (record == null) {
        throw new IllegalArgumentException("there is no case " + caseId);
      }
      List<String> lines = List.of(Views.missing(record));
      CaseResult.Report report = new CaseResult.Report(CaseResult.Reason.PROGRAM_MISSING, lines);
      shard.reply(future, new CaseResult.Stuck(report));
      return;
    }
    // What still waits for an ended case changes nothing, so no commit would tell of the end again.
    boolean isSettled = known.state.isDone() || (known.isAtRest() && known.queue.isEmpty());
    CaseResult result = isSettled && !known.isDirty ? known.result() : null;
    if (result != null) {
      shard.reply(future, result);
    } else {
      shard.outlet.await(caseId, future);
    }
  }

  private void retry(LiveCase found, long now, CompletableFuture<Boolean> future) {
    boolean wasQuarantined = found.isQuarantined;
    if (wasQuarantined) {
      found.isQuarantined = false;
      found.isDirty = true;
      found.terms = found.terms.withCrashes(0);
      shard.runner.resume(found, now);
      shard.moving.add(found);
    }
    found.telling.acks.add(new Telling.Ack<>(future, wasQuarantined));
    shard.moving.add(found);
  }
}
