package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Cases found by their attributes.
final class FindCasesTest {
  private static final String ORDER =
      """
      workflow: order
      input: {type: object, properties: {customer: {type: string}, price: {type: number}}}
      output: {type: object, properties: {parcel: {type: string}}}
      attributes: {customer: customer, price: price}
      do: [{task: ship}]
      """;

  @TempDir private Path folder;
  private String store = "";
  private String order = "";

  @BeforeEach
  void cases() throws IOException {
    store = folder.resolve("store").toString();
    order = Files.writeString(folder.resolve("order.yaml"), ORDER).toString();
    start("one", "{\"customer\": \"acme\", \"price\": 50}");
    start("two", "{\"customer\": \"acme\", \"price\": 150.5}");
    start("three", "{\"customer\": \"O'Neill\", \"price\": 200}");
  }

  private void start(String id, String context) {
    Shell started = damask("run", order, "--id", id, "--store", store, "--context", context);
    assertThat(started.exit()).as(started.err()).isEqualTo(Exit.WAITING);
  }

  private Shell where(String query, String... more) {
    List<String> words = new java.util.ArrayList<>(List.of("cases", store, "--where", query));
    words.addAll(List.of(more));
    return damask(words.toArray(String[]::new));
  }

  @Test
  void a_query_lists_the_cases_that_match_with_their_attributes() {
    Shell found = where("customer = 'acme' and price > 100 and waitingFor = ship");

    assertThat(found.exit()).as(found.err()).isEqualTo(Exit.OK);
    assertThat(found.out().lines())
        .singleElement()
        .asString()
        .startsWith("waiting ")
        .endsWith("  order  two  customer=acme  price=150.5");
    assertThat(where("customer = 'O''Neill'").out()).contains("  three  ");
    assertThat(where("customer = 'nobody'").err()).contains("damask: no cases found");
    assertThat(where("price >= 50", "--status", "waiting", "--workflow", "order").out().lines())
        .hasSize(3);
  }

  @Test
  void the_attributes_are_part_of_the_json() {
    Map<?, ?> page = where("price = 50", "--json").json().getFirst();

    assertThat(page.get("cases")).asString().contains("acme").contains("waitingFor=[ship]");
    assertThat(damask("show", "one", "--store", store).out())
        .contains("  attribute customer: \"acme\"\n  attribute price: 50\n");
  }

  @Test
  void a_page_ends_with_the_cursor_of_the_next_one() {
    Shell first = where("price > 0", "--limit", "2");
    assertThat(first.out().lines()).hasSize(2);
    String cursor = first.err().replaceAll("(?s).*--after '([^']*)'.*", "$1");

    assertThat(where("price > 0", "--limit", "2", "--after", cursor).out().lines()).hasSize(1);
  }

  @Test
  void an_error_names_the_column_and_what_is_there() {
    Shell wrong = where("customer = acme");

    assertThat(wrong.exit()).isEqualTo(Exit.INVALID);
    assertThat(wrong.err())
        .startsWith("damask: --where: column 12: expected a value, found 'acme'")
        .doesNotContain("\tat ");
    assertThat(where("status = waiting", "--status", "waiting").err())
        .contains("--status and --where both name a status");
  }

  @Test
  void a_result_that_does_not_fit_output_fails_the_case_with_the_path_and_both_types() {
    damask("complete", "one", "ship", "--data", "{\"parcel\": 7}", "--store", store);

    Shell shown = damask("show", "one", "--store", store);
    assertThat(shown.out())
        .contains("one: failed")
        .contains("output")
        .contains("/parcel: integer found, string expected");
    assertThat(where("customer = 'acme' and status = failed").out()).contains("  one  ");
  }

  @Test
  void a_start_that_does_not_fit_input_is_refused() {
    Shell refused =
        damask("run", order, "--id", "four", "--store", store, "--context", "{\"price\": \"x\"}");

    assertThat(refused.exit()).isEqualTo(Exit.INVALID);
    assertThat(refused.err()).contains("/price: string found, number expected");
  }
}
