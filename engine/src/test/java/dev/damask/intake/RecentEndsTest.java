package dev.damask.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.value.Context;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RecentEndsTest {
  private final RecentEnds ends = new RecentEnds();

  private static CaseResult<Context> result(int bytes) {
    return new CaseResult.Completed<>(Context.of("text", "x".repeat(bytes)));
  }

  private long known(int count) {
    return IntStream.range(0, count).filter(i -> ends.get("c" + i) != null).count();
  }

  @Test
  void nearly_all_results_of_a_thousand_callers_are_known_when_they_ask() {
    for (int i = 0; i < 1_000; i++) {
      ends.add("c" + i, result(20));
    }

    assertThat(known(1_000)).isGreaterThan(900);
  }

  @Test
  void large_results_have_few_slots_and_huge_ones_none() {
    for (int i = 0; i < 1_000; i++) {
      ends.add("c" + i, result(2_000));
    }
    ends.add("huge", result(RecentEnds.BYTES_MAX + 1));

    assertThat(known(1_000)).isLessThanOrEqualTo(RecentEnds.SLOTS);
    assertThat(ends.get("huge")).isNull();
  }

  @Test
  void a_result_that_has_grown_or_was_removed_is_not_returned_as_it_was() {
    ends.add("a", result(20));
    ends.add("a", result(2_000));
    assertThat(ends.get("a")).isEqualTo(result(2_000));

    ends.remove("a");
    assertThat(ends.get("a")).isNull();

    ends.add("a", result(20));
    ends.clear();
    assertThat(ends.get("a")).isNull();
  }
}
