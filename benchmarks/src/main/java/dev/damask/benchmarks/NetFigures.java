package dev.damask.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import dev.damask.verify.Verdict;
import dev.damask.verify.Verifier;
import dev.damask.verify.pnml.PetriNet;
import dev.damask.verify.pnml.PnmlReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Prints what checking PNML nets costs, in CPU time of the checking thread and of the process.
///
/// The argument is a directory with PNML files; each round reads every file and checks its net.
/// Without an argument, only generated nets are checked.
public final class NetFigures {
  private static final int ROUNDS = 60;
  private static final int WARM = 30;
  private static final int GENERATED = 40;
  private static final int TURNS = 5;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private NetFigures() {}

  public static void main(String[] arguments) throws IOException {
    NetFigures figures = new NetFigures();
    if (arguments.length > 0) {
      figures.files(Path.of(arguments[0]));
    }
    for (GeneratedNets.Fault fault : GeneratedNets.Fault.values()) {
      figures.generated(fault);
    }
  }

  private double millis() {
    return threads.getCurrentThreadCpuTime() / 1e6;
  }

  /// Reads and checks all files, round after round.
  private void files(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(directory)) {
      files = all.filter(file -> file.toString().endsWith(".pnml")).sorted().toList();
    }
    List<Double> totals = new ArrayList<>();
    double reading = Double.MAX_VALUE;
    double process = 0;
    Map<String, Integer> words = new TreeMap<>();
    for (int round = 0; round < ROUNDS; round++) {
      process = round == WARM ? system.getProcessCpuTime() : process;
      words.clear();
      double read = 0;
      double begin = millis();
      for (Path file : files) {
        double before = millis();
        PetriNet net = PnmlReader.read(file);
        read += millis() - before;
        words.merge(Verifier.check(net).word(), 1, Integer::sum);
      }
      double total = millis() - begin;
      if (round == 0) {
        say("first round, ms, cold", total);
      }
      if (round >= WARM) {
        totals.add(total);
        reading = Math.min(reading, read);
      }
    }
    process = (system.getProcessCpuTime() - process) / 1e6 / (ROUNDS - WARM);
    totals.sort(null);
    System.out.println(files.size() + " nets: " + words);
    say("all nets, reading included, median of warm rounds, CPU ms, at most 100", middle(totals));
    say("… the same for the whole process, average", process);
    say("… the fastest round", totals.getFirst());
    say("… reading alone, the fastest round", reading);
  }

  private static double middle(List<Double> sorted) {
    return sorted.get(sorted.size() / 2);
  }

  /// Checks generated nets of up to ten sources, ten sinks and about ten million markings.
  private void generated(GeneratedNets.Fault fault) {
    Map<String, Integer> words = new TreeMap<>();
    double slowest = 0;
    double sum = 0;
    double markings = 0;
    for (long seed = 1; seed <= GENERATED; seed++) {
      GeneratedNets.Generated generated = GeneratedNets.net(seed, fault);
      double best = Double.MAX_VALUE;
      for (int turn = 0; turn < TURNS; turn++) {
        double begin = millis();
        Verdict verdict = Verifier.check(generated.net());
        best = Math.min(best, millis() - begin);
        if (turn == 0) {
          words.merge(verdict.word(), 1, Integer::sum);
        }
      }
      slowest = Math.max(slowest, best);
      sum += best;
      markings = Math.max(markings, generated.markings());
    }
    System.out.printf(
        Locale.ROOT,
        "%d generated nets, fault %s: %s, up to %.1e markings%n",
        GENERATED,
        fault,
        words,
        markings);
    say("… the slowest net, CPU ms, at most 100", slowest);
    say("… on average", sum / GENERATED);
  }

  private static void say(String what, double value) {
    System.out.printf(Locale.ROOT, "%10.3f  %s%n", value, what);
  }
}
