package dev.damask.benchmarks;

import dev.damask.benchmarks.KernelWorkloads.Cancelling;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.term.Flow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/// Prints the kernel's figures as ratios of one run: the two sides of a ratio take turns, and the
/// best turn of each counts, because what a shared machine adds is never negative.
public final class KernelFigures {
  private static final int TURNS = 40;
  private static final long TURN_NANOS = 30_000_000;

  private final KernelWorkloads work = new KernelWorkloads();
  private final List<String> json = new ArrayList<>();
  private final long[] cold = new long[8 * 1_024 * 1_024];

  private KernelFigures() {}

  public static void main(String[] arguments) {
    new KernelFigures().run();
  }

  private void run() {
    ratio("seq5", "baseline / machine, at least 0.5", work::baseline5, 1, work::machine5, 1, true);
    ratio(
        "steps",
        "10,000 / 1,000 tasks, at most 1.3",
        work::steps10000,
        1e4,
        work::steps1000,
        1e3,
        false);
    WorkflowDefinition small = work.sequence(1_000);
    WorkflowDefinition large = work.sequence(10_000);
    ratio(
        "compile",
        "per node, 10,000 / 1,000, at most 1.3",
        () -> work.compile(large),
        1e4,
        () -> work.compile(small),
        1e3,
        false);
    ratio(
        "par",
        "per branch, 1,000 / 10, at most 1.5",
        work::branches1000,
        1e3,
        work::branches10,
        10,
        false);
    double calls = 2.0 * KernelWorkloads.LOOP_ROUNDS;
    ratio(
        "loop",
        "reduction / interface call, at most 3",
        work::rounds,
        calls,
        work::calls,
        calls,
        false);
    loopAllocation();
    cancelling();
    tracing();
    stateSize();
    System.out.println("{" + String.join(", ", json) + "}");
  }

  /// Times two things in turn. The ratio is the first over the second; `inverse` swaps the verdict,
  /// not the division.
  private void ratio(
      String name,
      String target,
      Supplier<?> one,
      double oneUnits,
      Supplier<?> other,
      double otherUnits,
      boolean fraction) {
    double best = Double.MAX_VALUE;
    double otherBest = Double.MAX_VALUE;
    for (int turn = 0; turn < TURNS; turn++) {
      best = Math.min(best, nanos(one) / oneUnits);
      otherBest = Math.min(otherBest, nanos(other) / otherUnits);
    }
    say(name, target, best / otherBest, "%.1f ns against %.1f ns".formatted(best, otherBest));
    if (fraction && best > otherBest) {
      System.out.println("  (the machine was faster than its baseline: the run was disturbed)");
    }
  }

  private static double nanos(Supplier<?> action) {
    long best = Long.MAX_VALUE;
    long end = System.nanoTime() + TURN_NANOS;
    long sum = 0;
    while (System.nanoTime() < end) {
      int batch = 1;
      long started = System.nanoTime();
      sum += action.get().hashCode() & 1;
      long once = System.nanoTime() - started;
      if (once < 20_000) {
        batch = (int) Math.max(1, 40_000 / Math.max(1, once));
        started = System.nanoTime();
        for (int i = 0; i < batch; i++) {
          sum += action.get() == null ? 1 : 0;
        }
        once = (System.nanoTime() - started) / batch;
      }
      best = Math.min(best, once);
    }
    return sum < 0 ? 0 : best;
  }

  private void loopAllocation() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    work.rounds();
    long before = threads.getCurrentThreadAllocatedBytes();
    work.rounds();
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    double perRound = (double) bytes / KernelWorkloads.LOOP_ROUNDS;
    say("loopBytes", "per round, 0 (what is left is the case itself)", perRound, bytes + " bytes");
  }

  private void cancelling() {
    Cancelling small = new Cancelling(1_000);
    Cancelling large = new Cancelling(99_000);
    double best = Double.MAX_VALUE;
    double otherBest = Double.MAX_VALUE;
    for (int turn = 0; turn < TURNS; turn++) {
      best = Math.min(best, cancel(large));
      otherBest = Math.min(otherBest, cancel(small));
    }
    String times = "%.0f ns against %.0f ns".formatted(best, otherBest);
    say("cancel", "1,000 of 100,000 / of 2,000 tokens, at most 2", best / otherBest, times);
  }

  /// Both sides start with a cold cache: a small case that was just read would otherwise still lie
  /// in it, a large one would not.
  private double cancel(Cancelling cancelling) {
    cancelling.prepare();
    for (int i = 0; i < cold.length; i += 8) {
      cold[i]++;
    }
    long started = System.nanoTime();
    cancelling.cancel();
    return System.nanoTime() - started;
  }

  /// Level none is a machine without a tracer; the other side has one that wants nothing.
  private void tracing() {
    Machine none = KernelWorkloads.machine(work.sequence(1_000), null);
    Tracer deaf =
        new Tracer() {
          @Override
          public void accept(dev.damask.event.TraceEvent event) {}

          @Override
          public boolean wantsAll() {
            return false;
          }
        };
    Machine watched = KernelWorkloads.machine(work.sequence(1_000), deaf);
    ratio(
        "trace",
        "level none / a tracer that wants nothing, at most 1.1",
        () -> KernelWorkloads.toEnd(none),
        1e3,
        () -> KernelWorkloads.toEnd(watched),
        1e3,
        false);
  }

  private void stateSize() {
    WorkflowDefinition waiting =
        Flow.workflow(
            "five",
            Flow.task("a", c -> c.with("order", 42)),
            Flow.task("b", c -> c.with("item", "tea")),
            Flow.effect("pay"),
            Flow.task("d", c -> c),
            Flow.task("e", c -> c));
    Machine machine = KernelWorkloads.machine(waiting, null);
    ExecState state = machine.start(Context.of("who", "eve"), 1_800_000_000_000L);
    machine.run(state, 100);
    Program program = state.program();
    int bytes = StateCodec.encode(state).length;
    say("stateBytes", "waiting in 5 tasks with 3 keys, at most 120", bytes, program.toString());
  }

  private void say(String name, String target, double value, String detail) {
    System.out.printf(Locale.ROOT, "%-11s %8.3f  %-52s %s%n", name, value, target, detail);
    json.add("\"%s\": %s".formatted(name, String.format(Locale.ROOT, "%.3f", value)));
  }
}
