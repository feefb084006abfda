package dev.damask.trace;

import dev.damask.exec.Input;
import dev.damask.exec.Scheduler;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.schedule.Replaying;

/// Repeats a recorded run and compares it, event by event.
public final class Replay {
  private Replay() {}

  /// How a repetition compares with its recording.
  public sealed interface Result {
    record Same(int events) implements Result {}

    /// The first difference: the position in the trace or in the log of choices.
    record Diverged(String sentence) implements Result {}
  }

  public static Result replay(Program program, Recording recording) {
    if (!program.hash().equals(recording.program())) {
      return new Result.Diverged(
          "the recording belongs to program "
              + recording.program()
              + ", this is "
              + program.hash());
    }
    Replaying replaying = new Replaying(recording.choices());
    Scheduler scheduler = recording.inOrder() ? InOrder.INSTANCE : replaying;
    try {
      Recorder recorder =
          new Recorder(
              program, scheduler, recording.level(), recording.context(), recording.clockMillis());
      for (Input input : recording.inputs()) {
        recorder.apply(input);
      }
      replaying.requireEnd();
      return TraceDiff.first(recording.events(), recorder.recording().events())
          .<Result>map(difference -> new Result.Diverged(difference.toString()))
          .orElseGet(() -> new Result.Same(recording.events().size()));
    } catch (Replaying.Diverged e) {
      return new Result.Diverged(String.valueOf(e.getMessage()));
    }
  }
}
