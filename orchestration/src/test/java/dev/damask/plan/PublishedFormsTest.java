package dev.damask.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.check.Diagnostic;
import dev.damask.registry.Bundle;
import dev.damask.registry.Orchestration;
import dev.damask.source.Rejected;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Bundles, plans and scenarios in the form in which they are published.
final class PublishedFormsTest {
  private static final Path FILES = Path.of("src/test/resources/published");

  @TempDir Path folder;

  private static String text(String name) throws IOException {
    return Files.readString(FILES.resolve(name));
  }

  @Test
  void a_file_of_several_bundles_names_its_rules_by_address_or_alias() throws Exception {
    Bundle bundle = Bundle.read(text("shop-bundles.json"));

    assertThat(bundle.diagnostics()).isEmpty();
    assertThat(bundle.orchestrations().keySet()).containsExactly("courier_v1", "shop_v1");
    Orchestration shop = Objects.requireNonNull(bundle.orchestrations().get("shop_v1"));
    String key = Objects.requireNonNull(shop.aliases().get("AskCourier"));
    assertThat(key).startsWith("0x01aBcD");
    assertThat(shop.rules()).containsKey(key);
    assertThat(shop.resolved())
        .contains(key)
        .doesNotContain(key.toLowerCase(java.util.Locale.ROOT));
    assertThat(shop.rules().get(key)).doesNotContain("meta", "\"id\"", "about");
    assertThat(shop.check(null, null)).noneMatch(Diagnostic::isError);
  }

  @Test
  void an_unknown_key_is_found_at_its_line_in_the_bundle() throws Exception {
    String broken = text("shop-bundles.json").replace("\"waitSec\": 60", "\"waitSecs\": 60");

    assertThatThrownBy(() -> Bundle.read(broken))
        .isInstanceOfSatisfying(
            Rejected.class,
            rejected -> {
              Diagnostic first = rejected.diagnostics().getFirst();
              assertThat(first.code()).isEqualTo("UNKNOWN_KEY");
              assertThat(broken.lines().toList().get(first.line() - 1)).contains("waitSecs");
            });
    assertThatThrownBy(
            () -> Bundle.read(text("shop-bundles.json").replace("\"createdAt\"", "\"madeAt\"")))
        .hasMessageContaining("UNKNOWN_KEY");
    assertThatThrownBy(() ->
            Bundle.read(text("shop-bundles.json").replace("xrc137:TakeParcel", "xrc137:Nobody")))
        .hasMessageContaining("ALIAS_UNRESOLVED");
  }

  @Test
  void two_rules_cannot_have_one_address_in_any_case() throws Exception {
    String text = text("shop-bundles.json");
    String first = address(text, "0x02");
    String twice = text.replace(first, address(text, "0x01").toLowerCase(java.util.Locale.ROOT));

    assertThatThrownBy(() -> Bundle.read(twice))
        .hasMessageContaining("BUNDLE_ITEMS_INVALID")
        .hasMessageContaining("two rules have the same address 0x01");
  }

  private static String address(String text, String beginning) {
    int at = text.indexOf(beginning);
    return text.substring(at, at + 42);
  }

  @Test
  void a_check_places_its_notices_in_the_file_of_the_bundle() throws Exception {
    String broken = text("shop-bundles.json").replace("[taken] == true", "[token] == true");
    Orchestration shop =
        Objects.requireNonNull(Bundle.read(broken).orchestrations().get("shop_v1"));

    List<Diagnostic> errors = shop.check("Ask", null).stream().filter(Diagnostic::isError).toList();

    assertThat(errors).extracting(Diagnostic::code).containsExactly("PLACEHOLDER_UNKNOWN");
    int line = errors.getFirst().line();
    assertThat(broken.lines().toList().get(line - 1)).contains("[token]");
  }

  @Test
  void two_sessions_of_two_graphs_wake_each_other() throws Exception {
    List<TestPlan> plans = TestPlan.readAll(FILES.resolve("shop-scenario.json"), null);

    assertThat(plans).hasSize(1);
    PlanResult result = plans.getFirst().run();
    assertThat(result.failures()).isEmpty();
    assertThat(result.story()).hasSize(5);
  }

  @Test
  void a_scenario_notices_a_wake_up_that_was_denied() throws Exception {
    Path other = folder.resolve("scenario.json");
    Files.writeString(
        other, text("shop-scenario.json").replace("shop:AskCourier", "shop:CloseOrder"));

    PlanResult result = TestPlan.readAll(other, null).getFirst().run();

    assertThat(result.failures().toString()).contains("expected Await valid, found Await invalid");
  }

  @Test
  void a_plan_runs_with_stubs_from_a_file() throws Exception {
    Path plans = FILES.resolve("meter-plans.json");
    TestPlan plan = TestPlan.readAll(plans, FILES.resolve("meter-stubs.yaml")).getFirst();

    assertThat(plan.run().failures()).isEmpty();
    assertThat(TestPlan.readAll(plans, null).getFirst().run().failures()).isNotEmpty();
  }

  @Test
  void a_plan_of_ours_starts_sessions_of_several_graphs_and_expects_denials() throws Exception {
    Files.writeString(folder.resolve("bundle.json"), text("shop-bundles.json"));
    Path file =
        Files.writeString(
            folder.resolve("plan.yaml"),
            """
            scenario: two-graphs
            graph: bundle.json
            steps:
              - startSession: {session: tour, graph: courier_v1, owner: rider, stepId: Arm}
              - wake: {session: tour, stepId: Pickup, caller: mallory, denied: true}
              - startSession:
                  session: order
                  stepId: Ask
                  payload: {parcel: P, weight: 1500, courier: $session.owner:tour,
                            courierSession: $session.id:tour}
              - assertSession: {session: tour, finalStatuses: [waiting], denials: [Pickup]}
              - advance: PT1M
              - assertSession: {session: order, finalStatuses: [done], finalStep: Close}
              - assertSession: {session: tour, finalStatuses: [completed]}
            """);

    assertThat(TestPlan.read(file).run().failures()).isEmpty();
    Files.writeString(file, Files.readString(file).replace("denials: [Pickup]", "denials: [Arm]"));
    assertThat(TestPlan.read(file).run().failures()).hasSize(1);
  }

  @Test
  void rules_of_one_name_in_two_graphs_stay_apart() throws Exception {
    for (String name : List.of("one", "two")) {
      Path rules = Files.createDirectories(folder.resolve(name).resolve("rules"));
      Files.writeString(
          rules.resolve("r.json"),
          "{\"payload\": {}, \"onValid\": {\"payload\": {\"by\": \"" + name + "\"}}}");
      Files.writeString(
          folder.resolve(name).resolve("graph.json"),
          "{\"id\": \"same\", \"structure\": {\"A\": {\"rule\": \"r\"}}}");
    }
    Path file =
        Files.writeString(
            folder.resolve("plan.yaml"),
            """
            scenario: same-names
            graphs: {one: one/graph.json, two: two/graph.json}
            steps:
              - startSession: {session: a, graph: one, stepId: A}
              - startSession: {session: b, graph: two, stepId: A}
              - assertSession: {session: a, result: [{key: by, value: one}]}
              - assertSession: {session: b, result: [{key: by, value: two}]}
            """);

    assertThat(TestPlan.read(file).run().failures()).isEmpty();
  }
}
