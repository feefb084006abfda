package dev.damask.benchmarks;

import dev.damask.benchmarks.KernelWorkloads.Cancelling;
import dev.damask.program.Program;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// The kernel under JMH. Compare two lines of one run, never two runs.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class KernelBenchmark {
  private final KernelWorkloads work = new KernelWorkloads();
  private final WorkflowDefinition nodes1000 = work.sequence(1_000);
  private final WorkflowDefinition nodes10000 = work.sequence(10_000);

  @Benchmark
  public Context seq5Baseline() {
    return work.baseline5();
  }

  @Benchmark
  public Context seq5Machine() {
    return work.machine5();
  }

  @Benchmark
  public Context seq1000() {
    return work.steps1000();
  }

  @Benchmark
  public Context seq10000() {
    return work.steps10000();
  }

  @Benchmark
  public Context par10() {
    return work.branches10();
  }

  @Benchmark
  public Context par1000() {
    return work.branches1000();
  }

  @Benchmark
  public Context countLoop() {
    return work.rounds();
  }

  @Benchmark
  public Context interfaceCalls() {
    return work.calls();
  }

  @Benchmark
  public Program compile1000() {
    return work.compile(nodes1000);
  }

  @Benchmark
  public Program compile10000() {
    return work.compile(nodes10000);
  }

  /// A scope of 1,000 waiting tasks in a small and in a large case.
  @State(Scope.Thread)
  public static class Cases {
    @Param({"1000", "99000"})
    public int others;

    Cancelling cancelling = new Cancelling(2);

    @Setup(Level.Trial)
    public void open() {
      cancelling = new Cancelling(others);
    }

    @Setup(Level.Invocation)
    public void prepare() {
      cancelling.prepare();
    }
  }

  @Benchmark
  public int cancel1000(Cases cases) {
    return cases.cancelling.cancel();
  }
}
