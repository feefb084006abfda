package dev.damask.simulation;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import org.junit.jupiter.api.Test;

/// A schedule that fires twice is found by a crash test.
final class ScheduleMutantTest {
  @Test
  void the_schedule_survives_a_crash_at_every_commit() {
    SchedulePlay.run();
  }

  @Test
  void a_schedule_that_fires_twice_is_found() throws Exception {
    Class<?> changed = Mutant.FIRES_A_SCHEDULE_TWICE.load().loadClass(SchedulePlay.class.getName());

    assertThatThrownBy(() -> changed.getMethod("run").invoke(null))
        .isInstanceOf(InvocationTargetException.class)
        .cause()
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("expected the effects");
  }
}
