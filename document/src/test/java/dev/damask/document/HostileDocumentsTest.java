package dev.damask.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.check.Diagnostic;
import dev.damask.check.TermCheck;
import dev.damask.expression.Expressions;
import dev.damask.expression.InvalidExpression;
import dev.damask.task.ExpressionFailure;
import dev.damask.value.Context;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Documents and expressions that somebody wrote to do harm (S13, S14, S16, S20, S24 to S27): each
/// is refused, or means no more than it says, at a small price.
@Timeout(60)
final class HostileDocumentsTest {
  /// More than any of them may cost; processor time, because other work may share the machine.
  private static final Duration PRICE_MAX = Duration.ofSeconds(5);

  /// What this process has cost so far.
  private static Duration price() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private static String problem(String name, byte[] bytes) {
    Duration begin = price();
    String problem;
    try {
      WorkflowDocument read = new DocumentReader().read(name, bytes);
      List<Diagnostic> errors =
          TermCheck.check(read.workflow()).stream().filter(Diagnostic::isError).toList();
      problem = errors.isEmpty() ? "none" : errors.toString();
    } catch (DocumentProblem e) {
      problem = String.valueOf(e.getMessage());
    }
    assertThat(price().minus(begin)).isLessThan(PRICE_MAX);
    return problem;
  }

  private static String problem(String name, String text) {
    return problem(name, text.getBytes(StandardCharsets.UTF_8));
  }

  private static @Nullable Object value(String expression) {
    return Expressions.expression(expression)
        .value(Context.of("n", 7, "text", "abc").with("list", List.of(1, 2, 3)));
  }

  @Test
  void a_million_times_the_same_key_is_told_at_the_second() {
    String keys = "\"a\": 1,".repeat(1_000_000);

    assertThat(problem("w.json", "{" + keys + "\"b\": 2}")).contains("'a'", "1:9");
  }

  @Test
  void keys_of_one_hash_cost_no_more_than_others() {
    // "Aa" and "BB" have one hash, and so has every text made of as many of them.
    StringBuilder context = new StringBuilder();
    int keys = 1 << 14;
    for (int i = 0; i < keys; i++) {
      StringBuilder key = new StringBuilder();
      for (int bit = 0; bit < 14; bit++) {
        key.append((i >> bit & 1) == 0 ? "Aa" : "BB");
      }
      assertThat(key.toString().hashCode()).isEqualTo("Aa".repeat(14).hashCode());
      context.append(i == 0 ? "" : ",").append('"').append(key).append("\":1");
    }
    String json = "{\"workflow\": \"w\", \"context\": {" + context + "}, \"do\": {\"skip\": true}}";

    assertThat(problem("w.json", json)).isEqualTo("none");
  }

  @Test
  void texts_that_are_no_texts_are_refused() {
    byte[] overlong =
        "{\"workflow\": \"w??\", \"do\": {\"skip\": true}}".getBytes(StandardCharsets.UTF_8);
    overlong[15] = (byte) 0xC0;
    overlong[16] = (byte) 0xAF;
    String lone = "{\"workflow\": \"w\\ud800\", \"do\": {\"skip\": true}}";
    String plain = "{\"workflow\": \"w\", \"do\": {\"skip\": true}}";
    String nothing = "{\"workflow\": \"w\\u0000\", \"do\": {\"skip\": true}}";

    assertThat(problem("w.json", plain)).isEqualTo("none");
    assertThat(problem("w.json", overlong)).contains("is not valid UTF-8");
    assertThat(problem("w.json", plain.getBytes(StandardCharsets.UTF_16))).isNotEqualTo("none");
    assertThat(problem("w.json", lone)).isNotEqualTo("none");
    assertThat(problem("w.json", nothing)).isNotEqualTo("none");
    assertThat(problem("w.yaml", "workflow: \"w\\0\"\ndo: {skip: true}\n")).isNotEqualTo("none");
  }

  @Test
  void a_text_that_ends_within_an_escape_is_refused() {
    for (String begun : List.of("\\u", "\\u00", "\\x", "\\U0001")) {
      assertThat(problem("w.yaml", "workflow: \"w" + begun)).contains("not valid YAML");
      assertThat(problem("w.json", "{\"workflow\": \"w" + begun)).isNotEqualTo("none");
    }
  }

  @Test
  void a_mark_at_the_beginning_is_refused() {
    String plain = "{\"workflow\": \"w\", \"do\": {\"skip\": true}}";

    assertThat(problem("w.json", "\ufeff" + plain))
        .startsWith("w.json:1:1: the file begins with a byte order mark");
  }

  @Test
  void a_term_that_is_too_large_is_refused_before_it_is_built() {
    String many = "{\"skip\": true},".repeat(400_000);
    String par = "{\"workflow\": \"w\", \"do\": {\"par\": [" + many + "{\"skip\": true}]}}";
    String set =
        "{\"workflow\": \"w\", \"do\": {\"each\": \"m\", \"max\": 2147483648, \"do\": {\"skip\":"
            + " true}}}";

    assertThat(problem("w.json", par)).contains("at most");
    assertThat(problem("w.json", set)).isNotEqualTo("none");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#{T(java.lang.Runtime).getRuntime().exec('id')}",
        "{{constructor.constructor('x')()}}",
        "%{(#a=@java.lang.Runtime@getRuntime())}",
        "${jndi:ldap://x/y}",
        "__proto__",
        "$(id)",
        "`id`"
      })
  void words_of_other_languages_are_plain_texts(String text) {
    String json =
        "{\"workflow\": \"w\", \"context\": {\"x\": \""
            + text
            + "\"}, \"do\": {\"task\": \"t\", \"description\": \""
            + text
            + "\"}}";

    WorkflowDocument read =
        new DocumentReader().read("w.json", json.getBytes(StandardCharsets.UTF_8));

    assertThat(read.workflow().context().get("x")).isEqualTo(text);
    assertThat(DocumentWriter.canonical(read)).contains(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text.getClass()",
        "text.class",
        "''.getClass().forName('java.lang.Runtime')",
        "java.lang.System.exit(1)",
        "new java.io.File('x')",
        "T(java.lang.Runtime)",
        "ctx.constructor()",
        "Runtime.getRuntime()"
      })
  void an_expression_reaches_nothing_but_its_context(String expression) {
    assertThatThrownBy(() -> value(expression))
        .isInstanceOfAny(InvalidExpression.class, ExpressionFailure.class);
  }

  @Test
  void a_pattern_that_is_cruel_elsewhere_is_matched_in_a_straight_line() {
    String long_ = "a".repeat(5_000);
    Duration begin = price();

    Object matches =
        Expressions.expression("text.matches('^(a+)+$')").value(Context.of("text", long_ + "!"));

    assertThat(matches).isEqualTo(false);
    assertThat(price().minus(begin)).isLessThan(PRICE_MAX);
    assertThatThrownBy(() -> value("text.matches('(a)\\\\1')"))
        .isInstanceOfAny(InvalidExpression.class, ExpressionFailure.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x + x", "[x, x]", "{'l': x, 'r': x}"})
  void what_doubles_itself_meets_a_bound(String doubled) {
    String nested = "text";
    for (int i = 0; i < 30; i++) {
      nested = "[" + nested + "].map(x, " + doubled + ")[0]";
    }
    String doubling = nested;

    assertThatThrownBy(() -> value(doubling))
        .isInstanceOf(ExpressionFailure.class)
        .hasMessageContaining("must have at most 1048576 ");
  }

  @Test
  void numbers_at_the_edge_fail_or_have_one_value() {
    for (String failing :
        List.of(
            "n / 0",
            "n % 0",
            "9223372036854775807 + 1",
            "-9223372036854775808 - 1",
            "9223372036854775807 * 2",
            "-(-9223372036854775807 - 1)")) {
      assertThatThrownBy(() -> value(failing)).as(failing).isInstanceOf(ExpressionFailure.class);
    }
    assertThat(value("0.0 / 0.0 == 0.0 / 0.0")).isEqualTo(value("0.0 / 0.0 == 0.0 / 0.0"));
    assertThat(value("0.0 / 0.0 < 1.0")).isEqualTo(false);
    assertThat(value("0.0 / 0.0 > 1.0")).isEqualTo(false);
  }
}
