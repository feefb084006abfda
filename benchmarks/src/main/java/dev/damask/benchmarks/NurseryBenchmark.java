package dev.damask.benchmarks;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// Spawning and joining children that do nothing, in a nursery and in an executor.
///
/// `mvn -q -B -pl nursery,benchmarks verify -Pmeasure -DskipTests -Dmeasure.args=NurseryBenchmark`
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class NurseryBenchmark {

  /// How many children.
  @Param({"10", "10000"})
  public int children;

  @Benchmark
  public void nursery() throws InterruptedException {
    Parked.spawnInNursery(children);
  }

  @Benchmark
  public void executor() throws InterruptedException {
    Parked.spawnInExecutor(children);
  }
}
