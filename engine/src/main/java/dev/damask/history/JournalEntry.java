package dev.damask.history;

import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.program.ProgramHash;
import dev.damask.value.Context;
import java.util.OptionalLong;

/// One event of a case, as it was applied.
///
/// @param atMillis the time that the clock of the case was set to; empty if it was not set
/// @param steps how many steps the machine had taken before
/// @param run how the machine was run after the entry before
/// @param receipt the number of the receipt that has the result or the failure; 0 if none has
/// @param task the task of that receipt; empty if there is none
public record JournalEntry(
    OptionalLong atMillis, long steps, MachineRun run, Event event, long receipt, String task) {
  /// How the machine was run.
  public enum MachineRun {
    /// Not at all.
    NOT,
    /// For a while; it could have taken further steps.
    SOME,
    /// Until nothing moved by itself.
    TO_REST
  }

  /// What happened.
  public sealed interface Event {
    /// The case was started with a program and a context.
    record Started(ProgramHash program, Context context) implements Event {}

    /// An input was applied. A time that came without another input is an [Input.Advance].
    record Applied(Input input) implements Event {}

    /// The case was moved to another program.
    record Migrated(ProgramHash target, Mapping mapping) implements Event {}

    /// An operator paused the case. Its state is unchanged.
    record Paused(long pausedMillis, String reason) implements Event {}

    /// An operator resumed the case. Its state is unchanged.
    record Resumed(long resumedMillis) implements Event {}
  }

  JournalEntry(OptionalLong atMillis, long steps, MachineRun run, Event event) {
    this(atMillis, steps, run, event, 0, "");
  }
}
