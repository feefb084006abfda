package dev.damask.store;

import dev.damask.exec.Machine;
import dev.damask.exec.StateLog;
import dev.damask.exec.StateRecords;
import dev.damask.program.ProgramHash;
import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.Sum;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Reads and checks the kept revisions of one case. They form segments: a base and the deltas up to
/// the next base. Every record begins with the sum that the record before it ended with, also from
/// segment to segment.
@SuppressWarnings("exports") // the state is for our own modules
public final class PastStates {
  private static final int PAGE = 256;

  private final RecordSource source;
  private final CaseRecord record;
  private final StoredState.Head head;

  private PastStates(RecordSource source, CaseRecord record, StoredState.Head head) {
    this.source = source;
    this.record = record;
    this.head = head;
  }

  /// Returns the kept revisions of a case; null if its state is in one piece, as before format 5.
  public static @Nullable PastStates of(RecordSource source, CaseRecord record) {
    return record.state() instanceof StoredState.Head head
        ? new PastStates(source, record, head)
        : null;
  }

  /// Checks the state of a case and all its kept revisions without their programs. Throws
  /// [DamagedBytes].
  public static void verify(RecordSource source, CaseRecord record) {
    PastStates past = of(source, record);
    if (past == null) {
      record.state().verify(record.key());
    } else {
      past.verify();
    }
  }

  /// Returns the oldest revision that can be read.
  public long oldest() {
    return head.kept();
  }

  /// Returns the last revision.
  public long newest() {
    return record.revision();
  }

  /// Reads the state of a revision.
  ///
  /// Throws [DamagedBytes] if a record or value that it needs is corrupt or missing, or if it does
  /// not fit the record after it. Throws [RevisionGoneException] if the revision is not kept.
  ///
  /// @param machines returns the machine of a program
  public StateLog read(long revision, Function<ProgramHash, Machine> machines) {
    require(revision);
    List<byte[]> contents = segment(revision);
    StateRecords.Header last = StateRecords.header(contents.getLast());
    if (!last.after().equals(following(revision))) {
      throw new DamagedBytes(
          "revision " + revision + ": the record after it does not follow; one is corrupt");
    }
    ProgramHash program = program(contents.getFirst());
    return StateRecords.load(
        machines.apply(program),
        record.key(),
        contents,
        hash -> source.value(record.caseId(), hash));
  }

  /// Returns the program of a revision. Throws as [#read] does.
  public ProgramHash program(long revision) {
    require(revision);
    return program(segment(revision).getFirst());
  }

  private static ProgramHash program(byte[] base) {
    return Objects.requireNonNull(StateRecords.header(base).program());
  }

  private void require(long revision) {
    if (revision < oldest() || revision > newest()) {
      throw new RevisionGoneException(record.caseId(), revision, oldest(), newest());
    }
  }

  /// The sum that the record after a revision begins with.
  private Sum following(long revision) {
    if (revision == newest()) {
      return head.sum();
    }
    List<Store.RevisionRecord> next = source.states(record.caseId(), revision + 1, revision + 1);
    if (next.isEmpty()) {
      throw missing(revision + 1);
    }
    return StateRecords.header(content(next.getFirst(), revision + 1)).before();
  }

  /// The contents of the base that a revision needs and the deltas up to it.
  private List<byte[]> segment(long revision) {
    List<byte[]> found = new ArrayList<>();
    for (long to = revision; to >= oldest(); to -= PAGE) {
      long from = Math.max(oldest(), to - PAGE + 1);
      List<byte[]> page = page(from, to);
      int base = lastBase(page);
      found.addAll(0, page.subList(Math.max(0, base), page.size()));
      if (base >= 0) {
        return found;
      }
    }
    throw new DamagedBytes("revision " + oldest() + ": expected a base, found a delta");
  }

  private static int lastBase(List<byte[]> page) {
    for (int i = page.size() - 1; i >= 0; i--) {
      if (StateRecords.header(page.get(i)).isBase()) {
        return i;
      }
    }
    return -1;
  }

  private List<byte[]> page(long from, long to) {
    List<Store.RevisionRecord> records = source.states(record.caseId(), from, to);
    List<byte[]> contents = new ArrayList<>(records.size());
    for (Store.RevisionRecord each : records) {
      contents.add(content(each, from + contents.size()));
    }
    if (contents.size() < to - from + 1) {
      throw missing(from + contents.size());
    }
    return contents;
  }

  private byte[] content(Store.RevisionRecord found, long revision) {
    if (found.revision() != revision) {
      throw missing(revision);
    }
    return found.record().content(record.caseId(), revision);
  }

  private static DamagedBytes missing(long revision) {
    return new DamagedBytes("revision " + revision + ": its record is missing");
  }

  /// Checks every kept revision without its program: all records and values are there, and every
  /// sum is the one that the records name. Throws [DamagedBytes] at the first that is not.
  public void verify() {
    List<byte[]> segment = new ArrayList<>();
    Sum last = null;
    long revision = oldest();
    while (revision <= newest()) {
      for (byte[] each : page(revision, Math.min(newest(), revision + PAGE - 1))) {
        StateRecords.Header header = StateRecords.header(each);
        if (last != null && !header.before().equals(last)) {
          throw new DamagedBytes(
              "revision " + revision + ": it does not follow the record before it");
        }
        if (header.isBase() && !segment.isEmpty()) {
          verify(segment, revision - 1);
          segment.clear();
        }
        segment.add(each);
        last = header.after();
        revision++;
      }
    }
    verify(segment, newest());
    if (!head.sum().equals(last)) {
      throw new DamagedBytes("the sum of the state is not the one that its record names");
    }
    verifyJournal();
  }

  private void verifyJournal() {
    long next = head.journal();
    while (next > 0 && next <= newest()) {
      long to = Math.min(newest(), next + PAGE - 1);
      for (Store.RevisionInputs each : source.journal(record.caseId(), next, to)) {
        if (each.revision() == next) {
          JournalPart.content(record.caseId(), next, each.bytes());
          next++;
        }
      }
      if (next <= to) {
        throw new DamagedBytes("revision " + next + ": its journal entry is missing");
      }
    }
  }

  private void verify(List<byte[]> segment, long end) {
    try {
      StateRecords.verify(record.key(), segment, hash -> source.value(record.caseId(), hash));
    } catch (DamagedBytes e) {
      throw new DamagedBytes(
          "revisions %d to %d: %s".formatted(end - segment.size() + 1, end, e.getMessage()));
    }
  }

  /// Returns the hashes of the values that records refer to. A record that cannot be read has none.
  public static Set<Sum> values(Iterable<StateChange.Stored> records) {
    Set<Sum> found = new HashSet<>();
    for (StateChange.Stored each : records) {
      try {
        found.addAll(each.header().values());
      } catch (DamagedBytes e) {
        // Readers of the state report it.
      }
    }
    return found;
  }
}
