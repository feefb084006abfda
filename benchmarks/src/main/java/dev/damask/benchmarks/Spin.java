package dev.damask.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A fork of one-step branches as a model for SPIN, in the form that is quickest for SPIN: one
/// process, one word, one bit a branch. Does nothing where SPIN or a C compiler is missing.
final class Spin implements AutoCloseable {
  private static final Pattern STATES = Pattern.compile("([0-9.e+]+) states, stored");
  private static final Pattern TIMES = Pattern.compile("(\\d+)m([0-9.]+)s (\\d+)m([0-9.]+)s");
  private static final long MINUTES_MAX = 5;

  private final int branches;
  private final Optional<Path> folder;

  private Spin(int branches, Optional<Path> folder) {
    this.branches = branches;
    this.folder = folder;
  }

  static Spin build(int branches) throws IOException {
    Path folder = Files.createTempDirectory("damask-spin");
    Files.writeString(folder.resolve("fork.pml"), model(branches));
    boolean built =
        run(folder, "spin -a fork.pml && gcc -O3 -DNOREDUCE -DSAFETY -w -o pan pan.c").isPresent();
    if (!built) {
      delete(folder);
      System.out.println("SPIN is not here; its part is left out");
    }
    return new Spin(branches, built ? Optional.of(folder) : Optional.empty());
  }

  private static String model(int branches) {
    StringBuilder text = new StringBuilder("int done = 0;\nactive proctype fork() {\n  do\n");
    for (int i = 0; i < branches; i++) {
      int bit = 1 << i;
      text.append("  :: d_step { (done & %d) == 0 -> done = done | %d }\n".formatted(bit, bit));
    }
    int all = (1 << branches) - 1;
    return text.append("  :: (done == %d) -> break\n  od\n}\n".formatted(all)).toString();
  }

  /// States per second of CPU time; empty where SPIN is not here.
  OptionalDouble statesPerSecond() throws IOException {
    if (folder.isEmpty()) {
      return OptionalDouble.empty();
    }
    String out = run(folder.get(), "./pan -m1000 -w" + (branches + 2) + "; times").orElse("");
    Matcher states = STATES.matcher(out);
    Matcher times = TIMES.matcher(out);
    // The second line of times is about what the shell has started.
    if (!states.find() || !times.find() || !times.find()) {
      throw new IOException("SPIN said something unexpected: " + out);
    }
    double seconds =
        60 * Double.parseDouble(times.group(1))
            + Double.parseDouble(times.group(2))
            + 60 * Double.parseDouble(times.group(3))
            + Double.parseDouble(times.group(4));
    return OptionalDouble.of(Double.parseDouble(states.group(1)) / Math.max(0.001, seconds));
  }

  /// What a command prints; empty when it fails.
  private static Optional<String> run(Path folder, String command) throws IOException {
    Process process =
        new ProcessBuilder(List.of("sh", "-c", command))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      boolean ended = process.waitFor(MINUTES_MAX, TimeUnit.MINUTES);
      return ended && process.exitValue() == 0 ? Optional.of(out) : Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  @Override
  public void close() throws IOException {
    if (folder.isPresent()) {
      delete(folder.get());
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
