package dev.damask.simulation;

import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
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
