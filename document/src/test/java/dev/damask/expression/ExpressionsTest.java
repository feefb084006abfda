package dev.damask.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.task.Bytes;
import dev.damask.task.Context;
import dev.damask.task.ExpressionFailure;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ExpressionsTest {
  private static @Nullable Object value(String text, Context context) {
    return Expressions.expression(text).value(context);
  }

  private static String failure(String text, Context context) {
    try {
      return "no failure but " + value(text, context);
    } catch (ExpressionFailure failure) {
      return String.valueOf(failure.getMessage());
    }
  }

  private static String refusal(String text) {
    try {
      return "no refusal but " + Expressions.expression(text);
    } catch (InvalidExpression invalid) {
      return String.valueOf(invalid.getMessage());
    }
  }

  @Test
  void every_context_key_is_a_variable_and_ctx_is_the_whole() {
    Context context = Context.of("n", 5, "m", Map.of("k", List.of(1, 2)));

    assertThat(value("n + 1", context)).isEqualTo(6L);
    assertThat(value("m.k[1]", context)).isEqualTo(2L);
    assertThat(value("ctx.n == n", context)).isEqualTo(true);
    assertThat(value("has(ctx.n) && !has(ctx.x)", context)).isEqualTo(true);
    assertThat(value("size(ctx)", context)).isEqualTo(2L);
  }

  @Test
  void the_name_of_a_type_is_a_key_unless_the_expression_asks_for_a_type() {
    Context context = Context.of("list", List.of(1), "string", "s");

    assertThat(value("list", context)).isEqualTo(List.of(1L));
    assertThat(value("list[0] in list ? string : 'x'", context)).isEqualTo("s");
    assertThat(value("type(ctx.list) == list", context)).isEqualTo(true);
  }

  @Test
  void macros_run_over_lists_and_the_keys_of_maps() {
    Context context = Context.of("l", List.of(1, 2, 3), "m", Map.of("b", 1, "a", 2));

    assertThat(value("l.filter(x, x > 1).map(x, x * x)", context)).isEqualTo(List.of(4L, 9L));
    assertThat(value("m.map(k, k)", context)).isEqualTo(List.of("a", "b"));
    assertThat(value("l.exists_one(x, x == 2) && l.all(x, x > 0)", context)).isEqualTo(true);
  }

  @Test
  void what_closures_do_not_know_the_library_evaluates() {
    Context context = Context.of("s", "abc123", "b", Bytes.of((byte) 1));

    assertThat(Expressions.names("s.matches('[a-c]+[0-9]{3}')")).containsExactly("s");
    assertThat(value("s.matches('[a-c]+[0-9]{3}')", context)).isEqualTo(true);
    assertThat(value("uint(3) + 4u", context)).isEqualTo(new BigDecimal(7));
    assertThat(value("type(s) == string", context)).isEqualTo(true);
    assertThat(failure("timestamp('2026-01-01T00:00:00Z')", context))
        .endsWith("a context cannot hold a Instant; use string()");
  }

  @Test
  void a_failure_names_the_text_the_position_and_the_cause() {
    Context context = Context.of("n", 5, "s", "a");

    assertThat(failure("nothing > 1", context))
        .isEqualTo("expression 'nothing > 1' at 1:1: there is no key 'nothing'");
    assertThat(failure("1 + n / 0", context))
        .isEqualTo("expression '1 + n / 0' at 1:7: division by zero");
    assertThat(failure("n * 9223372036854775807", context))
        .isEqualTo(
            "expression 'n * 9223372036854775807' at 1:3: 5 * 9223372036854775807 exceeds 64 bits");
    assertThat(failure("n + s", context))
        .isEqualTo("expression 'n + s' at 1:3: '+' does not know int and string");
    assertThat(failure("[n][2]", context))
        .isEqualTo("expression '[n][2]' at 1:4: index 2 of a list of 1");
    assertThat(failure("s.matches(s + '(')", context))
        .startsWith("expression 's.matches(s + '(')' at 1:10: error parsing regexp");
  }

  @Test
  void a_condition_must_be_a_boolean() {
    assertThat(Expressions.guard("n > 1").test(Context.of("n", 2))).isTrue();
    assertThatThrownBy(() -> Expressions.guard("n").test(Context.of("n", 2)))
        .hasMessage("expression 'n' at 1:1: a condition is a bool, found int");
    assertThatThrownBy(() -> Expressions.guard("n + 1"))
        .isInstanceOf(InvalidExpression.class)
        .hasMessage("expression 'n + 1' at 1:3: a condition is a bool");
  }

  @Test
  void a_deciding_operand_absorbs_the_failure_of_the_other() {
    Context context = Context.of("t", true);

    assertThat(value("missing > 1 || t", context)).isEqualTo(true);
    assertThat(value("!t && missing", context)).isEqualTo(false);
    assertThat(value("missing && !t", context)).isEqualTo(false);
    assertThat(failure("t && missing", context)).endsWith("there is no key 'missing'");
  }

  @Test
  void a_decimal_counts_as_a_double_but_is_passed_on_untouched() {
    BigDecimal exact = new BigDecimal("12345678901234567890.5");
    Context context = Context.of("d", exact);

    assertThat(value("d", context)).isEqualTo(exact);
    assertThat(value("ctx.d", context)).isEqualTo(exact);
    assertThat(value("d + 0.0", context)).isEqualTo(exact.doubleValue());
  }

  @Test
  void a_condition_on_instances_sees_done_total_and_results_only() {
    List<Context> results = List.of(Context.of("ok", 1), Context.of("ok", 0), Context.of("ok", 1));

    assertThat(Expressions.condition("double(done) >= 0.75 * double(total)").test(3, 4, List.of()))
        .isTrue();
    assertThat(
            Expressions.condition("results.filter(r, r.ok == 1).size() >= 2").test(3, 9, results))
        .isTrue();
    assertThatThrownBy(() -> Expressions.condition("done > n"))
        .hasMessage(
            "expression 'done > n' at 1:3: there is no 'n' here, only done, total and results");
  }

  @Test
  void a_text_that_is_no_expression_is_refused_in_one_line() {
    assertThat(refusal("a &&")).isEqualTo("expression 'a &&' at 1:5: mismatched input '<EOF>'");
    assertThat(refusal("1 + 'a'"))
        .isEqualTo(
            "expression '1 + 'a'' at 1:3: found no matching overload for '_+_' applied to '(int,"
                + " string)'");
    assertThat(refusal("frobnicate(a)"))
        .isEqualTo(
            "expression 'frobnicate(a)' at 1:11: undeclared reference to 'frobnicate' (in container"
                + " '')");
    assertThat(refusal(" ")).isEqualTo("an expression is not empty");
  }

  @Test
  void an_expression_that_is_too_long_or_too_large_is_refused() {
    assertThat(refusal("a".repeat(1_025)))
        .endsWith("an expression has at most 1024 bytes, found 1025");
    assertThat(refusal("é".repeat(2_049)))
        .endsWith("an expression has at most 2048 characters, found 2049");
    assertThat(refusal("(".repeat(500) + "1" + ")".repeat(500))).contains("at 1:");
  }

  @Test
  void macros_have_a_bound_on_their_rounds() {
    Context context = Context.of("l", java.util.Collections.nCopies(400, 1L));

    assertThat(failure("l.all(a, l.all(b, l.all(c, a == b)))", context))
        .endsWith("more than 100000 rounds of macros");
  }

  @Test
  void plain_expressions_do_not_load_the_library() {
    for (String text :
        List.of(
            "1",
            "-7",
            "true",
            "'by ' + by",
            "n",
            "a == 1",
            "n>0",
            "v + 1",
            "ctx.k",
            "n-1",
            "error.reason",
            "has(ctx.k) && !(a || b)",
            "double(done) >= 0.75 * double(total)")) {
      assertThat(SimpleParser.parse(text)).as(text).isNotNull();
    }
    for (String text : List.of("a ? b : c", "x in y", "r.size()", "1u", "--n", "'\\n'", "f(x)")) {
      assertThat(SimpleParser.parse(text)).as(text).isNull();
    }
  }
}
