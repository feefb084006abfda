package dev.damask.effect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class CallsInFlightTest {
  private final CallsInFlight calls = new CallsInFlight(_ -> 10);

  private static CallsInFlight.Job job(int number, boolean userKey) {
    return new CallsInFlight.Job(Calls.of("c", number, "key"), _ -> null, userKey);
  }

  /// A case that was quarantined and retried makes its call again while the first one runs.
  @Test
  void the_result_of_a_call_that_was_made_again_does_not_count_once_the_key_went_on() {
    CallsInFlight.Job first = job(1, true);
    CallsInFlight.Job again = job(1, true);
    CallsInFlight.Job other = job(2, true);
    calls.add(first);
    calls.add(again);
    calls.add(other);

    assertThat(calls.end(again, false)).isEqualTo(new CallsInFlight.Ended(true, List.of(other)));

    assertThat(calls.end(first, true).counts()).isFalse();
    assertThat(calls.end(other, true).counts()).isTrue();
  }

  @Test
  void every_result_of_a_call_with_an_engine_key_counts() {
    CallsInFlight.Job first = job(1, false);
    CallsInFlight.Job again = job(1, false);
    calls.add(first);
    calls.add(again);

    assertThat(calls.end(again, false).counts()).isTrue();
    assertThat(calls.end(first, true).counts()).isTrue();
  }
}
