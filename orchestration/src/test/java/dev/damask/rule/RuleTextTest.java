package dev.damask.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.expression.Work;
import dev.damask.value.Context;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RuleTextTest {
  private static final String LARGEST =
      java.math.BigInteger.TWO.pow(256).subtract(java.math.BigInteger.ONE).toString();

  private static final CompiledRule RULE = new CompiledRule(RuleDocument.read("{\"payload\": {}}"));

  private static @Nullable Object resolve(String text, Context variables) throws Exception {
    return RULE.resolve(text, variables, Work.bounded());
  }

  private static @Nullable Object evaluate(String text) throws Exception {
    return RULE.evaluate(text, Context.of("list", List.of(1.0, 2.0, 10.0)), Work.bounded());
  }

  @Test
  void a_text_is_a_template_a_value_or_an_expression() throws Exception {
    // E5.
    Context context = Context.of("id", 7L, "n", 3.0);

    assertThat(resolve("Order-[id]", context)).isEqualTo("Order-7");
    assertThat(resolve("[id]", context)).isEqualTo(7L);
    assertThat(resolve("([n] + 1.0)", context)).isEqualTo(4.0);
    assertThat(resolve("[n] >= 3", context)).isEqualTo(true);
    assertThat(resolve("12345678901234567890", context)).isEqualTo("12345678901234567890");
    assertThat(resolve("[n] + 1.0", context)).isEqualTo(4.0);
    assertThat(resolve("[id]-[n]", context)).isEqualTo("7-3");
    assertThat(resolve("no amount", context)).isEqualTo("no amount");
    assertThat(resolve("true", context)).isEqualTo(true);
    assertThat(resolve("'EUR'", context)).isEqualTo("EUR");
  }

  @Test
  void brackets_behind_a_name_are_an_index_and_inside_quotes_they_are_text() {
    assertThat(RuleText.source("[a][0] + b[i] == '[c]'")).isEqualTo("a[0] + b[i] == '[c]'");
    assertThat(RuleText.source("[in] == 1")).isEqualTo("ctx[\"in\"] == 1");
    assertThat(RuleText.source("[x+1]")).isEqualTo("[x+1]");
  }

  @Test
  void the_helper_functions_do_what_the_page_says() throws Exception {
    assertThat(evaluate("abs(-3)")).isEqualTo(3.0);
    assertThat(evaluate("pow(2, 'x')")).isEqualTo(0.0);
    assertThat(evaluate("pow(2, 10)")).isEqualTo(1024.0);
    assertThat(evaluate("relDiff(0, 0)")).isEqualTo(0.0);
    assertThat(evaluate("relDiff(1, -1)")).isEqualTo(1e18);
    assertThat(evaluate("relDiff(9.0, 11.0)")).isEqualTo(0.2);
    assertThat(evaluate("safeDiv(1, 0, 'none')")).isEqualTo("none");
    assertThat(evaluate("safeDiv(1, 4, 0)")).isEqualTo(0.25);
    assertThat(evaluate("clamp(15, 10, 0)")).isEqualTo(10.0);
    assertThat(evaluate("clamp('x', 0, 1)")).isEqualTo("x");
    assertThat(evaluate("dist('hamming', 'abc', 'abd')")).isEqualTo(1.0 / 3);
    assertThat(evaluate("dist('hamming', 'ab', 'abc')")).isEqualTo(1e18);
    assertThat(evaluate("dist('lev', 'kitten', 'sitting')")).isEqualTo(3.0 / 7);
    assertThat(evaluate("dist('eq', 1, 1.0)")).isEqualTo(0.0);
    assertThat(evaluate("within('abs', 10, 11, 1)")).isEqualTo(true);
    assertThat(evaluate("max(list)")).isEqualTo(10.0);
    assertThat(evaluate("sum([])")).isEqualTo(0.0);
    assertThat(evaluate("avg([1, 'x'])")).isEqualTo(0.0);
    assertThat(evaluate("median(list)")).isEqualTo(2.0);
    assertThat(evaluate("stdev([2, 4, 4, 4, 5, 5, 7, 9])")).isEqualTo(2.0);
    assertThat(evaluate("cv([-1, 1])")).isEqualTo(0.0);
    assertThat(evaluate("mad([1, 1, 2, 2, 4, 6, 9])")).isEqualTo(1.0);
    assertThat(evaluate("join(unique(['a', 'b', 'a']), '-')")).isEqualTo("a-b");
    assertThat(evaluate("u256('" + LARGEST + "')")).isEqualTo(LARGEST);
    assertThat(evaluate("int64('12') + 1")).isEqualTo(13L);
    assertThat(evaluate("'AbC'.lowerAscii() + upperAscii('x')")).isEqualTo("abcX");
    assertThat(evaluate("'abc123'.matches('[0-9]+$')")).isEqualTo(true);
  }

  @Test
  void a_quorum_is_the_most_values_near_one_of_them() throws Exception {
    assertThat(evaluate("quorum([100, 101, 150], 'rel', 0.02, 2)")).isEqualTo(true);
    assertThat(evaluate("quorum([100, 101, 150], 'rel', 0.02, 3)")).isEqualTo(false);
    assertThat(evaluate("quorum([1, 2, 3], 'abs', 1, 3)")).isEqualTo(true);
    assertThat(evaluate("quorum([1, 2, 3], 'abs', 'clique', 1, 3)")).isEqualTo(false);
    assertThat(evaluate("consensus([100, 102, 150], 'rel', 'mean', 0.02, 2)")).isEqualTo(101.0);
    assertThat(evaluate("consensus([100, 102, 150], 'rel', 'mean', 0.001, 2)")).isEqualTo(0.0);
    assertThat(evaluate("consensus(['a', 'b', 'a'], 'eq', 'mode', 0, 2)")).isEqualTo("a");
    assertThat(evaluate("consensus([1, 2, 3], 'abs', 'pairwise', 'medoid', 1, 2)")).isEqualTo(1L);
  }

  @Test
  void wrong_types_are_hard_and_missing_things_are_soft() {
    assertThatThrownBy(() -> evaluate("1 + 'a'")).isInstanceOf(EvaluationException.Hard.class);
    assertThatThrownBy(() -> evaluate("abs('x')")).isInstanceOf(EvaluationException.Hard.class);
    assertThatThrownBy(() -> evaluate("nobody > 1")).isInstanceOf(EvaluationException.Soft.class);
    assertThatThrownBy(() -> evaluate("list[7]")).isInstanceOf(EvaluationException.Soft.class);
  }

  @Test
  void long_expressions_and_long_lists_are_refused_at_evaluation() {
    String tooLong = "1 == 1" + " && 1 == 1".repeat(110);
    List<Object> many = java.util.Collections.nCopies(65, (Object) 1.0);

    assertThatThrownBy(() -> evaluate(tooLong))
        .isInstanceOfSatisfying(
            EvaluationException.Hard.class,
            hard -> {
              assertThat(hard.kind()).isEqualTo("ErrExprTooComplex");
              assertThat(hard.detail()).contains("CEL_BYTES", "observed 1106", "maximum 1024");
            });
    assertThatThrownBy(() ->
            RULE.evaluate(
                "size(deep.x) > 0",
                Context.of("deep", java.util.Map.of("x", many)),
                Work.bounded()))
        .isInstanceOfSatisfying(
            EvaluationException.Hard.class,
            hard -> {
              assertThat(hard.kind()).isEqualTo("ErrListCapExceeded");
              assertThat(hard.detail()).contains("observed 65", "maximum 64");
            });
  }

  @Test
  void costs_follow_the_table() {
    // E7.
    RuleDocument rule =
        RuleDocument.read(
            """
            {"payload": {"A": {"type": "int64"}, "B": {"type": "string"},
                         "C": {"type": "string", "default": "EUR"}},
             "rules": ["[A] > 0 && [C] == 'EUR'"],
             "onValid": {"waitSec": 4500}}
            """);

    Cost cost = new Cost(rule);

    assertThat(cost.common()).isEqualTo(15_700);
    assertThat(cost.total(true, 4_500, 3)).isEqualTo(16_300);
  }

  @Test
  void a_macro_costs_its_body_once_per_round() {
    assertThat(RuleText.compile("[1, 2, 3].all(x, x > 0)").shape().operators()).isEqualTo(3);
    assertThat(RuleText.compile("xs.exists(x, x > 0 && x < 9)").shape().operators()).isEqualTo(192);
    assertThat(RuleText.compile("xs.map(x, x * 2)").shape().functions()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[n]+1 | EXPRESSION",
        "[n] + 1 | EXPRESSION",
        "1+[n] | EXPRESSION",
        "[n]+[m]+2.5 | EXPRESSION",
        "[n] - 1 | EXPRESSION",
        "[n]+1 - [m] | EXPRESSION",
        "[n]-1 | TEMPLATE",
        "[a]-[b] | TEMPLATE",
        "1 + 2 | TEMPLATE",
        "2026-11-16 | TEMPLATE",
        "2026 - 11 - 16 | TEMPLATE",
        "+49 170 1234567 | TEMPLATE",
        "Order-[id] | TEMPLATE",
        "[first] + [last] Ltd | TEMPLATE",
        "[n] | PASS"
      })
  void sums_are_expressions_and_dates_are_not(String text, RuleText.Form form) {
    assertThat(RuleText.classify(text)).isEqualTo(form);
  }
}
