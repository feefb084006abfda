package dev.damask.simulation;

import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.history.History;
import dev.damask.history.HistoryPosition;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseRecord;
import dev.damask.store.PastStates;
import dev.damask.store.Store;
import dev.damask.value.Decoder.DamagedBytes;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/// Compares old revisions on the disk with the states that were written at their commits.
final class PastCheck {
  /// Every so many revisions of a case one of its old revisions is read.
  private static final int EVERY = 5;

  private record Revision(String caseId, long number) {}

  private final Map<Revision, Integer> written = new HashMap<>();

  /// A revision reaches the disk.
  ///
  /// @param state its canonical bytes
  /// @param machines returns the machine of a program
  void wrote(Store disk, CaseRecord record, byte[] state, Function<ProgramHash, Machine> machines) {
    written.put(new Revision(record.caseId(), record.revision()), Arrays.hashCode(state));
    if (record.revision() % EVERY == 0) {
      disk.record(record.caseId()).ifPresent(stored -> read(disk, stored, machines));
    }
  }

  /// The journal leads to every kept revision, and to one state between two commits.
  void replays(Store disk, CaseRecord record, Workload work) {
    if (disk.record(record.caseId()).isEmpty()) {
      return; // removed with its history
    }
    History history =
        new History(
            disk,
            record,
            (hash, scheduler, tracer) -> {
              Program program = work.program(record.caseId(), hash);
              return new Machine(
                  program, new Machine.Options(scheduler, program.limits(), false, tracer));
            });
    var divergence = history.replay();
    Invariants.require("I12", divergence.isEmpty(), record, "is repeated as " + divergence);
    for (HistoryPosition position : history.positions()) {
      if (!position.isCommitted()) {
        var state = history.at(position.number());
        Invariants.require("I12", state.divergence().isEmpty(), record, "had no " + state);
        return;
      }
    }
  }

  private void read(Store disk, CaseRecord stored, Function<ProgramHash, Machine> machines) {
    PastStates past = PastStates.of(disk, stored);
    if (past == null) {
      return;
    }
    long kept = past.newest() - past.oldest() + 1;
    long revision = past.oldest() + Math.floorMod(past.newest() * 31, kept);
    Integer expected = written.get(new Revision(stored.caseId(), revision));
    try {
      past.verify();
      byte[] found = StateCodec.encode(past.read(revision, machines).state());
      boolean isSame = expected == null || expected == Arrays.hashCode(found);
      Invariants.require("I12", isSame, stored, "had another state at revision " + revision);
    } catch (DamagedBytes e) {
      throw new InvariantViolation("I12", stored.caseId() + " lost revision " + revision, e);
    }
  }
}
