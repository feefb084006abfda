package dev.damask.simulation;

import dev.damask.cases.ManualEngine;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.effect.ReceiptChain;
import dev.damask.exec.Input;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.Store;
import dev.damask.task.Decoder;
import dev.damask.task.EffectId;
import java.util.ArrayList;
import java.util.Arrays;
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

  Invariants(Simulation simulation) {
    this.simulation = simulation;
  }

  /// A batch reaches the disk.
  void check(Store disk, CommitBatch batch) {
    Map<String, CaseRecord> written = new HashMap<>();
    for (CaseCommit commit : batch.cases()) {
      CaseRecord next = commit.record();
      CaseRecord before = written.get(next.caseId());
      if (before == null) {
        before = disk.load(next.caseId()).orElse(null);
      }
      written.put(next.caseId(), next);
      revision(before, next);
      receipts(before, commit);
      messages(commit);
      ended(before, next);
      simulation.noteRevision(next);
      if (simulation.comparesBytes()) {
        state(next);
        if (Simulation.isRepeatable(next)) {
          simulation.repetition.check(next, simulation.machine(next));
        }
      }
    }
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
    }
    for (Receipt receipt : commit.receipts()) {
      Receipt expected = chain.next(receipt.body());
      if (!receipt.equals(expected)) {
        throw violation("I5", commit.record(), "has an unlinked " + receipt);
      }
      chain = chain.with(receipt);
      // An effect that was refused at once has its intent and its receipt in one commit.
      boolean isIntended = known.contains(receipt.body().effect());
      boolean isRefused = receipt.body().result() instanceof Receipt.Result.Refused;
      if (!isIntended && !isRefused) {
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

  /// The state is what its bytes say, byte for byte.
  private void state(CaseRecord record) {
    Machine machine = simulation.machine(record);
    try {
      byte[] again = StateCodec.encode(StateCodec.decode(machine, record.state()));
      require("I12", Arrays.equals(again, record.state()), record, "decodes to something else");
    } catch (Decoder.DamagedBytes e) {
      throw new Violation("I12", record.caseId() + " does not decode", e);
    }
  }

  /// Whoever would read the case from the store now would have what is in memory, byte for byte.
  void rebuilt(ManualEngine engine, String caseId) {
    byte[] inMemory = engine.restingState(caseId).orElse(null);
    if (inMemory != null) {
      CaseRecord record = simulation.disk.load(caseId).orElseThrow();
      boolean isSame = Arrays.equals(inMemory, record.state());
      require("I12", isSame, record, "is something else in memory than in the store");
    }
  }

  /// A handler is called: its intent must be on the disk, and its case must still want it.
  void called(EffectCall call) {
    boolean isPlanned =
        simulation.disk.intents(call.caseId()).stream()
            .anyMatch(each -> each.id().equals(call.id()) && each.sent());
    // A result that came in the meantime may have removed the intent again; then it was there.
    boolean wasPlanned = intended.getOrDefault(call.caseId(), Set.of()).contains(call.id());
    boolean isInRegion =
        simulation.disk.load(call.caseId()).orElseThrow().workflow().startsWith("region-")
            && !call.task().equals("D");
    if (isInRegion && cancelled.contains(call.caseId())) {
      throw new Violation("I8", "started after its scope was cancelled: " + call);
    }
    if (!isPlanned && !wasPlanned) {
      throw new Violation("I4", "called without a durable intent: " + call);
    }
  }

  /// A start was acknowledged.
  void acknowledged(String caseId) {
    if (simulation.disk.load(caseId).isEmpty()) {
      throw new Violation("I1", "case " + caseId + " was acknowledged and is not on the disk");
    }
  }

  /// A message was acknowledged.
  void acknowledged(String caseId, String messageId) {
    if (simulation.disk.consumed(caseId, messageId).isEmpty()) {
      throw new Violation("I14", caseId + ": " + messageId + " was acknowledged and is not there");
    }
  }

  /// An input was acknowledged; a scope that is cancelled starts nothing from now on.
  void acknowledged(String caseId, Input input) {
    if (input instanceof Input.Kill(var scope, var complete) && scope.equals("R") && !complete) {
      cancelled.add(caseId);
    }
  }

  /// After the heal: everything has ended, or waits for something that has a name.
  void live(CaseRecord record, boolean waitsForNamed, boolean isPoison) {
    boolean isFine =
        record.status().isEnded()
            || record.status() == CaseStatus.DEADLOCKED
            || (record.status() == CaseStatus.QUARANTINED && isPoison)
            || (record.status() == CaseStatus.WAITING && waitsForNamed);
    if (!isFine) {
      throw violation("I16", record, "does not go on and waits for nothing " + record.evidence());
    }
  }

  /// A receipt that somebody changes is noticed.
  void tampered(CaseRecord record, List<Receipt> receipts) {
    if (receipts.isEmpty()) {
      return;
    }
    Receipt first = receipts.getFirst();
    Receipt.Body body = first.body();
    Receipt.Body other =
        new Receipt.Body(
            body.effect(),
            body.task(),
            body.type(),
            body.key(),
            body.attempt() + 1,
            body.atMillis(),
            body.result());
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

  /// For what takes words to say: nobody makes them unless something is wrong.
  private static Violation violation(String invariant, CaseRecord record, String what) {
    return new Violation(
        invariant,
        "case %s at revision %d, %s, %s"
            .formatted(record.caseId(), record.revision(), record.status(), what));
  }
}
