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
/// process, one word, one bit per branch. The model is compiled with several sets of options for
/// speed, all for the processor at hand, and the fastest counts. Does nothing where SPIN or a C
/// compiler is missing.
final class Spin implements AutoCloseable {
  private static final Pattern STATES = Pattern.compile("([0-9.e+]+) states, stored");
  private static final Pattern TIMES = Pattern.compile("(\\d+)m([0-9.]+)s (\\d+)m([0-9.]+)s");
  private static final long MINUTES_MAX = 5;

  private static final String ALWAYS = "-march=native -DNOREDUCE -DSAFETY -w ";

  /// SFH is a faster hash function, NOVSZ leaves a length out of every state, BFS searches in the
  /// order of our own search.
  private static final List<String> VARIANTS =
      List.of("-O3 -DSFH", "-O2 -DSFH", "-O3 -DSFH -DNOVSZ", "-O3 -DSFH -DNOVSZ -DBFS", "-O3");

  private final int branches;
  private final Optional<Path> folder;
  private int fastest = -1;

  private Spin(int branches, Optional<Path> folder) {
    this.branches = branches;
    this.folder = folder;
  }

  static Spin build(int branches) throws IOException {
    Path folder = Files.createTempDirectory("damask-spin");
    Files.writeString(folder.resolve("fork.pml"), model(branches));
    StringBuilder commands = new StringBuilder("spin -a fork.pml");
    for (int i = 0; i < VARIANTS.size(); i++) {
      commands.append(" && gcc %s %s -o pan%d pan.c".formatted(ALWAYS, VARIANTS.get(i), i));
    }
    boolean built = run(folder, commands.toString()).isPresent();
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

  /// States per second of CPU time; empty where SPIN is missing. The first call runs all variants,
  /// later ones the fastest.
  OptionalDouble statesPerSecond() throws IOException {
    if (folder.isEmpty()) {
      return OptionalDouble.empty();
    }
    if (fastest >= 0) {
      return OptionalDouble.of(rate(folder.get(), fastest));
    }
    double best = 0;
    for (int i = 0; i < VARIANTS.size(); i++) {
      double rate = rate(folder.get(), i);
      fastest = rate > best ? i : fastest;
      best = Math.max(best, rate);
    }
    System.out.println("SPIN is fastest with " + ALWAYS + VARIANTS.get(fastest));
    return OptionalDouble.of(best);
  }

  private double rate(Path directory, int variant) throws IOException {
    String command = "./pan%d -m1000 -w%d; times".formatted(variant, branches + 2);
    String out = run(directory, command).orElse("");
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
    return Double.parseDouble(states.group(1)) / Math.max(0.001, seconds);
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
