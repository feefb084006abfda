package dev.damask.effect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.nursery.Amounts;
import dev.damask.nursery.Nursery;
import dev.damask.nursery.NurseryOptions;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The calls in flight, started and withdrawn by many threads at once. The runner makes threads of
/// its own, so it is tried on real ones: what must hold afterwards can be told whatever happened.
@Timeout(60)
final class EffectRunnerRaceTest {
  private static final int THREADS = 8;
  private static final int ROUNDS = 400;
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final AtomicInteger reports = new AtomicInteger();
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  /// A handler that notes how many of its kind run at the same time.
  private Context perform() {
    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
    Thread.onSpinWait();
    inside.decrementAndGet();
    return Context.empty();
  }

  private void storm(EffectRunner runner, boolean userKey) {
    CountDownLatch start = new CountDownLatch(1);
    try (Nursery nursery = Nursery.open("storm")) {
      for (int thread = 0; thread < THREADS; thread++) {
        String caseId = "c" + thread;
        nursery.spawn(
            caseId,
            () -> {
              start.await();
              for (int i = 1; i <= ROUNDS; i++) {
                EffectCall call = Calls.of(caseId, i, "key");
                runner.start(call, any -> perform(), userKey);
                if (i % 3 != 0) {
                  runner.withdraw(caseId, call.id());
                }
              }
              return "";
            });
      }
      start.countDown();
      nursery.seal();
    }
  }

  @Test
  void a_lane_never_runs_more_than_its_limit_and_never_gets_stuck() throws InterruptedException {
    EffectRunner runner =
        new EffectRunner(GRACE, type -> 2, call -> null, (call, result) -> {}, _ -> {});
    storm(runner, false);

    requireAlive(runner, Calls.of("last", 1, "other"), false);

    assertThat(most.get()).isBetween(1, 2);
    assertThat(runner.open()).isZero();
    runner.close(GRACE);
  }

  @Test
  void effects_with_one_key_run_one_at_a_time_and_their_line_never_gets_stuck()
      throws InterruptedException {
    EffectRunner[] self = new EffectRunner[1];
    EffectRunner runner =
        new EffectRunner(
            GRACE,
            type -> 100,
            call -> null,
            (call, result) -> {
              reports.incrementAndGet();
              self[0].settled(call.caseId(), call.id(), call.type(), call.key());
            },
            _ -> {});
    self[0] = runner;
    storm(runner, true);

    requireAlive(runner, Calls.of("last", 1, "key"), true);

    assertThat(most.get()).isEqualTo(1);
    assertThat(reports.get()).isPositive();
    assertThat(runner.open()).isZero();
    runner.close(GRACE);
  }

  @Test
  void a_refused_call_stops_the_engine_unless_the_runner_is_closing() {
    List<String> stops = new ArrayList<>();
    var noSpawns = NurseryOptions.named("effects").withGrant(Amounts.BOUNDLESS.spawns(0));
    EffectRunner runner = new EffectRunner(noSpawns, _ -> 2, _ -> null, (_, _) -> {}, stops::add);

    runner.start(Calls.of("c1", 1, "key"), _ -> perform(), false);
    runner.close(GRACE);
    runner.start(Calls.of("c2", 1, "key"), _ -> perform(), false);

    assertThat(stops)
        .containsExactly(
            "effect "
                + Calls.of("c1", 1, "key").type()
                + " of case c1 was not started: nursery effects refused the call, BUDGET_USED_UP");
  }

  /// After everything else a last call comes through.
  private static void requireAlive(EffectRunner runner, EffectCall call, boolean userKey)
      throws InterruptedException {
    Semaphore called = new Semaphore(0);
    runner.start(
        call,
        any -> {
          called.release();
          return Context.empty();
        },
        userKey);

    assertThat(called.tryAcquire(30, TimeUnit.SECONDS)).as("the last call is made").isTrue();
    while (runner.open() > 0) {
      Thread.onSpinWait();
    }
  }
}
