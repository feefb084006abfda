package dev.damask.cases;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.effect.ReceiptChain;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.Outcome;
import dev.damask.exec.StateCodec;
import dev.damask.exec.Status;
import dev.damask.exec.TraceEvent;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.task.EffectId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A case in the memory of its shard: the machine's state and what has not been committed yet.
final class LiveCase {
  final String id;
  String workflow;
  final long startedMillis;
  Machine machine;
  ExecState state;
  Terms terms;

  /// What the store was last given; null before the first commit.
  @Nullable CaseRecord record;

  long durableRevision;
  boolean isQuarantined;
  ReceiptChain chain;

  /// The effects that wait, and the tokens that wait for them.
  final Map<EffectId, EffectIntent> intents = new LinkedHashMap<>();

  final Map<Integer, EffectId> tokens = new LinkedHashMap<>();

  /// What comes in while the case moves.
  final ArrayDeque<Request.Deed> queue = new ArrayDeque<>();

  /// The answers to messages whose commit may not be durable yet.
  final Map<String, Integer> recent = new LinkedHashMap<>();

  // Since the last commit.
  boolean isDirty;
  final List<CaseCommit.Message> consumed = new ArrayList<>();
  final List<Receipt> receipts = new ArrayList<>();
  final Map<EffectId, EffectIntent> added = new LinkedHashMap<>();
  final Set<EffectId> removed = new LinkedHashSet<>();
  private final Set<EffectId> fresh = new HashSet<>();
  final List<CaseCommit.KeyUse> keys = new ArrayList<>();
  final ArrayList<TraceEvent> trace = new ArrayList<>();
  final Telling telling = new Telling();

  LiveCase(
      String id,
      String workflow,
      long startedMillis,
      Terms terms,
      Machine machine,
      ExecState state) {
    this.id = id;
    this.workflow = workflow;
    this.startedMillis = startedMillis;
    this.terms = terms;
    this.machine = machine;
    this.state = state;
    this.chain = ReceiptChain.EMPTY;
  }

  long revision() {
    return record == null ? 0 : record.revision();
  }

  /// Whether the case has nothing to do by itself.
  boolean isAtRest() {
    return isQuarantined || state.isDone() || state.isBlocked();
  }

  /// Whether nothing would be lost if it left memory.
  boolean isEvictable() {
    return queue.isEmpty()
        && isAtRest()
        && intents.values().stream().noneMatch(EffectIntent::sent) // a call may be under way
        && isDurable();
  }

  /// Whether the store has all of it.
  boolean isDurable() {
    return !isDirty && record != null && durableRevision == record.revision();
  }

  /// Whether the store has never heard of an intent.
  boolean isFresh(EffectIntent intent) {
    return fresh.contains(intent.id());
  }

  void plan(EffectIntent intent) {
    if (!intents.containsKey(intent.id()) && !removed.contains(intent.id())) {
      fresh.add(intent.id());
    }
    intents.put(intent.id(), intent);
    tokens.put(intent.token(), intent.id());
    added.put(intent.id(), intent);
    removed.remove(intent.id());
    isDirty = true;
  }

  void drop(EffectIntent intent) {
    intents.remove(intent.id());
    tokens.remove(intent.token(), intent.id());
    added.remove(intent.id());
    if (!fresh.remove(intent.id())) {
      removed.add(intent.id());
    }
    isDirty = true;
  }

  void receipt(EffectIntent intent, int attempt, long atMillis, Receipt.Result result) {
    receipt(
        new Receipt.Body(
            intent.id(), intent.task(), intent.type(), intent.key(), attempt, atMillis, result));
  }

  void receipt(Receipt.Body body) {
    Receipt receipt = chain.next(body);
    chain = chain.with(receipt);
    receipts.add(receipt);
    isDirty = true;
  }

  CaseStatus status() {
    if (isQuarantined) {
      return CaseStatus.QUARANTINED;
    }
    Status status = state.status();
    return switch (status) {
      case RUNNING -> CaseStatus.RUNNING;
      case WAITING -> CaseStatus.WAITING;
      case DEADLOCKED -> CaseStatus.DEADLOCKED;
      case COMPLETED -> CaseStatus.COMPLETED;
      case CANCELLED -> CaseStatus.CANCELLED;
      case FAILED -> CaseStatus.FAILED;
    };
  }

  /// When something happens by itself; [CaseRecord#NEVER] when nothing does.
  long nextDue() {
    if (state.isDone()) {
      return CaseRecord.NEVER;
    }
    return Math.min(state.nextDue().orElse(CaseRecord.NEVER), engineDue());
  }

  /// The same for what the machine knows nothing of: the deadline, decisions, sleeps.
  long engineDue() {
    long due = terms.deadlineMillis();
    for (EffectIntent intent : intents.values()) {
      due = Math.min(due, intent.dueMillis());
    }
    return due;
  }

  /// The next revision, with everything since the last one. It ends what may have been wrong with
  /// the case before.
  CaseCommit commit(long epoch, long now) {
    if (terms.crashes() > 0) {
      terms = terms.withCrashes(0);
    }
    return commit(epoch, now, nextDue(), "", StateCodec.encode(state));
  }

  CaseCommit commit(long epoch, long now, long due, String evidence, byte[] bytes) {
    CaseRecord next =
        new CaseRecord(
            id,
            revision() + 1,
            epoch,
            status(),
            workflow,
            startedMillis,
            Math.max(now, startedMillis),
            due,
            chain,
            terms.encode(),
            evidence,
            bytes);
    CaseCommit commit =
        new CaseCommit(
            next,
            consumed,
            receipts,
            List.copyOf(added.values()),
            List.copyOf(removed),
            keys,
            TraceCodec.encode(next.changedMillis(), trace));
    record = next;
    forget();
    return commit;
  }

  /// Drops what has not been committed.
  void forget() {
    consumed.clear();
    receipts.clear();
    added.clear();
    removed.clear();
    fresh.clear();
    keys.clear();
    trace.clear();
    isDirty = false;
  }

  /// Becomes what was read from the store.
  void restore(LiveCase stored) {
    state = stored.state;
    terms = stored.terms;
    chain = stored.chain;
    intents.clear();
    intents.putAll(stored.intents);
    tokens.clear();
    tokens.putAll(stored.tokens);
  }

  /// How it ended or why it cannot; null when it may still move.
  @Nullable CaseResult result() {
    if (isQuarantined) {
      String evidence = record == null ? "" : record.evidence();
      return stuck(CaseResult.Reason.QUARANTINED, List.of(evidence));
    }
    if (state.status() == Status.WAITING) {
      return null;
    }
    return switch (machine.outcome(state)) {
      case Outcome.Done(var context) -> new CaseResult.Completed(context);
      case Outcome.Failed(var failure) -> new CaseResult.Failed(failure);
      case Outcome.Cancelled() -> new CaseResult.Cancelled("case");
      case Outcome.Deadlocked(var report) -> stuck(CaseResult.Reason.DEADLOCKED, report);
      case Outcome.Yielded(), Outcome.Waits(_, _, _) -> null;
    };
  }

  private static CaseResult stuck(CaseResult.Reason reason, List<String> lines) {
    return new CaseResult.Stuck(new CaseResult.Report(reason, lines));
  }
}
