package dev.damask.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.attribute.Match;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Queries written as text.
final class QueryTextTest {
  @Test
  void a_text_is_the_query_that_java_writes() {
    assertThat(
            CaseQuery.parse(
                "customer = 'acme' and price > 100 AND waitingFor = ship and status = waiting"))
        .isEqualTo(
            CaseQuery.where("customer", "acme")
                .and("price", Match.above(100))
                .waitingFor("ship")
                .withStatus(CaseStatus.WAITING));
    assertThat(CaseQuery.parse("workflow='order' and a>=-1.50 and b<=2e3 and c<0 and d=true"))
        .isEqualTo(
            CaseQuery.where("a", Match.atLeast(-1.5))
                .and("b", Match.atMost(2_000))
                .and("c", Match.below(0))
                .and("d", true)
                .withWorkflow("order"));
    assertThat(CaseQuery.parse("name = 'O''Neill' and city starts with 'Ber'"))
        .isEqualTo(CaseQuery.where("name", "O'Neill").and("city", Match.startsWith("Ber")));
  }

  @Test
  void times_are_written_without_quotes() {
    Instant time = Instant.parse("2026-11-15T10:00:00Z");
    assertThat(CaseQuery.parse("due > 2026-11-15T10:00:00Z"))
        .isEqualTo(CaseQuery.where("due", Match.above(time)));
    assertThat(CaseQuery.parse("due = 2026-11-15T11:00:00.000+01:00"))
        .isEqualTo(CaseQuery.where("due", time));
    long millis = time.toEpochMilli();
    assertThat(
            CaseQuery.parse("started >= 2026-11-15T10:00:00Z and started < 2026-11-16T10:00:00Z"))
        .isEqualTo(CaseQuery.ALL.withStarted(millis, millis + 86_400_000));
    assertThat(CaseQuery.parse("started > '2026-11-15T10:00:00Z'"))
        .isEqualTo(CaseQuery.ALL.withStarted(millis + 1, Long.MAX_VALUE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``| 1 | expected an attribute, 'status', 'workflow', 'started' or 'waitingFor', found the"
            + " end",
        "customer | 9 | expected =, <, <=, >, >= or 'starts with', found the end",
        "customer = | 11 | expected a value, found the end",
        "customer = acme | 12 | expected a value, found 'acme'; write 'acme' in single quotes",
        "customer = \"acme\" | 12 | found '\"'; write a string in single quotes",
        "customer = 'acme | 12 | this string has no closing quote",
        "customer = 'a' price = 1 | 16 | expected 'and', found 'price'",
        "customer = 'a' and | 19 | found the end",
        "customer = 'a' or price = 1 | 16 | expected 'and', found 'or'",
        "status = wating | 10 | no status 'wating'; a status is one of running, waiting",
        "status > waiting | 8 | expected '=' after 'status', found '>'",
        "status = waiting and status = failed | 31 | a case has one status",
        "workflow = a and workflow = b | 29 | a case has one workflow; 'a' was given before",
        "price > 1.2.3 | 9 | expected a number or a time such as 2026-11-15T10:00:00Z, found"
            + " '1.2.3'",
        "price starts with 3 | 19 | 'starts with' needs a string in quotes",
        "price starts 3 | 14 | expected 'with' after 'starts', found '3'",
        "started > yesterday | 11 | expected a time such as 2026-11-15T10:00:00Z, found"
            + " 'yesterday'",
        "started > '15.11.' | 11 | expected a time such as 2026-11-15T10:00:00Z, found the text"
            + " '15.11.'",
        "price > > 3 | 9 | expected a value, found '>'",
        "price ! 3 | 7 | expected a word, a value or an operator, found '!'"
      })
  void an_error_names_the_column_and_what_is_there(String text, int column, String sentence) {
    assertThatThrownBy(() -> CaseQuery.parse(text))
        .isInstanceOfSatisfying(
            QueryText.InvalidQuery.class,
            e -> {
              assertThat(e).hasMessageContaining(sentence);
              assertThat(e.column()).isEqualTo(column);
            });
  }

  @Test
  void a_value_over_a_limit_is_refused_at_its_column() {
    assertThatThrownBy(() -> CaseQuery.parse("a = '" + "x".repeat(600) + "'"))
        .hasMessage("column 5: a string has at most 512 bytes, got 600");
    assertThatThrownBy(() -> CaseQuery.parse("a = 1" + " and a = 1".repeat(16)))
        .hasMessageContaining("at most 16 conditions, got 17");
    assertThatThrownBy(() -> CaseQuery.parse(" ".repeat(10_001)))
        .hasMessageContaining("at most 10000 characters");
  }

  /// Whatever is typed, the answer is a query or a sentence with a column.
  @Test
  void no_text_breaks_the_reader() {
    String[] parts = {
      "a",
      "status",
      "=",
      "<=",
      "'x'",
      "'",
      "and",
      " ",
      "1",
      "-",
      "2026-11-15T10:00:00Z",
      "é",
      "\0",
      "starts with",
      "waitingFor",
      "started",
      "😀"
    };
    Random random = new Random(3);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int left = random.nextInt(8); left > 0; left--) {
        text.append(parts[random.nextInt(parts.length)]).append(random.nextBoolean() ? " " : "");
      }
      try {
        assertThat(CaseQuery.parse(text.toString())).isNotNull();
      } catch (QueryText.InvalidQuery e) {
        assertThat(e.column()).isBetween(1, text.length() + 1);
      }
    }
  }
}
