package dev.damask.history;

import dev.damask.event.StateView;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseRecord;
import dev.damask.store.CorruptCaseException;
import dev.damask.store.PastStates;
import dev.damask.store.RevisionGoneException;
import dev.damask.store.Store;
import dev.damask.value.Decoder.DamagedBytes;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The past of one case, as far as its store keeps it. It is a picture of one moment: revisions
/// that are committed later are not in it, and a revision may go while it is read.
public final class History {
  private final Store store;
  private final CaseRecord record;
  private final Function<ProgramHash, Machine> machines;
  private final @Nullable PastStates past; // null if the state is in one piece, as before format 5

  /// @param machines returns the machine of a program; throws `IllegalStateException` if the
  ///   program is missing
  @SuppressWarnings("exports") // the machine is for our own modules
  public History(Store store, CaseRecord record, Function<ProgramHash, Machine> machines) {
    this.store = store;
    this.record = record;
    this.machines = machines;
    this.past = PastStates.of(store, record);
  }

  /// Returns the id of the case.
  public String caseId() {
    return record.caseId();
  }

  /// Returns the oldest revision that can be read.
  public long oldest() {
    return past == null ? record.revision() : past.oldest();
  }

  /// Returns the last revision.
  public long newest() {
    return record.revision();
  }

  /// Returns the state of a revision. Throws `RevisionGoneException` if the revision is not kept,
  /// and `CorruptCaseException` if its records are corrupt.
  public StateView state(long revision) {
    return read(revision).view();
  }

  /// As [#state], as the machine has it.
  @SuppressWarnings("exports") // the state is for our own modules
  public ExecState read(long revision) {
    try {
      if (past != null) {
        return past.read(revision, machines).state();
      }
      if (revision != record.revision()) {
        throw gone(revision);
      }
      return record.decode(machines.apply(record.program()));
    } catch (DamagedBytes e) {
      CaseRecord now = store.record(caseId()).orElse(null);
      if (now == null || revision < new History(store, now, machines).oldest()) {
        throw gone(revision); // it has gone while it was read
      }
      throw new CorruptCaseException(caseId(), String.valueOf(e.getMessage()), e);
    }
  }

  private RuntimeException gone(long revision) {
    CaseRecord now = store.record(caseId()).orElse(record);
    long oldest = new History(store, now, machines).oldest();
    return new RevisionGoneException(
        caseId(), revision, oldest, now.revision());
  }

  /// Returns the program of a revision. Throws as [#state] does.
  public ProgramHash program(long revision) {
    return past == null ? record.program() : past.program(revision);
  }
}
