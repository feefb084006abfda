package dev.damask.simulation;

import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.Migration;
import dev.damask.exec.StateCodec;
import dev.damask.history.CaseObserver;
import dev.damask.program.Program;
import dev.damask.store.CaseRecord;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Repeats what happened to each case from its start, on a state that was never written nor read,
/// whatever crashes were on the way. What it gives must be every stored revision, byte for byte.
final class Repetition implements CaseObserver {
  /// Something that was done to the machine of a case.
  private sealed interface Move {}

  private record Begin(Context context, long now) implements Move {}

  private record Feed(Input input) implements Move {}

  private record Run(int quantum) implements Move {}

  private record Migrate(Program target, Mapping mapping) implements Move {}

  private record Revision(String caseId, long number) {}

  private final Map<String, List<Move>> fresh = new HashMap<>();
  private final Map<Revision, List<Move>> committed = new HashMap<>();
  private final Map<String, ExecState> states = new HashMap<>();
  private final Map<String, Machine> machines = new HashMap<>(); // of cases that were migrated
  private final Function<Program, Machine> machineOf;

  /// @param machineOf makes a machine that runs a program
  Repetition(Function<Program, Machine> machineOf) {
    this.machineOf = machineOf;
  }

  @Override
  public void started(String caseId, Context context, long now) {
    add(caseId, new Begin(context, now));
  }

  @Override
  public void applied(String caseId, Input input) {
    add(caseId, new Feed(input));
  }

  @Override
  public void ran(String caseId, int quantum) {
    add(caseId, new Run(quantum));
  }

  @Override
  public void migrated(String caseId, Program target, Mapping mapping) {
    add(caseId, new Migrate(target, mapping));
  }

  private void add(String caseId, Move move) {
    fresh.computeIfAbsent(caseId, _ -> new ArrayList<>()).add(move);
  }

  @Override
  public void committed(String caseId, long revision) {
    List<Move> moves = fresh.remove(caseId);
    committed.put(new Revision(caseId, revision), moves == null ? List.of() : moves);
  }

  @Override
  public void dropped(String caseId) {
    fresh.remove(caseId);
  }

  /// The process is gone, and what it did since its last commits.
  void forget() {
    fresh.clear();
  }

  /// A revision has reached the disk.
  ///
  /// @param first runs the program that the case started with
  void check(CaseRecord record, Machine first) {
    List<Move> moves = committed.remove(new Revision(record.caseId(), record.revision()));
    ExecState state = states.get(record.caseId());
    for (Move move : Objects.requireNonNull(moves)) {
      Machine machine = machines.getOrDefault(record.caseId(), first);
      if (move instanceof Migrate(var target, var mapping)) {
        machine = machineOf.apply(target);
        machines.put(record.caseId(), machine);
        state = migrate(Objects.requireNonNull(state), machine, mapping, record);
      } else {
        state = repeat(move, machine, state);
      }
    }
    states.put(record.caseId(), Objects.requireNonNull(state));
    boolean isSame =
        Arrays.equals(
            StateCodec.encode(state),
            StateCodec.encode(record.decode(machines.getOrDefault(record.caseId(), first))));
    Invariants.require("I12", isSame, record, "is not what its inputs give");
  }

  private static ExecState migrate(
      ExecState state, Machine machine, Mapping mapping, CaseRecord record) {
    return switch (Migration.plan(state, machine, mapping)) {
      case Migration.Migrated(var moved) -> moved;
      case Migration.Refused(var reasons) ->
          throw new InvariantViolation(
              "I12", "case " + record.caseId() + " migrates no more: " + reasons);
    };
  }

  private static ExecState repeat(Move move, Machine machine, @Nullable ExecState before) {
    if (move instanceof Begin(var context, var now)) {
      return machine.start(context, now);
    }
    ExecState state = Objects.requireNonNull(before);
    switch (move) {
      case Begin _, Migrate _ -> {}
      case Feed(var input) -> machine.apply(state, input);
      case Run(var quantum) -> machine.run(state, quantum);
    }
    state.takeStarted();
    state.takeWithdrawn();
    return state;
  }
}
