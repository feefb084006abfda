package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cli.command.Exit;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.effect.EffectHandler;
import dev.damask.store.Store;
import dev.damask.store.rocksdb.RocksStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
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

  @Test
  void a_diagram_names_the_input_the_output_and_the_attributes() {
    assertThat(damask("draw", order).out())
        .contains("input: customer, price")
        .contains("output: parcel")
        .contains("attributes: customer, price");
  }

  @Test
  void a_name_in_attributes_that_nothing_writes_is_an_error_with_its_line() throws IOException {
    String wrong =
        Files.writeString(
                folder.resolve("wrong.yaml"),
                """
                workflow: order
                input: {type: object, properties: {customer: {type: string}}}
                attributes:
                  customer: custmer
                  parcel: parcel
                do: [{task: ship, result: parcel}]
                """)
            .toString();

    Shell checked = damask("check", wrong);

    assertThat(checked.exit()).isEqualTo(Exit.INVALID);
    assertThat(checked.err())
        .contains(
            "wrong.yaml:4:13: attributes.customer: 'custmer' reads 'custmer', which neither the"
                + " input nor a step writes; did you mean 'customer'?")
        .doesNotContain("attributes.parcel");
  }

  @Test
  void a_name_in_attributes_is_a_warning_where_a_result_of_unknown_keys_may_write_it()
      throws IOException {
    String open =
        Files.writeString(
                folder.resolve("open.yaml"),
                """
                workflow: order
                input: {type: object, properties: {customer: {type: string}}}
                attributes: {weight: wieght}
                do: [{task: ship}]
                """)
            .toString();

    Shell checked = damask("check", open);

    assertThat(checked.exit()).as(checked.err()).isEqualTo(Exit.OK);
    assertThat(checked.err()).contains("attributes.weight: 'wieght' reads 'wieght'");
  }

  @Test
  void a_traceparent_is_stored_and_a_wrong_one_is_refused() throws InterruptedException {
    String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    Shell started = damask("run", order, "--id", "four", "--store", store, "--traceparent", trace);
    Shell wrong = damask("run", order, "--id", "five", "--store", store, "--traceparent", "x");

    assertThat(started.exit()).as(started.err()).isEqualTo(Exit.WAITING);
    assertThat(traceparent("four")).isEqualTo(trace);
    assertThat(wrong.exit()).isEqualTo(Exit.INVALID);
    assertThat(wrong.err()).contains("--traceparent: traceparent must have the form");
  }

  @Test
  void a_signal_replaces_the_traceparent() throws Exception {
    String waiting =
        Files.writeString(
                folder.resolve("wait.yaml"),
                "{workflow: w, places: {go: {external: true}}, do: [{take: go}, {task: t}]}")
            .toString();
    String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203332-01";
    damask("run", waiting, "--id", "w", "--store", store);

    Shell sent = damask("signal", "w", "go", "--store", store, "--traceparent", trace);

    assertThat(sent.exit()).as(sent.err()).isEqualTo(Exit.OK);
    assertThat(traceparent("w")).isEqualTo(trace);
    assertThat(damask("signal", "w", "go", "--store", store, "--traceparent", "x").exit())
        .isEqualTo(Exit.INVALID);
  }

  /// The tracing context that the effects of a case have.
  private String traceparent(String caseId) throws InterruptedException {
    BlockingQueue<String> found = new ArrayBlockingQueue<>(1);
    EffectHandler handler =
        call -> {
          if (call.caseId().equals(caseId)) {
            found.put(call.traceparent().orElse("none"));
          }
          return Map.of();
        };
    Store opened = RocksStore.open(Path.of(store));
    EngineOptions options =
        EngineOptions.defaults()
            .withShards(1)
            .withSources(new KeptDocuments(opened, null))
            .withHandlers(Map.of("ship", handler, "t", handler));
    try (Engine _ = Engine.open(options, opened)) {
      return found.take();
    }
  }
}
