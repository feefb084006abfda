package dev.damask.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.task.ExpressionFailure;
import dev.damask.task.ExpressionParts;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
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
  void the_name_of_a_type_is_a_key() {
    Context context = Context.of("list", List.of(1), "string", "s");

    assertThat(value("list", context)).isEqualTo(List.of(1L));
    assertThat(value("list[0] in list ? string : 'x'", context)).isEqualTo("s");
    assertThat(refusal("type(ctx.list) == list")).endsWith("at 1:5: unknown function 'type'");
  }

  @Test
  void macros_run_over_lists_and_the_keys_of_maps() {
    Context context = Context.of("l", List.of(1, 2, 3), "m", Map.of("b", 1, "a", 2));

    assertThat(value("l.filter(x, x > 1).map(x, x * x)", context)).isEqualTo(List.of(4L, 9L));
    assertThat(value("m.map(k, k)", context)).isEqualTo(List.of("a", "b"));
    assertThat(value("l.exists_one(x, x == 2) && l.all(x, x > 0)", context)).isEqualTo(true);
  }

  @Test
  void a_macro_hides_a_key_of_the_same_name_and_a_dot_before_it_finds_the_key() {
    Context context = Context.of("l", List.of(1, 2), "x", 10);

    assertThat(value("l.map(x, x + .x)", context)).isEqualTo(List.of(11L, 12L));
    assertThat(value("l.map(x, l.map(x, x * 2).size() + x) + [x]", context))
        .isEqualTo(List.of(3L, 4L, 10L));
    assertThat(value("l.map(x, x > 1, -x)", context)).isEqualTo(List.of(-2L));
    assertThat(Expressions.names("l.all(x, x > y)")).containsExactly("l", "y");
    assertThat(Expressions.names("l.all(x, .x > x)")).containsExactly("l", "x");
  }

  @Test
  void literals_are_texts_bytes_and_numbers_in_all_their_forms() {
    Context none = Context.empty();

    assertThat(value("[0x1F, -0x2, - 3, --4]", none)).isEqualTo(List.of(31L, -2L, -3L, 4L));
    assertThat(value("[1e3, .5, -2.5E-1]", none)).isEqualTo(List.of(1000.0, 0.5, -0.25));
    assertThat(value("'\\u00e9' + \"\\x41\\101\" + r'\\d'", none)).isEqualTo("éAA\\d");
    assertThat(value("\"\"\"a\"b\r\n\"\"\" // with a comment", none)).isEqualTo("a\"b\n");
    assertThat(value("b'é\\xff' + bytes('a')", none))
        .isEqualTo(Bytes.of((byte) 0xc3, (byte) 0xa9, (byte) 0xff, (byte) 'a'));
    assertThat(value("{'a-b': 1,}.`a-b`", none)).isEqualTo(1L);
    assertThat(refusal("'\\q'")).endsWith("at 1:2: '\\q' is not an escape sequence");
    assertThat(refusal("'a")).endsWith("at 1:1: the string is not terminated");
    assertThat(refusal("9223372036854775808"))
        .endsWith("at 1:1: 9223372036854775808 is out of the range of int");
    assertThat(refusal("1u")).endsWith("at 1:1: unsigned numbers are not supported");
  }

  @Test
  void a_map_has_texts_as_keys_each_once() {
    Context context = Context.of("k", "a", "n", 1);

    assertThat(value("{k: 1, k + k: 2}", context)).isEqualTo(Map.of("a", 1L, "aa", 2L));
    assertThat(refusal("{1: 2}")).endsWith("at 1:2: the key of a map must be a string, found int");
    assertThat(failure("{n: 2}", context)).endsWith("the key of a map must be a string, found int");
    assertThat(failure("{k: 1, 'a': 2}", context)).endsWith("at 1:8: duplicate key 'a'");
  }

  @Test
  void what_can_only_fail_is_refused_before_it_is_evaluated() {
    assertThat(refusal("x ? 1 : 'a'")).endsWith("'?:' is not defined for any, int and string");
    assertThat(refusal("[1, 2].map(v, v + 'a')")).endsWith("'+' is not defined for int and string");
    assertThat(refusal("'a'.k")).endsWith("'.k' requires a map, found string");
    assertThat(refusal("3.all(v, true)")).endsWith("a macro requires a list or a map, found int");
    assertThat(refusal("l.all(v, 1)")).endsWith("'&&' is not defined for bool and int");
    assertThat(refusal("ctx[1]")).endsWith("'[]' is not defined for map and int");
    assertThat(refusal("size(1)")).endsWith("'size' is not defined for int");
    assertThat(refusal("contains('a', 'b')"))
        .endsWith("the function 'contains' cannot be called this way");
    assertThat(refusal("has(x)")).endsWith("'has' requires one field of a value, as in has(a.b)");
    assertThatThrownBy(() -> Expressions.guard("x ? 1 : 2"))
        .hasMessage("expression 'x ? 1 : 2' at 1:3: a condition must be a bool");
  }

  @Test
  void an_expression_reports_its_names_and_constants() {
    ExpressionParts parts =
        Expressions.guard("a.b['c'] > 3 && l.exists(x, x.k == 'y') && has(ctx.z) || ctx == m")
            .parts();

    assertThat(parts.names())
        .containsExactly(List.of("a", "b", "c"), List.of("l"), List.of("m"), List.of("z"));
    assertThat(parts.constants()).containsExactly("c", 3L, "y");
    assertThat(parts.isLiteral()).isFalse();
    assertThat(Expressions.expression("-7").parts().isLiteral()).isTrue();
    assertThat(Expressions.expression("l.map(x, x)").parts().constants()).isEmpty();
  }

  @Test
  void a_failure_names_the_text_the_position_and_the_cause() {
    Context context = Context.of("n", 5, "s", "a");

    assertThat(failure("nothing > 1", context))
        .isEqualTo("expression 'nothing > 1' at 1:1: unknown key 'nothing'");
    assertThat(failure("1 + n / 0", context))
        .isEqualTo("expression '1 + n / 0' at 1:7: division by zero");
    assertThat(failure("n * 9223372036854775807", context))
        .isEqualTo(
            "expression 'n * 9223372036854775807' at 1:3: 5 * 9223372036854775807 exceeds 64 bits");
    assertThat(failure("n + s", context))
        .isEqualTo("expression 'n + s' at 1:3: '+' is not defined for int and string");
    assertThat(failure("[n][2]", context))
        .isEqualTo("expression '[n][2]' at 1:4: index 2 is out of range; the list has size 1");
    assertThat(failure("s.matches(s + '(')", context))
        .startsWith("expression 's.matches(s + '(')' at 1:10: the pattern 'a(' is not allowed");
  }

  @Test
  void a_condition_must_be_a_boolean() {
    assertThat(Expressions.guard("n > 1").test(Context.of("n", 2))).isTrue();
    assertThatThrownBy(() -> Expressions.guard("n").test(Context.of("n", 2)))
        .hasMessage("expression 'n' at 1:1: a condition must be a bool, found int");
    assertThatThrownBy(() -> Expressions.guard("n + 1"))
        .isInstanceOf(InvalidExpression.class)
        .hasMessage("expression 'n + 1' at 1:3: a condition must be a bool");
  }

  @Test
  void a_deciding_operand_absorbs_the_failure_of_the_other() {
    Context context = Context.of("t", true);

    assertThat(value("missing > 1 || t", context)).isEqualTo(true);
    assertThat(value("!t && missing", context)).isEqualTo(false);
    assertThat(value("missing && !t", context)).isEqualTo(false);
    assertThat(failure("t && missing", context)).endsWith("unknown key 'missing'");
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
  void a_condition_on_instances_sees_the_context_and_done_total_and_results() {
    List<Context> results = List.of(Context.of("ok", 1), Context.of("ok", 0), Context.of("ok", 1));

    assertThat(Expressions.condition("double(done) >= 0.75 * double(total)").test(3, 4, List.of()))
        .isTrue();
    assertThat(
            Expressions.condition("results.filter(r, r.ok == 1).size() >= 2").test(3, 9, results))
        .isTrue();
    Context entry = Context.of("n", 2, "done", 99);
    String all = "done > n && ctx.n == 2 && total == 9 && results.size() == 3";
    assertThat(Expressions.condition(all).test(entry, 3, 9, results)).isTrue();
    assertThat(Expressions.condition("done > n").test(entry, 2, 9, results)).isFalse();
  }

  @Test
  void a_text_that_is_no_expression_is_refused_in_one_line() {
    assertThat(refusal("a &&"))
        .isEqualTo("expression 'a &&' at 1:5: expected a value, found the end");
    assertThat(refusal("1 + 'a'"))
        .isEqualTo("expression '1 + 'a'' at 1:3: '+' is not defined for int and string");
    assertThat(refusal("frobnicate(a)"))
        .isEqualTo("expression 'frobnicate(a)' at 1:11: unknown function 'frobnicate'");
    assertThat(refusal("a.in")).endsWith("at 1:3: expected the name of a field, found 'in'");
    assertThat(refusal("a b")).endsWith("at 1:3: expected an operator or the end, found 'b'");
    assertThat(refusal("a #")).endsWith("at 1:3: '#' is not allowed here");
    assertThat(refusal("while")).endsWith("at 1:1: 'while' is a reserved word");
    assertThat(refusal(" ")).isEqualTo("an expression must not be empty");
  }

  @Test
  void an_expression_that_is_too_long_or_too_large_is_refused() {
    assertThat(refusal("a".repeat(1_025)))
        .endsWith("an expression must have at most 1024 bytes, got 1025");
    assertThat(refusal("é".repeat(2_049)))
        .endsWith("an expression must have at most 2048 characters, got 2049");
    assertThat(refusal("(".repeat(500) + "1" + ")".repeat(500)))
        .endsWith("at 1:101: an expression must nest at most 100 levels deep");
  }

  @Test
  void macros_have_a_bound_on_their_rounds() {
    Context context = Context.of("l", java.util.Collections.nCopies(400, 1L));

    assertThat(failure("l.all(a, l.all(b, l.all(c, a == b)))", context))
        .endsWith("macros take more than 100000 rounds");
  }
}
