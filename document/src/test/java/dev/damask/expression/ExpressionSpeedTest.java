package dev.damask.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.value.Context;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Our evaluator against the library, in turns in one process; the best turn of each side counts.
/// The bounds are far from what is measured, because machines are shared.
final class ExpressionSpeedTest {
  private static final int TURNS = Integer.getInteger("damask.turns", 5);
  private static final List<String> TEXTS =
      List.of("n > 3 && name == 'abc'", FirstExpression.TEXT, "m.k + n * 2", "{'a': n}.a in l");

  private static final Context CONTEXT =
      FirstExpression.context().with("n", 5L).with("m", java.util.Map.of("k", 1L));

  private final CelOracle library = new CelOracle();

  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  /// Nanoseconds for one round of some work, in the best of its turns.
  private static final class Best {
    private final int rounds;
    private final Work work;
    private double nanos = Double.MAX_VALUE;

    Best(int rounds, Work work) {
      this.rounds = rounds;
      this.work = work;
    }

    void turn() throws Exception {
      long before = System.nanoTime();
      for (int i = 0; i < rounds; i++) {
        work.run();
      }
      nanos = Math.min(nanos, (System.nanoTime() - before) / (double) rounds);
    }
  }

  @Test
  void reading_and_evaluating_are_faster_than_with_the_library() throws Exception {
    for (String text : TEXTS) {
      CompiledExpression ours = Expressions.compile(text);
      CelOracle.Accepted theirs = library.accept(text);
      assertThat(ours.value(CONTEXT)).isEqualTo(library.value(theirs, CONTEXT));
      Best read = new Best(1_000, () -> Expressions.compile(text));
      Best readTheirs = new Best(50, () -> library.accept(text));
      Best evaluate = new Best(50_000, () -> ours.value(CONTEXT));
      Best evaluateTheirs = new Best(5_000, () -> library.value(theirs, CONTEXT));
      for (int i = 0; i < TURNS; i++) {
        for (Best each : List.of(read, readTheirs, evaluate, evaluateTheirs)) {
          each.turn();
        }
      }

      System.out.println(
          "%s: reading %.1f against %.0f µs, evaluating %.0f against %.0f ns"
              .formatted(
                  text,
                  read.nanos / 1_000,
                  readTheirs.nanos / 1_000,
                  evaluate.nanos,
                  evaluateTheirs.nanos));
      assertThat(read.nanos).as(text).isLessThan(readTheirs.nanos / 5);
      assertThat(evaluate.nanos).as(text).isLessThan(evaluateTheirs.nanos / 2);
    }
  }

  @Test
  void the_first_expression_of_a_process_takes_less_time_than_with_the_library() throws Exception {
    long ours = first("ours");
    long theirs = first("theirs");

    System.out.println("first expression: %d against %d ms".formatted(ours, theirs));
    assertThat(ours).isLessThan(theirs);
  }

  private static long first(String side) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                places(),
                FirstExpression.class.getName(),
                side)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return Long.parseLong(said);
  }

  /// Where the classes under test and the tests are, however they were given to this process.
  private static String places() {
    Stream<String> given =
        Stream.of("jdk.module.path", "java.class.path").map(name -> System.getProperty(name, ""));
    Stream<String> own =
        Stream.of(FirstExpression.class, Expressions.class).map(ExpressionSpeedTest::folder);
    return Stream.concat(given, own)
        .filter(path -> !path.isEmpty())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String folder(Class<?> type) {
    String name = type.getName().replace('.', '/') + ".class";
    String found =
        Objects.requireNonNull(type.getResource(type.getSimpleName() + ".class")).toString();
    return Path.of(URI.create(found.substring(0, found.length() - name.length()))).toString();
  }
}
