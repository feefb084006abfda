package dev.damask.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.expression.Work;
import dev.damask.rule.EvaluationException.Hard;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Functions of rules are charged to the work of the step that calls them, because the other cases
/// of the shard wait for it. The largest values that a rule may receive are within the limit.
final class CostlyRuleTest {
  private static final CompiledRule RULE = new CompiledRule(RuleDocument.read("{\"payload\": {}}"));
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String REFUSED = "compares or matches more than " + Work.MAX;

  /// The longest list of the longest strings that an edit distance is computed of.
  private static final List<String> LARGEST = texts(64, 256);

  private static final Context DATA =
      Context.of("l", LARGEST)
          .with("n", numbers())
          .with("text", "a".repeat(60_000))
          .with("patterns", texts(64, 60));

  private static List<String> texts(int count, int length) {
    Random random = new Random(length);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      StringBuilder text = new StringBuilder();
      random.ints(length, 'a', 'e').forEach(c -> text.append((char) c));
      texts.add(text.toString());
    }
    return texts;
  }

  private static List<Double> numbers() {
    List<Double> numbers = new ArrayList<>();
    new Random(7).doubles(64).forEach(numbers::add);
    return numbers;
  }

  private static @Nullable Object evaluate(String text) throws Exception {
    return RULE.evaluate(text, DATA, Work.bounded());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "quorum(l, 'lev', 1, 64)",
        "quorum(l, 'lev', 'clique', 1, 64)",
        "quorum(l, 'lev', 'pairwise', 1, 64)",
        "consensus(l, 'lev', 'clique', 'medoid', 1, 64) in l",
        "consensus(l, 'lev', 'ball', 'mode', 1, 64) == l[0]",
        "quorum(l, 'hamming', 'clique', 1, 64) && quorum(l, 'eq', 'clique', 1, 64)",
        "quorum(n, 'abs', 'clique', 1, 64) && consensus(n, 'rel', 'median', 2, 64) > 0.0",
        "l.all(x, dist('lev', x, l[0]) <= 1.0 && within('lev', l[1], x, 1))",
        "l.all(x, l.all(y, dist('hamming', x, y) <= 1.0))",
        "n.all(x, n.all(y, max(n) >= x && mad(n) + stdev(n) < 2.0))",
        "size(unique(l)) == 64 && l.all(x, size(unique(l)) == 64)",
        "size(join(l, ', ')) == 64 * 256 + 63 * 2",
        "l.all(x, x.matches('^[a-d]{256}$'))",
        "l.all(x, patterns.exists(p, x.matches(p)) || true)",
        "l.all(x, l.all(y, x.upperAscii() != y))"
      })
  void the_largest_legal_values_are_within_the_limit(String text) throws Exception {
    assertThat(evaluate(text)).isEqualTo(true);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "l.all(x, quorum(l, 'lev', 'clique', 1, 1))",
        "l.all(x, l.all(y, within('lev', x, y, 2)) && quorum(l, 'lev', 1, 1))",
        "l.all(x, consensus(l, 'lev', 'medoid', 1, 1) in l)",
        "l.all(x, l.all(y, quorum(l, 'eq', 'clique', 0, 1)))",
        "l.all(x, l.all(y, consensus(l, 'eq', 'mode', 1, 1) in l))",
        "l.all(x, l.all(y, dist('lev', x, y) + dist('lev', y, x) + dist('lev', x, x)"
            + " + dist('lev', y, y) < 9.0))",
        "l.all(x, l.all(y, size(unique(l)) > 0))",
        "l.all(x, l.all(y, size(join(l, ', ')) > 0))",
        "l.all(x, l.all(y, text.matches('^(a|aa)*$')))",
        "l.all(x, l.all(y, text.lowerAscii() == text))",
        "l.all(x, patterns.all(p, !x.matches('(' + p + '){1,30}')))"
      })
  void a_function_that_repeats_long_work_is_refused_before_it_holds_up_others(String text) {
    long before = System.nanoTime();
    assertThatThrownBy(() -> evaluate(text))
        .isInstanceOfSatisfying(Hard.class, hard -> assertThat(hard.detail()).contains(REFUSED));
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SOON);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "abs(%s)",
        "unique(%s)",
        "size(join(%s, ''))",
        "max(%s)",
        "dist('eq', %s, 1)",
        "u256(%s)"
      })
  void a_value_with_shared_parts_counts_every_part(String call) {
    String doubled = "[1.0]" + ".map(y, [y, y])".repeat(40);

    assertThatThrownBy(() -> evaluate(call.formatted(doubled)))
        .isInstanceOfSatisfying(Hard.class, hard -> assertThat(hard.detail()).contains(REFUSED));
  }

  @Test
  void the_evaluations_of_a_step_are_limited_together() throws Exception {
    Work work = Work.bounded();
    for (int i = 0; i < 4; i++) {
      assertThat(RULE.evaluate("quorum(l, 'lev', 'clique', 1, 64)", DATA, work)).isEqualTo(true);
    }

    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 4; i++) {
                RULE.evaluate("quorum(l, 'lev', 'clique', 1, 64)", DATA, work);
              }
            })
        .isInstanceOfSatisfying(Hard.class, hard -> assertThat(hard.detail()).contains(REFUSED));
  }

  @Test
  void a_message_about_a_value_stays_short() {
    assertThatThrownBy(() -> evaluate("abs(text)"))
        .isInstanceOfSatisfying(
            Hard.class,
            hard -> {
              assertThat(hard.detail()).contains("expected a number, found \"aaa");
              assertThat(hard.detail().length()).isLessThan(200);
            });
    assertThatThrownBy(() -> evaluate("max(1)"))
        .isInstanceOfSatisfying(
            Hard.class, hard -> assertThat(hard.detail()).contains("expected a list, found 1"));
  }
}
