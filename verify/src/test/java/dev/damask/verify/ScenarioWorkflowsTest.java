package dev.damask.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.check.Diagnostic;
import dev.damask.check.TermCheck;
import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.scenario.ScenarioDocument;
import dev.damask.scenario.ScenarioEnd;
import dev.damask.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The workflows of all scenarios: what they are seen to do is never proved impossible, and what is
/// found wrong with them really happens.
final class ScenarioWorkflowsTest {
  private static final Options OPTIONS = Options.DEFAULT.withStates(5_000);

  private enum Word {
    SOUND,
    UNSOUND,
    UNKNOWN
  }

  private static List<Path> scenarios() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("..", "scenarios"))) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }

  @Test
  void verdicts_do_not_contradict_what_scenarios_see() throws IOException {
    Map<Word, Integer> words = new EnumMap<>(Word.class);
    int followed = 0;
    for (Path file : scenarios()) {
      ScenarioDocument scenario = new ScenarioReader().read(file);
      assertThat(TermCheck.check(scenario.workflow().workflow()))
          .as(file.toString())
          .noneMatch(Diagnostic::isError);
      Program program = Compiler.compile(scenario.workflow().workflow());

      Verdict verdict = Verifier.check(program, OPTIONS);

      words.merge(Word.valueOf(verdict.word().toUpperCase(Locale.ROOT)), 1, Integer::sum);
      if (scenario.end().status() == ScenarioEnd.Status.DEADLOCKED) {
        assertThat(verdict.isProved()).as(file + " deadlocks, but is " + verdict).isFalse();
      }
      if (verdict instanceof Verdict.Refuted refuted) {
        for (Violation violation : refuted.violations()) {
          followed += Following.confirm(program, OPTIONS, violation) ? 1 : 0;
        }
      }
    }

    System.out.println("scenario workflows: " + words + ", " + followed + " traces followed");
    assertThat(words.values().stream().mapToInt(count -> count).sum()).isGreaterThanOrEqualTo(190);
    assertThat(words.getOrDefault(Word.SOUND, 0)).isGreaterThan(80);
    assertThat(followed).isGreaterThan(5);
  }
}
