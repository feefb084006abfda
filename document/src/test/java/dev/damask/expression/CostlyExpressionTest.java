package dev.damask.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.task.ExpressionFailure;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Expressions that are short and would hold up a shard for a long time are refused.
final class CostlyExpressionTest {
  private static final String LONG = "a".repeat(60_000);
  private static final Duration SOON = Duration.ofSeconds(20);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "((a{100}){100}){100}",
        "(((((a?){30}){30}){30}){30}){30}",
        "(a{0,1000}){1000}",
        "(([ab]{1,50}){1,50}){1,50}",
        "(\\d{90}){90}",
        "a{999999999999999999}"
      })
  void a_pattern_that_is_too_large_is_refused_in_a_document_and_from_data(String pattern) {
    String literal = pattern.replace("\\", "\\\\");

    assertThatThrownBy(() -> Expressions.compile("text.matches('" + literal + "')"))
        .isInstanceOf(InvalidExpression.class)
        .hasMessageContaining("repetitions expanded");
    assertThatThrownBy(() ->
            Expressions.compile("text.matches(pattern)")
                .value(Context.of("text", LONG, "pattern", pattern)))
        .isInstanceOf(ExpressionFailure.class)
        .hasMessageContaining("repetitions expanded");
    assertThatThrownBy(() -> Expressions.pattern(pattern))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("repetitions expanded");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        "^.{1,1000}$",
        "^([a-z]+\\.)*[a-z]{2,}$",
        "[]{}()]{3}",
        "a{2}b{3,}c{0,5}|d"
      })
  void a_pattern_of_usual_size_is_allowed(String pattern) {
    assertThat(LinearPattern.of(pattern)).isNotNull();
  }

  @Test
  void matches_agrees_with_the_language() {
    assertThat(Expressions.compile("'abc'.matches('b')").value(Context.empty())).isEqualTo(true);
    assertThat(Expressions.compile("matches('abc', '^b')").value(Context.empty())).isEqualTo(false);
    assertThatThrownBy(() -> Expressions.compile("n.matches('b')").value(Context.of("n", 1)))
        .isInstanceOf(ExpressionFailure.class)
        .hasMessageContaining("'matches' is not defined for int and string");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "list.all(x, big == other)",
        "list.all(x, text.contains(part))",
        "list.all(x, size(text) > 0 && size(text) > 1 && !(text < other2))",
        "list.all(x, !(-1 in list))",
        "list.all(x, text.matches('^(a|aa)*$'))",
        "list.map(x, text + text).size() > 0"
      })
  void an_evaluation_that_repeats_long_work_stops_with_a_failure(String text) {
    List<Long> numbers = Collections.nCopies(90_000, 1L);
    Context context =
        Context.of("list", numbers, "big", numbers)
            .with("other", Collections.nCopies(90_000, 1.0))
            .with("text", LONG)
            .with("other2", LONG.replace('a', 'a'))
            .with("part", "a".repeat(30_000) + "b")
            .with("map", Map.of());
    CompiledExpression expression = Expressions.compile(text);

    long before = System.nanoTime();
    assertThatThrownBy(() -> expression.value(context))
        .isInstanceOf(ExpressionFailure.class)
        .hasMessageContaining("compares or matches more than");
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SOON);
  }

  @Test
  void usual_work_in_a_macro_is_allowed() {
    Context context = Context.of("list", Collections.nCopies(1_000, "a word of a sentence"));

    assertThat(
            Expressions.compile("list.all(x, x.contains('word') && x.matches('sen.*e$'))")
                .value(context))
        .isEqualTo(true);
  }
}
