package dev.damask.cases;

import dev.damask.cluster.CaseMessage;
import dev.damask.intake.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The cases of a node that may have killed the node before it. Each one stays out of memory until
/// its batch is tried out, and its messages wait here meanwhile.
///
/// One thread calls `tryOut` and `condemn`; the other methods may be called by any thread.
final class Suspects {
  /// How long a batch runs at most. A case that kills its process does so in a move or in a call.
  private static final Duration TIME_MAX = Duration.ofSeconds(10);

  private static final long PAUSE_MILLIS = 20;

  private final ClusterNode node;
  private final Engine engine;
  private final Set<String> held = ConcurrentHashMap.newKeySet();
  private final Map<String, List<CaseMessage>> parked = new HashMap<>(); // guarded by itself

  Suspects(ClusterNode node, Engine engine) {
    this.node = node;
    this.engine = engine;
  }

  boolean isHeld(String caseId) {
    return held.contains(caseId);
  }

  void hold(Collection<String> cases) {
    held.addAll(cases);
  }

  /// Keeps a message to a case that is held. Returns false if the case may move.
  boolean park(CaseMessage message) {
    synchronized (parked) {
      boolean isHeld = held.contains(message.caseId());
      if (isHeld) {
        parked.computeIfAbsent(message.caseId(), _ -> new ArrayList<>()).add(message);
      }
      return isHeld;
    }
  }

  /// Another node has taken over: it polls the messages.
  void clear() {
    synchronized (parked) {
      held.clear();
      parked.clear();
    }
  }

  private List<CaseMessage> release(String caseId) {
    synchronized (parked) {
      held.remove(caseId);
      List<CaseMessage> waiting = parked.remove(caseId);
      return waiting == null ? List.of() : waiting;
    }
  }

  /// Lets cases move and returns when they rest and no handler is called for them, or after
  /// [#TIME_MAX].
  void tryOut(List<String> cases) throws InterruptedException {
    List<CaseMessage> messages = new ArrayList<>();
    cases.forEach(each -> messages.addAll(release(each)));
    node.shift(new Request.SlotChange.Acquired(cases));
    List<CompletableFuture<?>> applied = new ArrayList<>();
    messages.forEach(each -> applied.add(node.apply(each)));
    engine.messages.repeatAll();
    Set<String> batch = Set.copyOf(cases);
    long end = System.nanoTime() + TIME_MAX.toNanos();
    boolean isQuiet = false;
    while (!isQuiet && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      isQuiet = applied.stream().allMatch(CompletableFuture::isDone) && rest(batch);
    }
  }

  private boolean rest(Set<String> batch) throws InterruptedException {
    Set<String> moving = ConcurrentHashMap.newKeySet();
    node.shift(new Request.SlotChange.Watched(batch, moving));
    return moving.isEmpty()
        && engine.effects().openCalls().stream().noneMatch(call -> batch.contains(call.caseId()));
  }

  /// Quarantines a case with the evidence. If it was never stored, the messages that would start it
  /// are refused.
  void condemn(String caseId, String why) throws InterruptedException {
    node.shift(new Request.SlotChange.Condemned(caseId, why));
    boolean isThere = engine.store.record(caseId).isPresent();
    for (CaseMessage message : release(caseId)) {
      if (isThere) {
        var _ = node.apply(message);
      } else {
        node.refused(message, new IllegalStateException("case " + caseId + ": " + why));
      }
    }
  }
}
