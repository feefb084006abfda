package dev.damask.store;

import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.exec.StateLog;
import dev.damask.exec.StateRecords;
import dev.damask.program.ProgramHash;
import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.util.List;
import java.util.function.Supplier;

/// The state of a case as a store has it.
@SuppressWarnings("exports") // the state is for our own modules
public sealed interface StoredState {
  /// The program the state belongs to.
  ProgramHash program();

  /// Reads the state, and the log that continues its records. Throws [DamagedBytes] if the records
  /// do not fit together or the values they refer to are missing.
  StateLog open(Machine machine, StateLog.CaseKey key);

  /// Checks everything that can be checked without the program. Throws [DamagedBytes].
  void verify(StateLog.CaseKey key);

  /// The whole state in one piece, as stores up to format 4 kept it. A case is converted by its
  /// next commit.
  @SuppressWarnings("ArrayRecordComponent") // compared as bytes where it is compared
  record Whole(byte[] bytes) implements StoredState {
    @Override
    public ProgramHash program() {
      return StateCodec.programOf(bytes);
    }

    @Override
    public StateLog open(Machine machine, StateLog.CaseKey key) {
      ExecState state = StateCodec.decode(machine, bytes);
      return StateLog.of(state, key);
    }

    @Override
    public void verify(StateLog.CaseKey key) {
      StateCodec.requireSound(bytes);
    }
  }

  /// The part of a case's record about its state, and access to the records.
  ///
  /// @param sum after the last record
  /// @param base the revision of the base that the state is read from
  /// @param kept the oldest revision that can be read
  /// @param bytes about how many bytes the records and values of all kept revisions have
  /// @param journal since which revision the inputs of every commit are kept; 0 if they are not
  /// @param chain reads the records and values
  record Head(
      ProgramHash program,
      Sum sum,
      long base,
      long kept,
      long bytes,
      long journal,
      Supplier<Chain> chain)
      implements StoredState {
    @Override
    public StateLog open(Machine machine, StateLog.CaseKey key) {
      Chain read = chain.get();
      StateLog log =
          StateRecords.load(machine, key, read.contents(key.caseId(), base), read.values());
      if (!log.sum().equals(sum)) {
        throw new DamagedBytes("the sum of the state is not the one that its record names");
      }
      return log;
    }

    @Override
    public void verify(StateLog.CaseKey key) {
      Chain read = chain.get();
      List<byte[]> records = read.contents(key.caseId(), base);
      StateRecords.verify(key, records, read.values());
      if (!StateRecords.header(records.getLast()).after().equals(sum)) {
        throw new DamagedBytes("the sum of the state is not the one that its record names");
      }
    }

    /// Heads are equal if they name the same state, however it is read.
    @Override
    public boolean equals(Object other) {
      return other instanceof Head head
          && program.equals(head.program)
          && sum.equals(head.sum)
          && base == head.base
          && kept == head.kept
          && bytes == head.bytes
          && journal == head.journal;
    }

    @Override
    public int hashCode() {
      return sum.hashCode();
    }

    /// The same state with another way to its records.
    public Head with(Supplier<Chain> other) {
      return new Head(program, sum, base, kept, bytes, journal, other);
    }
  }

  /// A base and the deltas after it, one for each revision.
  ///
  /// @param last the revision of the last record
  /// @param values returns a value by its hash; null when the store has none
  record Chain(long last, List<StateChange.Stored> records, SharedValue.Source values) {
    public Chain {
      records = List.copyOf(records);
    }

    /// A case of which nothing is stored.
    public static final Chain NONE = new Chain(0, List.of(), _ -> null);

    /// The chain after one more commit.
    public Chain plus(long revision, StateChange change) {
      List<StateChange.Stored> all =
          new java.util.ArrayList<>(change.isBase() ? List.of() : records);
      all.add(change.record());
      java.util.Map<Sum, byte[]> added = new java.util.HashMap<>();
      change.added().forEach(value -> added.put(value.hash(), value.bytes()));
      SharedValue.Source known =
          hash -> {
            byte[] own = added.get(hash);
            return own == null ? values.get(hash) : own;
          };
      return new Chain(revision, all, added.isEmpty() ? values : known);
    }

    /// What the log wrote, record by record. Throws [DamagedBytes] if a record is missing, doubled,
    /// or belongs to another case or revision.
    public List<byte[]> contents(String caseId, long base) {
      if (base < 1 || records.size() != last - base + 1) {
        throw new DamagedBytes(
            "expected the records of revisions "
                + base
                + " to "
                + last
                + ", found "
                + records.size());
      }
      List<byte[]> contents = new java.util.ArrayList<>(records.size());
      for (int i = 0; i < records.size(); i++) {
        contents.add(records.get(i).content(caseId, base + i));
      }
      return contents;
    }
  }
}
