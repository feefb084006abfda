package dev.damask.history;

import dev.damask.event.Input;
import dev.damask.event.Mapping;
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
  private boolean ranBeforeTime;
  private boolean ran; // since the last input
  private int[] choices = new int[0];
  private int choiceCount;

  /// The case was started.
  public void started(ProgramHash program, Context context) {
    JournalEntry.Event event = new JournalEntry.Event.Started(program, context);
    entries.add(new JournalEntry(OptionalLong.empty(), 0, false, event));
  }

  /// An input was applied after so many steps of the machine.
  public void applied(Input input, long steps) {
    if (input instanceof Input.Advance advance) {
      flush();
      time = advance;
      timeSteps = steps;
      ranBeforeTime = ran;
      ran = false;
    } else {
      add(steps, new JournalEntry.Event.Applied(input));
    }
  }

  /// The machine was run.
  public void ran() {
    ran = true;
  }

  boolean ranAtEnd() {
    return ran;
  }

  /// The case was moved to another program.
  public void migrated(ProgramHash target, Mapping mapping, long steps) {
    flush();
    add(steps, new JournalEntry.Event.Migrated(target, mapping));
  }

  /// The scheduler took an option.
  public void chose(int taken) {
    if (choiceCount == choices.length) {
      choices = Arrays.copyOf(choices, Math.max(4, 2 * choiceCount));
    }
    choices[choiceCount++] = taken;
  }

  private void add(long steps, JournalEntry.Event event) {
    Input.Advance before = time;
    if (before != null && ran) {
      flush();
      before = null;
    }
    time = null;
    OptionalLong at = before == null ? OptionalLong.empty() : OptionalLong.of(before.millis());
    entries.add(new JournalEntry(at, steps, before == null ? ran : ranBeforeTime, event));
    ran = false;
  }

  private void flush() {
    Input.Advance alone = time;
    time = null;
    if (alone != null) {
      JournalEntry.Event event = new JournalEntry.Event.Applied(alone);
      entries.add(new JournalEntry(OptionalLong.empty(), timeSteps, ranBeforeTime, event));
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
