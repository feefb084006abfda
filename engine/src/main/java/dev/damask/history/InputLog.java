package dev.damask.history;

import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.exec.ExecState;
import dev.damask.program.ProgramHash;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// What was applied to a case since its last commit.
public final class InputLog {
  private final List<JournalEntry> entries = new ArrayList<>(2);
  private Input.@Nullable Advance time; // not yet part of an entry
  private long timeSteps;
  private JournalEntry.MachineRun runBeforeTime = JournalEntry.MachineRun.NOT;
  private boolean ran; // since the last input
  private int[] choices = new int[0];
  private int choiceCount;

  /// The case was started.
  public void started(ProgramHash program, Context context) {
    JournalEntry.Event event = new JournalEntry.Event.Started(program, context);
    entries.add(new JournalEntry(OptionalLong.empty(), 0, JournalEntry.MachineRun.NOT, event));
  }

  /// An input is about to be applied to a state.
  @SuppressWarnings("exports") // the state is for our own modules
  public void applied(Input input, ExecState state) {
    long steps = state.steps();
    if (input instanceof Input.Advance advance) {
      flush();
      time = advance;
      timeSteps = steps;
      runBeforeTime = run(state);
      ran = false;
    } else {
      add(state, new JournalEntry.Event.Applied(input));
    }
  }

  /// The machine was run.
  public void ran() {
    ran = true;
  }

  private JournalEntry.MachineRun run(ExecState state) {
    if (state.isDone() || state.isBlocked()) {
      return JournalEntry.MachineRun.TO_REST;
    }
    return ran ? JournalEntry.MachineRun.SOME : JournalEntry.MachineRun.NOT;
  }

  boolean ranAtEnd() {
    return ran;
  }

  /// The case was moved to another program.
  @SuppressWarnings("exports") // the state is for our own modules
  public void migrated(ProgramHash target, Mapping mapping, ExecState state) {
    flush();
    add(state, new JournalEntry.Event.Migrated(target, mapping));
  }

  /// The case was paused or resumed.
  @SuppressWarnings("exports") // the state is for our own modules
  public void noted(JournalEntry.Event event, ExecState state) {
    flush();
    add(state, event);
  }

  /// The scheduler took an option.
  public void chose(int taken) {
    if (choiceCount == choices.length) {
      choices = Arrays.copyOf(choices, Math.max(4, 2 * choiceCount));
    }
    choices[choiceCount++] = taken;
  }

  private void add(ExecState state, JournalEntry.Event event) {
    Input.Advance before = time;
    if (before != null && ran) {
      flush();
      before = null;
    }
    time = null;
    OptionalLong at = before == null ? OptionalLong.empty() : OptionalLong.of(before.millis());
    JournalEntry.MachineRun run = before == null ? run(state) : runBeforeTime;
    entries.add(new JournalEntry(at, state.steps(), run, event));
    ran = false;
  }

  private void flush() {
    Input.Advance alone = time;
    time = null;
    if (alone != null) {
      JournalEntry.Event event = new JournalEntry.Event.Applied(alone);
      entries.add(new JournalEntry(OptionalLong.empty(), timeSteps, runBeforeTime, event));
    }
  }

  List<JournalEntry> entries() {
    flush();
    return entries;
  }

  int[] choices() {
    return Arrays.copyOf(choices, choiceCount);
  }
}
