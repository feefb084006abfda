package dev.damask.simulation;

import dev.damask.cases.ManualEngine;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.effect.ReceiptChain;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.program.ProgramHash;
import dev.damask.script.ScriptStep;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.StateChange;
import dev.damask.store.Store;
import dev.damask.store.StoredState;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What must hold whenever something reaches the disk or leaves the engine. The numbers are those
/// of the list of invariants.
final class Invariants {
  private final Simulation simulation;
  private final Map<String, Set<EffectId>> intended = new HashMap<>();
  private final Map<String, Integer> messages = new HashMap<>();
  private final Map<String, Long> revisions = new HashMap<>();
  private final Set<String> cancelled = new HashSet<>();
  private final Set<String> cancelledTasks = new HashSet<>();
  private final Set<String> migrated = new HashSet<>();
  private final Set<String> paused = new HashSet<>();
  private final PastCheck past = new PastCheck();

  Invariants(Simulation simulation) {
    this.simulation = simulation;
  }

  private static boolean isChild(CaseRecord record) {
    return record.caseId().contains(":");
  }

  /// A batch reaches the disk.
  void check(Store disk, CommitBatch batch) {
    Map<String, CaseRecord> written = new HashMap<>();
    Map<String, StoredState.Chain> chains = new HashMap<>(); // after the commits of this batch
    Map<String, Map<EffectId, EffectIntent>> open = new HashMap<>();
    boolean isBroken = false;
    for (CaseCommit commit : batch.cases()) {
      CaseRecord next = commit.record();
      CaseRecord before = written.get(next.caseId());
      if (before == null) {
        before = disk.record(next.caseId()).orElse(null);
      }
      written.put(next.caseId(), next);
      boolean isAgain = simulation.removed().contains(next.caseId()) && isChild(next);
      require("G6", !isAgain, next, "is a child that was started, ended and removed before");
      revision(before, next);
      receipts(before, commit);
      messages(commit);
      ended(before, next);
      still(before, commit);
      boolean isPutAside = next.status() == CaseStatus.QUARANTINED;
      require("G7", !isPutAside || !next.evidence().isEmpty(), next, "has no evidence");
      if (isPutAside && !Job.isPoison(next.workflow())) {
        isBroken = true;
        simulation.putAside(next.caseId());
      }
      simulation.noteRevision(commit);
      if (simulation.comparesBytes()) {
        CaseRecord whole = withState(disk, commit, chains);
        state(disk, whole, FactInvariant.open(disk, commit, open).values());
        if (Simulation.isRepeatable(next)) {
          simulation.repetition.check(whole, simulation.workload().firstMachine(next.caseId()));
        }
      }
    }
    if (isBroken && written.size() > 1) {
      simulation.count(CoveragePoint.NEIGHBOUR_OF_A_BROKEN_MOVE);
    }
  }

  /// The record of a commit with the state it has on the disk after the commit.
  private static CaseRecord withState(
      Store disk, CaseCommit commit, Map<String, StoredState.Chain> chains) {
    CaseRecord next = commit.record();
    StateChange change = commit.state();
    if (change == null || !(next.state() instanceof StoredState.Head head)) {
      return next;
    }
    StoredState.Chain before = chains.get(next.caseId());
    if (before == null || before.last() != next.revision() - 1) {
      before = disk.record(next.caseId()).map(CaseRecord::chain).orElse(StoredState.Chain.NONE);
    }
    StoredState.Chain chain = before.plus(next.revision(), change);
    chains.put(next.caseId(), chain);
    return next.withState(head.with(() -> chain));
  }

  private void revision(@Nullable CaseRecord before, CaseRecord next) {
    long stored = before == null ? 0 : before.revision();
    if (next.revision() != stored + 1) {
      throw violation("I2", next, "follows revision " + stored);
    }
    long seen = revisions.merge(next.caseId(), next.revision(), Math::max);
    if (seen != next.revision()) {
      throw violation("I2", next, "comes after revision " + seen);
    }
  }

  private void receipts(@Nullable CaseRecord before, CaseCommit commit) {
    ReceiptChain chain = before == null ? ReceiptChain.EMPTY : before.receipts();
    Set<EffectId> known = intended.computeIfAbsent(commit.record().caseId(), _ -> new HashSet<>());
    for (EffectIntent intent : commit.intentsAdded()) {
      known.add(intent.id());
      if (intent.step()
          && results(commit.record().caseId(), intent.id()).stream()
              .anyMatch(Receipt.Result.Ok.class::isInstance)) {
        throw violation("I3", commit.record(), "plans a step that has its receipt: " + intent);
      }
    }
    for (Receipt receipt : commit.receipts()) {
      Receipt expected = chain.next(receipt.body());
      if (!receipt.equals(expected)) {
        throw violation("I5", commit.record(), "has an unlinked " + receipt);
      }
      chain = chain.with(receipt);
      // An effect that was refused at once has its intent and its receipt in one commit.
      boolean isIntended = known.contains(receipt.body().id());
      boolean isRefused = receipt.body().result() instanceof Receipt.Result.Refused;
      // A value that a script records has no key, and a signal that was there is taken at once.
      boolean isRecorded =
          receipt.body().key().isEmpty() || receipt.body().type().equals(ScriptStep.SIGNAL);
      if (!isIntended && !isRefused && !isRecorded) {
        throw violation("I4", commit.record(), "has no intent for " + receipt);
      }
      simulation.noteReceipt(receipt);
    }
    require("I5", commit.record().receipts().equals(chain), commit.record(), "forgets receipts");
  }

  private void messages(CaseCommit commit) {
    for (CaseCommit.Message message : commit.consumed()) {
      String name = commit.record().caseId() + "/" + message.id();
      Integer before = messages.put(name, message.answer());
      if (before != null) {
        throw violation("I14", commit.record(), "consumes twice " + message.id());
      }
    }
  }

  private static void ended(@Nullable CaseRecord before, CaseRecord next) {
    if (before != null && before.status().isEnded()) {
      if (next.status() != before.status()) {
        throw violation("G2", next, "was " + before.status() + " before");
      }
    }
  }

  /// A case that stays paused does nothing.
  private static void still(@Nullable CaseRecord before, CaseCommit commit) {
    if (before != null
        && before.status() == CaseStatus.PAUSED
        && commit.record().status() == CaseStatus.PAUSED) {
      boolean isStill = commit.receipts().isEmpty() && commit.intentsAdded().isEmpty();
      require("pause", isStill, commit.record(), "does something although it is paused");
    }
  }

  /// A caller was told that a case is paused.
  void paused(String caseId) {
    paused.add(caseId);
  }

  /// A client is about to resume a case.
  void resuming(String caseId) {
    paused.remove(caseId);
  }

  static void require(boolean holds, String what) {
    if (!holds) {
      throw new InvariantViolation("probe", what);
    }
  }

  /// The state is what its bytes say, byte for byte.
  private void state(Store disk, CaseRecord record, Collection<EffectIntent> open) {
    Machine machine = simulation.machine(record);
    try {
      ExecState state = record.decode(machine);
      FactInvariant.check(record, machine, state, open);
      byte[] bytes = StateCodec.encode(state);
      byte[] again = StateCodec.encode(StateCodec.decode(machine, bytes));
      require("I12", Arrays.equals(again, bytes), record, "decodes to something else");
      past.wrote(disk, record, bytes, hash -> simulation.workload().machine(record.caseId(), hash));
    } catch (Decoder.DamagedBytes e) {
      throw new InvariantViolation("I12", record.caseId() + " does not decode", e);
    }
  }

  /// The stored case has the same bytes as the case in memory.
  void rebuilt(ManualEngine engine, String caseId) {
    byte[] inMemory = engine.restingState(caseId).orElse(null);
    if (inMemory != null) {
      CaseRecord record = simulation.disk.record(caseId).orElseThrow();
      ExecState stored = record.decode(simulation.machine(record));
      boolean isSame = Arrays.equals(inMemory, StateCodec.encode(stored));
      require("I12", isSame, record, "is something else in memory than in the store");
    }
  }

  /// A handler is called: its intent must be on the disk, and its case must still want it.
  void called(EffectCall call, boolean userKey) {
    if (cancelledTasks.contains(call.caseId() + "/" + call.id())) {
      throw new InvariantViolation("I8", "started after its task was cancelled: " + call);
    }
    if (paused.contains(call.caseId())) {
      throw new InvariantViolation("pause", "called although its case is paused: " + call);
    }
    if (call.type().equals(EffectProbes.GUARDED) && !isApproved(call.caseId(), call.id())) {
      throw new InvariantViolation("approval", "called without a decision: " + call);
    }
    if (userKey && simulation.disk.receiptByKey(call.type(), call.key()).isPresent()) {
      throw new InvariantViolation("I3", "called although its key has a result: " + call);
    }

    boolean isPlanned =
        simulation.disk.intents(call.caseId()).stream()
            .anyMatch(each -> each.id().equals(call.id()) && each.sent());
    // A result that came in the meantime may have removed the intent again; then it was there.
    boolean wasPlanned = intended.getOrDefault(call.caseId(), Set.of()).contains(call.id());
    // A case that ended and was removed in later batches may be gone before its call leaves.
    boolean isInRegion =
        simulation.disk.record(call.caseId()).stream()
                .anyMatch(record -> record.workflow().startsWith("region-"))
            && !call.task().equals("D");
    if (isInRegion && cancelled.contains(call.caseId())) {
      throw new InvariantViolation("I8", "started after its scope was cancelled: " + call);
    }
    if (!isPlanned && !wasPlanned) {
      throw new InvariantViolation("I4", "called without a durable intent: " + call);
    }
  }

  private boolean isApproved(String caseId, EffectId effect) {
    return results(caseId, effect).stream()
        .anyMatch(new Receipt.Result.Approved(EffectProbes.APPROVER)::equals);
  }

  private List<Receipt.Result> results(String caseId, EffectId effect) {
    return simulation.disk.receipts(caseId).stream()
        .filter(receipt -> receipt.body().id().equals(effect))
        .map(receipt -> receipt.body().result())
        .toList();
  }

  /// A start was acknowledged.
  void acknowledged(String caseId) {
    if (simulation.disk.record(caseId).isEmpty() && !simulation.removed().contains(caseId)) {
      throw new InvariantViolation(
          "I1", "case " + caseId + " was acknowledged and is not on the disk");
    }
  }

  /// A message was acknowledged.
  void acknowledged(String caseId, String messageId) {
    boolean isThere = simulation.disk.consumed(caseId, messageId).isPresent();
    if (!isThere && !simulation.removed().contains(caseId)) {
      throw new InvariantViolation(
          "I14", caseId + ": " + messageId + " was acknowledged and is not there");
    }
  }

  /// An input was acknowledged; a scope that is cancelled starts nothing from now on.
  void acknowledged(String caseId, Input input) {
    if (input instanceof Input.Kill(var scope, var complete, _) && scope.equals("R") && !complete) {
      cancelled.add(caseId);
    }
  }

  /// A message is sent, perhaps again.
  void asked(String caseId, String messageId) {
    if (migrated.contains(caseId) && messages.containsKey(caseId + "/" + messageId)) {
      simulation.count(CoveragePoint.MESSAGE_REPEATED_AFTER_MIGRATION);
    }
  }

  /// A migration was acknowledged.
  void migrated(String caseId, ProgramHash target) {
    simulation.count(CoveragePoint.CASE_MIGRATED);
    migrated.add(caseId);
    CaseRecord record = simulation.disk.record(caseId).orElse(null);
    if (record != null && !record.program().equals(target)) {
      throw violation("G2", record, "was migrated and is in another version");
    }
    if (record != null) {
      Machine machine = simulation.machine(record);
      FactInvariant.check(
          record, machine, record.decode(machine), simulation.disk.intents(record.caseId()));
    }
  }

  /// An action of a client on a task was answered.
  void acknowledged(String caseId, Act.OnTask act, EffectId task, Reply reply) {
    if (act instanceof Act.Decide(_, _, var by) && !by.equals(EffectProbes.APPROVER)) {
      if (reply == Reply.ACCEPTED) {
        throw new InvariantViolation("approval", caseId + ": decided by " + by + ", who may not");
      }
      simulation.count(CoveragePoint.DECISION_BY_A_STRANGER);
      return;
    }
    if (reply != Reply.ACCEPTED || simulation.removed().contains(caseId)) {
      return;
    }
    List<Receipt.Result> results = results(caseId, task);
    switch (act) {
      case Act.CancelTask _ -> {
        simulation.count(CoveragePoint.TASK_CANCELLED);
        cancelledTasks.add(caseId + "/" + task);
      }
      case Act.Decide _ -> {
        simulation.count(CoveragePoint.DECISION_TAKEN);
        durable(caseId, act, !results.isEmpty());
      }
      case Act.Complete(var name, _) -> {
        durable(caseId, act, results.stream().anyMatch(Receipt.Result.Ok.class::isInstance));
        if (name.equals("ask")
            || (name.equals(EffectProbes.GUARDED) && !isApproved(caseId, task))) {
          throw new InvariantViolation(
              "approval", caseId + ": " + act + " by a caller who may not decide");
        }
      }
      case Act.Fail _ ->
          durable(caseId, act, results.stream().anyMatch(Receipt.Result.Failed.class::isInstance));
    }
  }

  private static void durable(String caseId, Act act, boolean holds) {
    if (!holds) {
      throw new InvariantViolation(
          "I1", caseId + ": " + act + " was acknowledged and has no receipt");
    }
  }

  /// Retention has removed cases: they had ended, and all others are as they were.
  ///
  /// @param untouched the others as they were before
  void removed(Map<String, Kept> untouched) {
    untouched.forEach((caseId, before) -> {
      if (!before.equals(kept(caseId))) {
        throw new InvariantViolation("G6", "retention of other cases has changed case " + caseId);
      }
    });
  }

  /// What the disk has of a case.
  record Kept(
      Bytes record, List<EffectIntent> intents, List<Receipt> receipts, Set<String> messages) {}

  /// Everything on the disk but the given cases.
  Map<String, Kept> allBut(List<String> removed) {
    Map<String, Kept> kept = new HashMap<>();
    for (String caseId : revisions.keySet()) {
      if (!removed.contains(caseId) && simulation.disk.record(caseId).isPresent()) {
        kept.put(caseId, kept(caseId));
      }
    }
    return kept;
  }

  private Kept kept(String caseId) {
    Store disk = simulation.disk;
    Set<String> known = new HashSet<>();
    for (String name : messages.keySet()) {
      String id = name.substring(name.indexOf('/') + 1);
      if (name.startsWith(caseId + "/") && disk.consumed(caseId, id).isPresent()) {
        known.add(id);
      }
    }
    byte[] record = disk.record(caseId).map(CaseRecord::encode).orElse(new byte[0]);
    return new Kept(Bytes.of(record), disk.intents(caseId), disk.receipts(caseId), known);
  }

  /// After the heal: everything has ended, or waits for something that has a name.
  void live(CaseRecord record, boolean waitsForNamed, boolean isPoison) {
    boolean isFine =
        record.status().isEnded()
            || record.status() == CaseStatus.DEADLOCKED
            || (record.status() == CaseStatus.QUARANTINED && isPoison)
            || (record.status() == CaseStatus.WAITING && waitsForNamed);
    if (!isFine) {
      throw violation(
          "I16", record, "does not continue and waits for nothing " + record.evidence());
    }
    if (simulation.comparesBytes() && Simulation.isRepeatable(record)) {
      past.replays(simulation.disk, record, simulation.workload());
    }
  }

  /// A changed receipt is detected.
  void tampered(CaseRecord record, List<Receipt> receipts) {
    if (receipts.isEmpty()) {
      return;
    }
    Receipt first = receipts.getFirst();
    Receipt.Body body = first.body();
    Receipt.Body other = body.with(body.result(), body.atMillis() + 1);
    List<Receipt> changed = new ArrayList<>(receipts);
    changed.set(0, new Receipt(first.number(), other, first.hash()));
    boolean isFound = !record.receipts().verify(changed).isEmpty();
    require("G5", isFound, record, "does not notice that a receipt was changed");
  }

  static void require(String invariant, boolean holds, CaseRecord record, String what) {
    if (!holds) {
      throw violation(invariant, record, what);
    }
  }

  /// Builds the message only if the invariant does not hold.
  private static InvariantViolation violation(String invariant, CaseRecord record, String what) {
    return new InvariantViolation(
        invariant,
        "case %s at revision %d, %s, %s"
            .formatted(record.caseId(), record.revision(), record.status(), what));
  }
}
