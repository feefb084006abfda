package dev.damask.effect;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.task.EffectId;
import java.util.List;
import java.util.stream.Collectors;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The table of calls in flight under the interleavings of three threads: two calls share a key,
/// all share a lane for one, and whatever happens at once looks as if it had happened in turn.
@Timeout(120)
class CallsInFlightModelTest {
  @Test
  void no_interleaving_breaks_the_table() {
    options().check(Table.class);
  }

  @Test
  void the_checker_finds_a_table_that_looks_before_it_decides() {
    assertThatThrownBy(() -> options().check(LooksFirst.class))
        .isInstanceOf(LincheckAssertionError.class)
        .hasMessageContaining("Invalid execution results");
  }

  private static ModelCheckingOptions options() {
    return new ModelCheckingOptions()
        .sequentialSpecification(Table.class)
        .iterations(4)
        .invocationsPerIteration(40)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(1)
        .minimizeFailedScenario(false);
  }

  /// What the runner does with the table, each job by its number.
  public static class Table {
    final CallsInFlight calls = new CallsInFlight(_ -> 1);

    static CallsInFlight.Job job(int number, String key) {
      return new CallsInFlight.Job(Calls.of("c", number, key), _ -> null, true);
    }

    static String numbers(List<CallsInFlight.Job> admitted) {
      return admitted.stream()
          .map(job -> Long.toString(job.call.id().lineage()))
          .collect(Collectors.joining(","));
    }

    String start(int number, String key) {
      return numbers(calls.add(job(number, key)));
    }

    @Operation(runOnce = true)
    public String startOne() {
      return start(1, "shared");
    }

    @Operation(runOnce = true)
    public String startTwo() {
      return start(2, "shared");
    }

    @Operation(runOnce = true)
    public String startThree() {
      return start(3, "other");
    }

    @Operation
    public String withdrawOne() {
      return numbers(calls.withdraw("c", new EffectId(1)).next());
    }

    @Operation
    public String withdrawTwo() {
      return numbers(calls.withdraw("c", new EffectId(2)).next());
    }

    @Operation
    public String settleOne() {
      return numbers(calls.settle("c", new EffectId(1), "type", "shared"));
    }

    @Operation
    public int size() {
      return calls.size();
    }
  }

  /// Starts a call only where it has seen that there is none.
  public static class LooksFirst extends Table {
    @Override
    String start(int number, String key) {
      return calls.size() > 1 ? "" : super.start(number, key);
    }
  }
}
