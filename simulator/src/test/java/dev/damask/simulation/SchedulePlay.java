package dev.damask.simulation;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;

import dev.damask.ops.ScheduleView;
import dev.damask.term.Schedule;
import dev.damask.testkit.Answer;
import dev.damask.testkit.CrashTest;
import dev.damask.value.Context;
import java.time.Duration;

/// A schedule under a crash at every commit; it also runs on changed classes.
public final class SchedulePlay {
  private SchedulePlay() {}

  /// Throws `AssertionError` if a time starts more or less than one case.
  public static void run() {
    CrashTest.atEveryCommit(test -> {
      test.when("work", Answer.of("done", true));
      test.schedule(
          "s",
          Schedule.every(Duration.ofHours(1)),
          workflow("quick", effect("work")),
          Context.empty());
      test.advance(Duration.ofMinutes(90));
      ScheduleView view = test.schedules().get("s").orElseThrow();
      if (!view.lastCase().startsWith("s:")) {
        throw new AssertionError("started " + view.lastCase());
      }
    });
  }
}
