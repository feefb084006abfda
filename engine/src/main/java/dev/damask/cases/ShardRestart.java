package dev.damask.cases;

import dev.damask.cluster.Slots;
import dev.damask.intake.Request;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseMovedException;
import dev.damask.store.CaseRecord;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.StoreException;
import dev.damask.task.EffectId;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// How a shard begins again from the store: after a process that died while it moved a case, and
/// after something outside of a move that broke a round. For its cases both are the same. The case
/// at work is counted or quarantined; the others continue from their last durable revision. It also
/// lets cases go and takes cases up when the node of a cluster owns other slots than before.
final class ShardRestart {
  /// More than this is no longer the fault of single cases: the engine stops.
  private static final int RESTARTS_MAX = 100;

  private final Shard shard;
  private int restarts;
  private String culprit = "";
  private @Nullable Throwable cause; // null while there is nothing to restart for

  ShardRestart(Shard shard) {
    this.shard = shard;
  }

  /// Something broke a round.
  ///
  /// @param caseId the case at work; empty when there was none
  void plan(String caseId, Throwable thrown) {
    if (++restarts > RESTARTS_MAX) {
      throw new IllegalStateException("shard " + shard.number + " broke too often", thrown);
    }
    culprit = caseId;
    cause = thrown;
  }

  /// Memory ran out outside of a move, so it may run out anywhere: the engine stops.
  static StoreException outOfMemory(int shard, String caseId, OutOfMemoryError e) {
    return new StoreException(
        "out of memory in shard %d, the case at work was '%s': %s; raise -Xmx"
            .formatted(shard, caseId, e.getMessage()),
        e);
  }

  /// What a caller gets whose request was lost with the restart.
  static IllegalStateException sentence(Throwable thrown) {
    return new IllegalStateException(
        "the shard was restarted before this was durable, try again: " + thrown, thrown);
  }

  boolean isPlanned() {
    return cause != null;
  }

  /// Restarts the shard if something broke the round before.
  void begin() throws InterruptedException {
    Throwable thrown = cause;
    if (thrown == null) {
      return;
    }
    cause = null;
    String name = culprit;
    shard.engine.counters.restarts.increment();
    System.getLogger(Engine.class.getName())
        .log(
            System.Logger.Level.ERROR,
            "shard " + shard.number + " is restarted; the case at work was '" + name + "'",
            thrown);
    forget(sentence(thrown));
    shard.timers.rescan();
    shard.store.scanActive(id -> {
      if (shard.engine.shard(id) == shard && !id.equals(name)) {
        shard.toResume.add(id);
      }
    });
    shard.engine.messages.repeatAll();
    if (!name.isEmpty()) {
      quarantine(name, thrown);
    }
  }

  /// Drops what was not handed to the store, refuses the callers that wait for it, and waits for
  /// the rest.
  private void forget(RuntimeException sentence) throws InterruptedException {
    Batch dropped = shard.takeBatch();
    shard.publishing.addCompletion(() -> dropped.refuse(sentence));
    shard.live.all().forEach(each -> shard.publishing.addCompletion(each.refusal(sentence)));
    List<Request> unanswered = List.copyOf(shard.taken);
    shard.publishing.addCompletion(() -> unanswered.forEach(request -> request.refuse(sentence)));
    shard.runner.scripts.runs().unwindAll("the shard is restarted");
    shard.inFlight.awaitAll(); // a case must not be read before its last revision is stored
    shard.live.clear();
    shard.moving.clear();
    shard.toResume.clear();
    shard.permits.forget();
    shard.messages.forgetAll();
  }

  /// Quarantines a case as the store has it.
  private void quarantine(String caseId, Throwable thrown) {
    try {
      LiveCase found = shard.live.read(caseId);
      if (found != null && !found.isQuarantined && !found.state.isDone()) {
        shard.quarantine(found, thrown, shard.options.clock().millis());
      }
    } catch (CorruptCaseException e) {
      shard.engine.corrupt.add(e);
    }
    shard.submit();
  }

  /// Puts a case aside as it was committed last, with what broke it.
  static void quarantine(Shard shard, LiveCase each, Throwable thrown, long now) {
    String evidence = Views.evidence(thrown);
    IllegalStateException sentence =
        new IllegalStateException("case " + each.id + " was quarantined: " + thrown, thrown);
    shard.publishing.addCompletion(each.refusal(sentence));
    each.queue.clear();
    each.telling.clear();
    shard.runner.scripts.runs().drop(shard.runner.scripted(each));
    shard.options.watch().dropped(each.id);
    CaseRecord before = each.record;
    if (before == null) {
      // It broke before its first commit, so no caller knows that it exists.
      each.forget();
      shard.live.remove(each.id);
      shard.messages.neverStored(each, evidence, now);
      shard.publishing.addCompletion(shard.publisher.refusal(each.id, sentence));
      each.isQuarantined = true;
      return;
    }
    each.restore(shard.live.lastSubmitted(each));
    if (each.state.isDone()) {
      return; // it has ended, and its end was reported
    }
    each.isQuarantined = true;
    ShardPermits.quarantined(each, shard.telling(each.id));
    CaseCommit commit = each.commit(shard.inFlight.commitAt(now), CaseRecord.NEVER, evidence, true);
    shard.commit(each, commit, Shard.resultOf(each));
  }

  /// Writes down that a case was at work when the process died. Until that is durable nothing moves
  /// that could kill the process again.
  void blame(String caseId, long now) {
    try {
      LiveCase found = shard.live.read(caseId);
      if (found == null || found.isQuarantined || found.state.isDone()) {
        shard.live.remove(caseId);
        return;
      }
      CaseRecord before = Objects.requireNonNull(found.record);
      int crashes = found.terms.crashes() + 1;
      found.terms = found.terms.withCrashes(crashes);
      found.isQuarantined = crashes >= shard.options.crashesMax();
      String evidence =
          found.isQuarantined ? "the process died " + crashes + " times while it moved" : "";
      long due = found.isQuarantined ? CaseRecord.NEVER : before.dueMillis();
      boolean isWhole = found.isQuarantined;
      CaseCommit commit = found.commit(shard.inFlight.commitAt(now), due, evidence, isWhole);
      shard.commit(found, commit, Shard.resultOf(found));
      shard.live.remove(caseId); // it comes back when its new revision is durable
      shard.toResume.add(caseId);
    } catch (CorruptCaseException e) {
      shard.engine.corrupt.add(e);
    }
  }

  /// The reply to callers whose case belongs to another node now.
  static CaseMovedException moved() {
    return new CaseMovedException("the case has moved to another node");
  }

  static void apply(Shard shard, Request.SlotChange change) {
    switch (change) {
      case Request.SlotChange.Released(var slots) -> release(shard, slots);
      case Request.SlotChange.Acquired(var active) -> acquire(shard, active);
      case Request.SlotChange.Dropped() -> drop(shard);
      case Request.SlotChange.Recalled() -> recall(shard);
      case Request.SlotChange.Watched(var cases, var moving) -> {
        shard.toResume.stream().filter(cases::contains).forEach(moving::add);
        shard.moving.stream().map(each -> each.id).filter(cases::contains).forEach(moving::add);
      }
      case Request.SlotChange.Condemned(var caseId, var why) -> condemn(shard, caseId, why);
    }
  }

  /// Quarantines a case that was alone each time its node died.
  private static void condemn(Shard shard, String caseId, String why) {
    if (shard.engine.shard(caseId) != shard) {
      return;
    }
    try {
      LiveCase found = shard.live.read(caseId);
      if (found == null || found.isQuarantined || found.state.isDone()) {
        shard.live.remove(caseId);
        return;
      }
      found.isQuarantined = true;
      CaseCommit commit =
          found.commit(
              shard.inFlight.commitAt(shard.options.clock().millis()), CaseRecord.NEVER, why, true);
      shard.commit(found, commit, Shard.resultOf(found));
    } catch (CorruptCaseException e) {
      shard.engine.corrupt.add(e);
    }
  }

  /// Lets the cases of slots go: what was done is committed, what waits is passed on to the next
  /// owner.
  private static void release(Shard shard, BitSet slots) {
    long now = shard.options.clock().millis();
    for (LiveCase each : List.copyOf(shard.live.all())) {
      if (isIn(slots, each.id)) {
        if (each.queue.list().stream().anyMatch(Request.GiveUp.class::isInstance)) {
          shard.move(each, now); // the next owner would not know that the task has failed
        }
        List<Request.Queued> left = each.queue.list();
        each.queue.clear();
        shard.publishing.addCompletion(() -> left.forEach(deed -> deed.refuse(moved())));
        shard.commitNow(each, now);
        shard.moving.remove(each);
        shard.live.remove(each.id);
      }
    }
    shard.live.dropFrozen(caseId -> isIn(slots, caseId));
    forget(shard);
    shard.toResume.removeIf(caseId -> isIn(slots, caseId));
    shard.publishing.addCompletion(shard.publisher.refusal(id -> isIn(slots, id), moved()));
  }

  private static boolean isIn(BitSet slots, String caseId) {
    return slots.get(Slots.of(caseId));
  }

  private static void forget(Shard shard) {
    shard.timers.rescan();
    shard.ends.clear();
    shard.messages.forgetAll();
  }

  /// Drops every case: another node has taken over, and nothing more can be committed.
  private static void drop(Shard shard) {
    shard.runner.scripts.runs().unwindAll("another node has taken over");
    Batch dropped = shard.takeBatch();
    shard.publishing.addCompletion(() -> dropped.refuse(moved()));
    for (LiveCase each : List.copyOf(shard.live.all())) {
      drop(shard, each);
    }
    shard.live.clear();
    forget(shard);
    shard.toResume.clear();
    shard.publishing.addCompletion(shard.publisher.refusal(_ -> true, moved()));
  }

  /// Drops a case whose commit was refused. It is read again if it still belongs to this node.
  static void drop(Shard shard, LiveCase each) {
    if (shard.live.ready(each.id) != each) {
      return;
    }
    shard.publishing.addCompletion(each.refusal(moved()));
    shard.options.watch().dropped(each.id);
    shard.moving.remove(each);
    shard.live.remove(each.id);
    if (shard.engine.ownership.owns(each.id)) {
      shard.toResume.add(each.id);
    }
  }

  /// Resumes cases that are active or due.
  private static void acquire(Shard shard, List<String> active) {
    shard.timers.rescan();
    for (String caseId : active) {
      if (shard.engine.shard(caseId) == shard && !shard.live.contains(caseId)) {
        shard.toResume.add(caseId);
      }
    }
  }

  /// Takes up the effects that a node called which has gone.
  private static void recall(Shard shard) {
    long now = shard.options.clock().millis();
    for (LiveCase each : List.copyOf(shard.live.all())) {
      if (each.intents.elsewhere().isEmpty()) {
        continue;
      }
      Set<EffectId> gone = new HashSet<>(each.intents.elsewhere());
      shard.store.load(each.id).ifPresent(stored -> gone.removeAll(stored.elsewhere()));
      if (!gone.isEmpty()) {
        each.intents.elsewhere().removeAll(gone);
        if (each.isPaused()) {
          each.paused.toTakeUp.addAll(gone);
          continue;
        }
        shard.resumption.recall(each, gone, now);
        shard.moving.add(each);
      }
    }
  }
}
