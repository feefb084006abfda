package dev.damask.trace;

import dev.damask.event.Input;
import dev.damask.event.Scheduler;
import dev.damask.event.TraceEvent;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.schedule.Replaying;
import java.util.List;

/// Repeats a recorded run and compares it, event by event.
public final class Replay {
  private Replay() {}

  /// How a repetition compares with its recording.
  public sealed interface Result {
    /// All events are the same.
    record Same(int events) implements Result {}

    /// The first difference: the position in the trace or in the log of choices.
    record Diverged(String sentence) implements Result {}
  }

  /// The events of a repetition, in the form its recording has. The first format has no times and
  /// not every kind of event.
  private static List<TraceEvent> comparable(Recording recorded, Recording repeated) {
    boolean isFirstFormat =
        recorded.events().stream().allMatch(event -> event.atMillis() == TraceEvent.NO_TIME);
    return isFirstFormat
        ? repeated.events().stream()
            .filter(event -> event.kind().isOfFirstFormat())
            .map(event -> event.at(TraceEvent.NO_TIME))
            .toList()
        : repeated.events();
  }

  /// Repeats a recording with its program.
  public static Result replay(Program program, Recording recording) {
    if (!program.hash().equals(recording.program())) {
      return new Result.Diverged(
          "the recording belongs to program "
              + recording.program()
              + ", this is "
              + program.hash());
    }
    Result result = replay(program, recording, false);
    // Cases in memory once ran after every change of time, which traced a deadlock again.
    return result instanceof Result.Diverged
            && replay(program, recording, true) instanceof Result.Same same
        ? same
        : result;
  }

  /// @param isEager whether the case runs after a change of time for which nothing is due
  private static Result replay(Program program, Recording recording, boolean isEager) {
    Replaying replaying = new Replaying(recording.choices());
    Scheduler scheduler = recording.inOrder() ? InOrder.INSTANCE : replaying;
    try {
      Recorder recorder =
          new Recorder(
              program,
              new Recorder.Style(scheduler, recording.level(), null),
              recording.context(),
              recording.clockMillis(),
              recording.state());
      for (Input input : recording.inputs()) {
        if (!isEager && input instanceof Input.Advance time && !isDue(recorder, time)) {
          recorder.pass(time);
        } else {
          recorder.apply(input);
        }
      }
      replaying.requireEnd();
      return TraceDiff.first(recording.events(), comparable(recording, recorder.recording()))
          .<Result>map(difference -> new Result.Diverged(difference.toString()))
          .orElseGet(() -> new Result.Same(recording.events().size()));
    } catch (Replaying.Diverged e) {
      return new Result.Diverged(String.valueOf(e.getMessage()));
    }
  }

  private static boolean isDue(Recorder recorder, Input.Advance time) {
    return recorder.state().nextDue().orElse(Long.MAX_VALUE) <= time.millis();
  }
}
