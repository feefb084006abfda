package dev.damask.cases;

import dev.damask.cluster.Slots;
import dev.damask.intake.Request;
import dev.damask.store.CaseMovedException;
import dev.damask.task.EffectId;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// What a shard does when its node owns other slots than before. Each method is called under the
/// shard's lock.
final class SlotShift {
  static final CaseMovedException MOVED =
      new CaseMovedException("the case has moved to another node");

  private SlotShift() {}

  static void apply(Shard shard, Request.SlotChange change) {
    switch (change) {
      case Request.SlotChange.Released(var slots) -> release(shard, slots);
      case Request.SlotChange.Acquired(var active) -> acquire(shard, active);
      case Request.SlotChange.Dropped() -> drop(shard);
      case Request.SlotChange.Recalled() -> recall(shard);
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
        shard.publishing.addCompletion(() -> left.forEach(deed -> deed.refuse(MOVED)));
        shard.commitNow(each, now);
        shard.moving.remove(each);
        shard.live.remove(each.id);
      }
    }
    forget(shard);
    shard.toResume.removeIf(caseId -> isIn(slots, caseId));
    shard.publishing.addCompletion(shard.outlet.refusal(id -> isIn(slots, id), MOVED));
  }

  private static boolean isIn(BitSet slots, String caseId) {
    return slots.get(Slots.of(caseId));
  }

  private static void forget(Shard shard) {
    shard.timers.rescan();
    shard.ends.clear();
  }

  /// Drops every case: another node has taken over, and nothing more can be committed.
  private static void drop(Shard shard) {
    AfterCommit dropped = shard.dropBatch();
    shard.publishing.addCompletion(() -> dropped.refuse(MOVED));
    for (LiveCase each : List.copyOf(shard.live.all())) {
      drop(shard, each);
    }
    forget(shard);
    shard.toResume.clear();
    shard.publishing.addCompletion(shard.outlet.refusal(_ -> true, MOVED));
  }

  /// Drops a case whose commit was refused. It is read again if it still belongs to this node.
  static void drop(Shard shard, LiveCase each) {
    if (shard.live.get(each.id) != each) {
      return;
    }
    shard.publishing.addCompletion(each.refusal(MOVED));
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
      if (shard.engine.shard(caseId) == shard && shard.live.get(caseId) == null) {
        shard.toResume.add(caseId);
      }
    }
  }

  /// Takes up the effects that a node called which has gone.
  private static void recall(Shard shard) {
    long now = shard.options.clock().millis();
    for (LiveCase each : List.copyOf(shard.live.all())) {
      if (each.elsewhere.isEmpty()) {
        continue;
      }
      Set<EffectId> gone = new HashSet<>(each.elsewhere);
      shard.store.load(each.id).ifPresent(stored -> gone.removeAll(stored.elsewhere()));
      if (!gone.isEmpty()) {
        each.elsewhere.removeAll(gone);
        shard.resumption.recall(each, gone, now);
        shard.moving.add(each);
      }
    }
  }
}
