package dev.damask.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.linear.Operation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `kill -9` at random moments under load, again and again. The build runs a few seconds of it; for
/// a run of any length: `crash/loop SECONDS`.
final class KillLoopTest {
  private static final Duration TIME =
      Duration.ofSeconds(Integer.getInteger("damask.crash.seconds", 8));
  private static final long SEED = Long.getLong("damask.crash.seed", System.nanoTime());

  @TempDir Path folder;

  @Test
  void nothing_acknowledged_is_lost_and_nothing_happens_twice() throws InterruptedException {
    List<String> problems = new ArrayList<>();
    try (CrashRun run = new CrashRun(folder, SEED)) {
      run.run(TIME);
      int kills = run.recoveries.size();

      // Everything ends, is there after one more restart, and every answer stays what it was.
      assertThat(run.worker().end()).isZero();
      run.reopen();
      problems.addAll(new Aftermath(run.worker(), run.witness::ledger).paid(run.ends));
      problems.addAll(Aftermath.asked(run.asked));
      problems.addAll(Aftermath.verified(run.worker()));
      System.out.println(report(run, run.witness.ledger(), kills));

      assertThat(problems).as("seed " + SEED).isEmpty();
      assertThat(kills).isPositive();
      assertThat(run.ends).isNotEmpty();
      assertThat(run.asked).isNotEmpty();
      assertThat(run.gone).as("calls that a kill cut off").hasPositiveValue();
      // Only a kill can leave an outcome open, and each client has one case under way.
      assertThat(unknown(run)).isLessThanOrEqualTo((long) kills * CrashRun.PAYING_CLIENTS);
    }
  }

  private static long unknown(CrashRun run) {
    return run.ends.values().stream().filter(Paying.UNKNOWN::equals).count();
  }

  private static String report(CrashRun run, Ledger ledger, int kills) {
    long pending =
        run.asked.values().stream()
            .flatMap(history -> history.operations().stream())
            .filter(Operation::isPending)
            .count();
    long calls =
        run.asked.values().stream().mapToLong(history -> history.operations().size()).sum();
    long keys = ledger.entries().stream().map(Ledger.Entry::key).distinct().count();
    return """
    seed %d: %d kills, %d paid cases (%d of unknown outcome), %d effects called %d times,
    %d cases asked %d times (%d calls without an answer), %d calls cut off in all
    back after a kill: %s with the start of Java, %s of that to open the store\
    """
        .formatted(
            SEED,
            kills,
            run.ends.size(),
            unknown(run),
            keys,
            ledger.entries().size(),
            run.asked.size(),
            calls,
            pending,
            run.gone.get(),
            times(run, WorkerProcess.Recovery::process),
            times(run, WorkerProcess.Recovery::open));
  }

  private static String times(CrashRun run, Function<WorkerProcess.Recovery, Duration> part) {
    List<Long> millis = run.recoveries.stream().map(part).map(Duration::toMillis).sorted().toList();
    return "%d ms (half of them), %d ms (the longest)"
        .formatted(millis.get(millis.size() / 2), millis.getLast());
  }
}
