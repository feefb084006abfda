package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.check.Diagnostic;
import dev.damask.registry.Orchestration;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Numbers of declared types in expressions: they compare and calculate within their range.
final class NumbersTest {
  private static final String GRAPH = "\"A\": {\"rule\": \"r\"}";

  private static String rule(String type, String expression) {
    return """
    {"payload": {"a": {"type": "%s"}, "b": {"type": "%s"}, "n": {"type": "int64", "default": 3},
                 "x": {"type": "double", "default": 0.5}},
     "rules": ["%s"]}
    """
        .formatted(type, type, expression);
  }

  private static String outcome(String rule, Object a, Object b) throws InterruptedException {
    try (Desk desk = new Desk().rule("r", rule).graph(GRAPH)) {
      SessionKey key = desk.start("A", Map.of("a", a, "b", b));
      CaseResult<Context> end = desk.end(key);
      return end instanceof CaseResult.Failed<Context> failed
          ? failed.error().detail()
          : desk.story(key).getFirst();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "uint256, [a] >= [b], 9, 1000, A:invalid",
    "uint256, [a] < [b], 9, 1000, A:valid",
    "uint256, [a] < 1000, 9, 0, A:valid",
    "uint256, 1000 > [a], 9, 0, A:valid",
    "uint256, [a] > -1, 9, 0, A:valid",
    "uint256, [a] == 9, 9, 0, A:valid",
    "uint256, [a] != 9, 9, 0, A:invalid",
    "uint256, [a] * [b] == 9000, 9, 1000, A:valid",
    "uint256, [a] + 1 == 10, 9, 0, A:valid",
    "uint256, [b] / [a] == 111 && [b] % [a] == 1, 9, 1000, A:valid",
    "uint256, [a] in [8; 9], 9, 0, A:valid",
    "uint256, u256('9') == [a], 9, 0, A:valid",
    "uint256, int([a]) == [n] * 3, 9, 0, A:valid",
    "uint256, double([a]) > [x], 9, 0, A:valid",
    "uint256, string([a]) == '9', 9, 0, A:valid",
    "uint256, abs([a]) == 9.0, 9, 0, A:valid",
    "int256, [a] < [b], -1000, -9, A:valid",
    "int256, -[a] == 1000, -1000, 0, A:valid",
    "uint64, [a] > [b], 18446744073709551615, 9223372036854775807, A:valid",
    "uint64, [a] - [b] == 1, 9223372036854775808, 9223372036854775807, A:valid",
    "decimal, [a] > [b], 10.5, 9.75, A:valid",
    "decimal, [a] + [b] == 0.3, 0.1, 0.2, A:valid",
    "timestamp_ms, [a] + [b] > 1700000000000, 1700000000000, 1, A:valid",
    "uint256, 9 in [[a]; [b]], 9, 1000, A:valid",
    "uint256, [a] in [[b]; 9], 9, 1000, A:valid",
    "uint256, [[a]] == [9] && [9] == [[a]], 9, 1000, A:valid",
    "uint256, [a] == null, 9, 1000, A:invalid",
    "decimal, [a] in [0.5; 9.5], 9.5, 0, A:valid",
    "uint256, max([[a]; [b]]) == 1000.0 && min([[a]; [b]]) == 9.0, 9, 1000, A:valid",
    "decimal, sum([[a]; [b]]) == 2.0 && avg([[a]; [b]]) == 1.0, 0.5, 1.5, A:valid",
    "uint64, 'quorum([[a]; [b]], ~abs~, 5, 2)', 9, 12, A:valid",
    "int256, 'consensus([[a]; [b]], ~abs~, ~mean~, 5, 2) == 10.5', 9, 12, A:valid",
    "uint256, 'consensus([[a]; [b]], ~abs~, ~medoid~, 5, 2) == [a]', 9, 12, A:valid",
    "uint256, 'join(unique([[a]; [a]; [b]]), ~-~) == ~9-1000~', 9, 1000, A:valid",
    "uint256, 'dist(~eq~, [a], [b]) == 1.0', 1152921504606846976, 1152921504606846977, A:valid",
    "uint256, 'consensus([[a]; [b]], ~eq~, ~mode~, 0, 2) == 0.0', 1152921504606846976,"
        + " 1152921504606846977, A:valid",
  })
  void they_compare_and_calculate_as_numbers(
      String type, String expression, String a, String b, String outcome) throws Exception {
    String text = expression.replace(';', ',').replace('~', '\'');

    assertThat(outcome(rule(type, text), a, b)).isEqualTo(outcome);
  }

  @ParameterizedTest
  @CsvSource({
    "uint256, [a] - [b] > 0, 9, 1000, 9 - 1000 is out of the range of uint256",
    "uint256, [a] * [a] > 0, 340282366920938463463374607431768211456, 0, out of the range",
    "uint64, [a] + 1 > 0, 18446744073709551615, 0, out of the range of uint64",
    "int256, [a] / [b] > 0, 9, 0, division by zero",
    "uint256, [a] > [n], 9, 0, is not defined for uint256 and int",
    "uint256, [a] == [n], 9, 0, is not defined for uint256 and int",
    "uint256, [a] + [x] > 0, 9, 0, is not defined for uint256 and double",
    "uint64, [a] + [n] > 0, 9, 0, is not defined for uint64 and int",
    "uint256, [a] > '8', 9, 0, is not defined for uint256 and string",
    "uint256, [a] == '9', 9, 0, is not defined for uint256 and string",
    "uint64, [a] != '9', 9, 0, is not defined for uint64 and string",
    "int256, [a] == true, 9, 0, is not defined for int256 and bool",
    "uint256, [a] in ['9'], 9, 0, is not defined for uint256 and string",
    "uint256, [a] in [[x]], 9, 0, is not defined for uint256 and double",
  })
  void overflow_and_mixed_types_are_errors(
      String type, String expression, String a, String b, String message) throws Exception {
    assertThat(outcome(rule(type, expression), a, b)).contains(message);
  }

  @ParameterizedTest
  @CsvSource({
    "uint256, [a] > [n], true",
    "uint256, [a] > '8', true",
    "int64, [a] * [x] > 10.0, true",
    "int64, double([a]) * [x] > 10.0, false",
    "uint64, [a] + 1 > [b], false",
    "double, [a] * 2 > 1.0, true",
    "double, [a] > 0, false",
    "decimal, [a] > 0.5, false",
    "uint256, [a] > 0.5, true",
    "uint256, [a] == '9', true",
    "int64, [a] != '9', true",
    "int64, [a] == [x], false",
    "string, [a] == 9, true",
    "bool, [a] == true, false",
    "uint256, [a] in ['9'], true",
    "uint256, [a] in [8], false",
    "uint256, 8 in [[a]], false",
    "uint256, [n] in [[a]], true",
  })
  void a_check_finds_types_that_do_not_fit(String type, String expression, boolean wrong) {
    String graph = "{\"id\": \"g\", \"structure\": {" + GRAPH + "}}";
    Orchestration all = new Orchestration(graph, Map.of("r", rule(type, expression)));

    List<Diagnostic> found =
        all.check("A", Set.of("a", "b")).stream()
            .filter(diagnostic -> diagnostic.code().equals("EXPRESSION_TYPE_MISMATCH"))
            .toList();

    assertThat(!found.isEmpty()).isEqualTo(wrong);
    assertThat(found).allMatch(Diagnostic::isError);
    assertThat(all.obstacles("A", Set.of("a", "b"))).isEmpty();
  }

  @Test
  void results_have_the_form_of_their_type() throws Exception {
    String rule =
        """
        {"payload": {"a": {"type": "uint256"}, "t": {"type": "uint64"}},
         "onValid": {"payload": {"same": "[a]", "more": "[a]+1", "later": "[t] + 1",
                                 "big": "u256('5') * 2", "list": "([[a], [t]])"}}}
        """;
    try (Desk desk = new Desk().rule("r", rule).graph(GRAPH)) {
      SessionKey key = desk.start("A", Map.of("a", 9, "t", 7));
      desk.end(key);

      assertThat(desk.result(key))
          .containsEntry("same", "9")
          .containsEntry("more", "10")
          .containsEntry("later", 8L)
          .containsEntry("big", "10")
          .containsEntry("list", List.of("9", 7L));
    }
  }
}
