package dev.damask.exec;

import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A state that is stored record by record, as a store would: after every record, the state that is
/// read back from the last base and the deltas after it must be the one in memory.
final class LoggedState {
  static final StateLog.CaseKey KEY = new StateLog.CaseKey("case", 1_000);

  private final Machine machine;
  private final List<byte[]> records = new ArrayList<>();
  private final Map<Sum, byte[]> values = new HashMap<>();
  private StateLog log;
  private Sum last = Sum.ZERO;

  // Every revision, as a history keeps it.
  private final List<List<byte[]>> segments = new ArrayList<>();
  private final List<byte[]> states = new ArrayList<>();
  private final Map<Sum, byte[]> pastValues = new HashMap<>();

  LoggedState(Machine machine, ExecState state) {
    this.machine = machine;
    this.log = StateLog.of(state, KEY);
  }

  ExecState state() {
    return log.state();
  }

  StateLog log() {
    return log;
  }

  /// The last base and the deltas after it.
  List<byte[]> records() {
    return records;
  }

  /// Stores the state as a base or as a delta, and gives what is read back.
  StateLog store(boolean isBase) {
    StateLog.Change change = isBase || records.isEmpty() ? log.base() : log.delta();
    require(records.isEmpty() || change.before().equals(last), "the sums are linked");
    last = change.after();
    if (change.isBase()) {
      records.clear();
      change.unused().forEach(values::remove);
      segments.add(new ArrayList<>());
    }
    records.add(change.bytes());
    segments.getLast().add(change.bytes());
    change.added().forEach(value -> pastValues.put(value.hash(), value.bytes()));
    for (SharedValue value : change.added()) {
      require(values.put(value.hash(), value.bytes()) == null, "a value is stored once");
    }
    StateLog read = read();
    byte[] expected = StateCodec.encode(log.state());
    states.add(expected);
    require(
        Arrays.equals(StateCodec.encode(read.state()), expected),
        "the state is read back\n" + log.state().view() + "\n" + read.state().view());
    require(read.sum().equals(log.sum()), "the sum is read back");
    require(
        log.context().equals(log.state().context()), "the tracked context is that of the state");
    require(read.context().equals(log.context()), "the context is read back");
    return read;
  }

  StateLog read() {
    return StateRecords.load(
        machine, KEY, records, hash -> Objects.requireNonNull(values.get(hash), "a value is kept"));
  }

  /// Reads every revision that was ever stored: each is the state that was in memory then.
  void requirePast() {
    int revision = 0;
    for (List<byte[]> segment : segments) {
      for (int end = 1; end <= segment.size(); end++) {
        StateLog read = StateRecords.load(machine, KEY, segment.subList(0, end), pastValues::get);
        require(
            Arrays.equals(StateCodec.encode(read.state()), states.get(revision)),
            "revision " + revision + " is read as it was in memory");
        revision++;
      }
    }
    require(revision == states.size(), "every revision is in a segment");
  }

  /// Goes on with what was read back, as after a restart.
  void restart(StateLog read) {
    log = read;
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError("broken: " + what);
    }
  }
}
