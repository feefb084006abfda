package dev.damask.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.damask.crash.Strace.Fault;
import dev.damask.crash.Strace.Point;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every sync, write and rename of a short run goes wrong once, in each of three ways: the process
/// is killed, the disk fails, the disk is full. The build tries a few of them; `crash/sweep` tries
/// them all.
final class SweepTest {
  private static final boolean WHOLE = Boolean.getBoolean("damask.crash.sweep");
  private static final String ONLY = System.getProperty("damask.crash.only", "");
  private static final int SAMPLE = Integer.getInteger("damask.crash.sample", 3);

  /// How many commits every run makes, however the timers fall.
  private static final int SURE = 5;

  private static final long SEED = Long.getLong("damask.crash.seed", System.nanoTime());

  @TempDir Path folder;

  @BeforeEach
  void needsStrace() {
    assumeThat(Strace.isThere())
        .as("strace is not installed, so no call to the system can be let fail")
        .isTrue();
  }

  @Test
  void a_new_store_survives_a_fault_at_every_call() throws Exception {
    Path empty = Files.createDirectories(folder.resolve("empty"));

    assertThat(sweep(empty, "new")).isEmpty();
  }

  @Test
  void a_store_with_cases_in_it_survives_a_fault_at_every_call() throws Exception {
    Path used = Files.createDirectories(folder.resolve("used"));
    try (WitnessProcess witness = new WitnessProcess(used);
        WorkerProcess worker = new WorkerProcess(List.of(), used, witness.port())) {
      worker.awaitReady();
      assertThat(new Script("before").play(worker)).isTrue();
      worker.kill();
    }

    assertThat(sweep(used, "old")).isEmpty();
  }

  /// Plays the script on a copy of a folder for each fault at each point.
  private List<String> sweep(Path base, String name) throws Exception {
    List<String> problems = new ArrayList<>();
    Path home = Files.createDirectories(folder.resolve(name));
    try (WitnessProcess witness = new WitnessProcess(home)) {
      List<Point> points = points(base, home, witness);
      assertThat(points).extracting(Point::name).contains("write", "fdatasync", "fsync", "rename");
      int reached = 0;
      int runs = 0;
      List<Long> millis = new ArrayList<>();
      for (Point point : chosen(points)) {
        for (Fault fault : WHOLE ? List.of(Fault.values()) : List.of(any(point))) {
          Path own = copy(base, home.resolve("run"));
          Attempt attempt = attempt(own, witness, "%s.%d".formatted(name, runs++), point, fault);
          attempt.problems().forEach(each -> problems.add(point + " " + fault + ": " + each));
          reached += attempt.isReached() ? 1 : 0;
          millis.add(attempt.recovery().process().toMillis());
          System.out.println(point + " " + fault + ": " + attempt);
        }
      }
      millis.sort(null);
      System.out.printf(
          "%s store, seed %d: %d points, %d runs, %d stopped the process; back after %d ms (half of"
              + " them), %d ms (the longest)%n",
          name,
          SEED,
          points.size(),
          runs,
          reached,
          millis.get(millis.size() / 2),
          millis.getLast());
      assertThat(reached).isPositive();
    }
    return problems;
  }

  /// What a run without any fault does to the store.
  private static List<Point> points(Path base, Path home, WitnessProcess witness)
      throws InterruptedException {
    Path own = copy(base, home.resolve("run"));
    Path log = home.resolve("calls.txt");
    try (WorkerProcess worker = new WorkerProcess(Strace.watching(log), own, witness.port())) {
      worker.awaitReady();
      assertThat(new Script("dry" + home.getFileName()).play(worker)).isTrue();
      assertThat(worker.end()).isZero();
    }
    return Strace.points(log, own.resolve("store"));
  }

  private static List<Point> chosen(List<Point> points) {
    if (WHOLE) {
      return points.stream().filter(p -> (p.name() + " " + p.file()).contains(ONLY)).toList();
    }
    // What goes wrong with the log that RocksDB keeps for people stops nobody.
    List<Point> all =
        new ArrayList<>(points.stream().filter(p -> !p.file().endsWith("/LOG")).toList());
    Collections.shuffle(all, new Random(SEED));
    // The journal is where an acknowledgement could come too early: always try it.
    Set<Point> sample = new LinkedHashSet<>();
    for (String name : List.of("write", "fdatasync")) {
      all.stream()
          .filter(p -> p.name().equals(name) && p.file().endsWith(".log"))
          .filter(p -> p.number() <= SURE)
          .findFirst()
          .ifPresent(sample::add);
    }
    all.stream().limit(Math.max(0, SAMPLE - sample.size())).forEach(sample::add);
    return List.copyOf(sample);
  }

  private static Fault any(Point point) {
    return Fault.values()[Math.floorMod(point.hashCode() + SEED, Fault.values().length)];
  }

  /// @param refusals what the client was told from the fault on
  private record Attempt(
      boolean isReached,
      List<String> refusals,
      WorkerProcess.Recovery recovery,
      List<String> problems) {}

  private static Attempt attempt(
      Path own, WitnessProcess witness, String name, Point point, Fault fault)
      throws InterruptedException {
    Script script = new Script(name);
    List<String> problems = new ArrayList<>();
    boolean isReached;
    try (WorkerProcess worker =
        new WorkerProcess(
            Strace.failing(own.resolve("store"), point, fault), own, witness.port())) {
      isReached = !plays(worker, script);
      if (worker.isAlive()) {
        worker.end();
      }
    }
    List<String> refusals = script.refusals();
    if (isReached && fault != Fault.KILL) {
      problems.addAll(unclear(refusals, own));
    }
    try (WorkerProcess again = new WorkerProcess(List.of(), own, witness.port())) {
      WorkerProcess.Recovery recovery = again.awaitReady();
      problems.addAll(script.problems(again, witness));
      if (!script.play(again)) {
        problems.add("it does not go on: " + script.refusals());
      }
      problems.addAll(script.problems(again, witness));
      again.end();
      return new Attempt(isReached, refusals, recovery, problems);
    }
  }

  /// Whether everything was answered.
  private static boolean plays(WorkerProcess worker, Script script) {
    try {
      worker.awaitReady();
    } catch (WorkerProcess.Gone e) {
      return false;
    }
    return script.play(worker);
  }

  /// Whoever cannot go on has to say why: to its clients, or when it does not even begin.
  private static List<String> unclear(List<String> refusals, Path own) {
    try {
      String said =
          refusals.isEmpty() ? Files.readString(own.resolve("Worker.err")) : refusals.getFirst();
      return said.contains("StoreException") ? List.of() : List.of("it does not say why: " + said);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path copy(Path from, Path to) {
    try {
      if (Files.exists(to)) {
        try (Stream<Path> all = Files.walk(to)) {
          for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
            Files.delete(each);
          }
        }
      }
      try (Stream<Path> all = Files.walk(from)) {
        for (Path each : all.filter(p -> !p.startsWith(from.resolve("tmp"))).toList()) {
          Files.copy(each, to.resolve(from.relativize(each).toString()));
        }
      }
      return to;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
