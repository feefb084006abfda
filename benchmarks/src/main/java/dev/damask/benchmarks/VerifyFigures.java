package dev.damask.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import dev.damask.check.TermCheck;
import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.verify.Options;
import dev.damask.verify.Reduction;
import dev.damask.verify.Verdict;
import dev.damask.verify.Verifier;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Supplier;

/// Prints the checker's figures. Where SPIN is installed, both count the states of the same fork in
/// turn, in CPU time, and the best turn of each counts; where it is not, its part is left out.
public final class VerifyFigures {
  private static final int TURNS = 5;
  private static final int[] FORKS = {17, 20, 22};

  private final List<String> json = new ArrayList<>();
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private VerifyFigures() {}

  public static void main(String[] arguments) throws IOException {
    new VerifyFigures().run();
  }

  private void run() throws IOException {
    for (int branches : FORKS) {
      fork(branches);
    }
    Program twenty = fork20();
    Options reduced = Options.DEFAULT.withReduction(Reduction.ALWAYS);
    millis("par20", "reduced, ms, below 5", () -> Verifier.check(twenty, reduced));
    Program instances = instances();
    millis("mi20", "20 instances of 3 tasks, ms, below 20", () -> Verifier.check(instances));
    WorkflowDefinition large = Flow.workflow("large", large(10_000));
    millis("structure", "10,000 nodes, ms, below 50", () -> TermCheck.check(large));
    System.out.println("{" + String.join(", ", json) + "}");
  }

  private static Program par(int branches) {
    Term[] terms = new Term[branches];
    for (int i = 0; i < branches; i++) {
      terms[i] = Flow.effect("t" + i);
    }
    return Compiler.compile(Flow.workflow("par", Flow.par(terms)));
  }

  private static Program fork20() {
    return par(20);
  }

  private static Program instances() {
    Term body = Flow.seq(Flow.effect("a"), Flow.effect("b"), Flow.effect("c"));
    return Compiler.compile(
        Flow.workflow("mi", Flow.instances("m", InstancePolicy.fixed(20), body)));
  }

  private static Term large(int nodes) {
    Term[] parts = new Term[nodes / 5];
    for (int i = 0; i < parts.length; i++) {
      parts[i] =
          Flow.scope("s" + i, Flow.par(Flow.effect("a" + i), Flow.effect("b" + i)), Flow.skip());
    }
    return Flow.seq(parts);
  }

  /// States per CPU second of ours, of SPIN, and the ratio.
  private void fork(int branches) throws IOException {
    Program program = par(branches);
    Options options = Options.DEFAULT.withReduction(Reduction.NONE).withStates(100_000_000L);
    // CPU time is counted in hundredths of a second, so small forks are counted several times.
    int rounds = 1 << Math.max(0, 22 - branches);
    double ours = 0;
    OptionalDouble theirs = OptionalDouble.empty();
    try (Spin spin = Spin.build(branches)) {
      for (int turn = 0; turn < TURNS; turn++) {
        long begin = system.getProcessCpuTime();
        long states = 0;
        for (int round = 0; round < rounds; round++) {
          Verdict verdict = Verifier.check(program, options);
          require(verdict, branches);
          states += verdict.statistics().states();
        }
        long nanos = system.getProcessCpuTime() - begin;
        ours = Math.max(ours, states * 1e9 / nanos);
        OptionalDouble rate = spin.statesPerSecond();
        if (rate.isPresent()) {
          theirs = OptionalDouble.of(Math.max(rate.getAsDouble(), theirs.orElse(0)));
        }
      }
    }
    String name = "fork" + branches;
    say(name, "million states per CPU second", ours / 1e6);
    if (theirs.isPresent()) {
      say(name + "Spin", "the same by SPIN", theirs.getAsDouble() / 1e6);
      say(name + "Ratio", "ours / SPIN, at least 1", ours / theirs.getAsDouble());
    }
  }

  private static void require(Verdict verdict, int branches) {
    long expected = (1L << branches) + 3;
    if (!verdict.isProved() || Math.abs(verdict.statistics().states() - expected) > 3) {
      throw new IllegalStateException("expected about " + expected + " states, got " + verdict);
    }
  }

  private void millis(String name, String target, Supplier<?> action) {
    double best = Double.MAX_VALUE;
    long sum = 0;
    for (int turn = 0; turn < 20 * TURNS; turn++) {
      long begin = System.nanoTime();
      sum += action.get().hashCode() & 1;
      best = Math.min(best, (System.nanoTime() - begin) / 1e6);
    }
    say(name, target, sum < 0 ? 0 : best);
  }

  private void say(String name, String target, double value) {
    System.out.printf(Locale.ROOT, "%-12s %10.3f  %s%n", name, value, target);
    json.add("\"%s\": %s".formatted(name, String.format(Locale.ROOT, "%.3f", value)));
  }
}
