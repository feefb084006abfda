package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Bundles and published plans on the command line, and what commands say about rules.
final class BundleCommandsTest {
  private static final Path FILES =
      Path.of("..", "orchestration", "src", "test", "resources", "published");
  private static final String BUNDLES = FILES.resolve("shop-bundles.json").toString();

  @TempDir Path folder;

  @Test
  void a_bundle_is_checked_drawn_tested_and_run() {
    Shell checked = damask("check", BUNDLES);
    Shell drawn = damask("draw", BUNDLES, "--bundle", "shop_v1");
    Shell which = damask("draw", BUNDLES);
    Shell tested = damask("test", BUNDLES);
    Shell run = damask("run", BUNDLES, "--entry", "Arm", "--owner", "rider", "--context", "{}");

    assertThat(checked.exit()).as(checked.out() + checked.err()).isZero();
    assertThat(checked.out().lines()).hasSize(2);
    assertThat(drawn.exit()).as(drawn.err()).isZero();
    assertThat(drawn.out()).contains("<svg", "Await");
    assertThat(which.exit()).isEqualTo(Exit.INVALID);
    assertThat(which.err())
        .contains("several bundles [courier_v1, shop_v1]; select one with --bundle");
    assertThat(tested.exit()).as(tested.out() + tested.err()).isZero();
    assertThat(run.exit()).as(run.err()).isEqualTo(Exit.WAITING);
    assertThat(run.out()).contains("1:2 Pickup waiting");
  }

  @Test
  void a_diagram_shows_waits_and_wake_ups_and_each_name_once() {
    String svg = damask("draw", BUNDLES, "--bundle", "shop_v1").out();

    assertThat(svg)
        .contains("waits 1 min", "woken by its owner, or __wakeUp")
        .contains("valid: wakes Pickup of [courier]")
        .doesNotContain("tries", "version");
    assertThat(svg.split(">Await<", -1)).hasSize(2);
    assertThat(svg).contains(">shop_order<", "hash ");
  }

  @Test
  void published_plans_and_scenarios_are_tests() {
    Shell scenario = damask("test", FILES.resolve("shop-scenario.json").toString());
    Shell plans =
        damask(
            "test",
            FILES.resolve("meter-plans.json").toString(),
            "--stubs",
            FILES.resolve("meter-stubs.yaml").toString());
    Shell alone = damask("test", FILES.resolve("meter-plans.json").toString());

    assertThat(scenario.exit()).as(scenario.out() + scenario.err()).isZero();
    assertThat(plans.exit()).as(plans.out() + plans.err()).isZero();
    assertThat(plans.out()).contains("pass  tp_meter");
    assertThat(alone.exit()).isEqualTo(Exit.DIFFERENT);
  }

  private Path rule(String text) throws Exception {
    Path rules = Files.createDirectories(folder.resolve("rules"));
    Files.writeString(rules.resolve("r.json"), text);
    Files.writeString(
        folder.resolve("graph.json"), "{\"id\": \"g\", \"structure\": {\"A\": {\"rule\": \"r\"}}}");
    return rules;
  }

  private Shell run(Path rules, String owner) {
    return damask(
        "run",
        folder.resolve("graph.json").toString(),
        "--rules",
        rules.toString(),
        "--entry",
        "A",
        "--store",
        folder.resolve("store").toString(),
        "--owner",
        owner);
  }

  @Test
  void an_error_in_a_rule_names_its_file_and_line() throws Exception {
    Path rules = rule("{\"payload\": {},\n \"rules\": [\n  \"[nothing] > 0\"]}");

    Shell unknown =
        damask("check", folder.resolve("graph.json").toString(), "--rules", rules.toString());
    rule("{\"payload\": {},\n \"onValid\": {\"wait\": 3}}");
    Shell key = run(rules, "eve");

    assertThat(unknown.exit()).isEqualTo(Exit.INVALID);
    assertThat(unknown.out() + unknown.err())
        .contains(rules.resolve("r.json") + ":3:3: PLACEHOLDER_UNKNOWN");
    assertThat(key.exit()).isEqualTo(Exit.INVALID);
    assertThat(key.err()).contains(rules.resolve("r.json") + ":2:").contains("UNKNOWN_KEY");
  }

  @Test
  void a_run_says_why_a_step_was_invalid() throws Exception {
    Path rules = rule("{\"payload\": {}, \"rules\": [\"1 == 1\", \"1 > 2\"]}");

    Shell run = run(rules, "eve");

    assertThat(run.out()).contains("1:1 A done invalid").contains("(the rule 1 > 2 is false)");
  }

  @Test
  void a_second_owner_is_told_why_he_may_not_start() throws Exception {
    Path rules = rule("{\"payload\": {}}");
    Shell first = run(rules, "eve");
    Shell second = run(rules, "bob");
    rule("{\"payload\": {}, \"rules\": [\"1 == 1\"]}");
    Shell changed = run(rules, "bob");
    Shell again = run(rules, "eve");

    assertThat(first.exit()).as(first.err()).isZero();
    assertThat(second.exit()).isEqualTo(Exit.INVALID);
    assertThat(second.err()).contains("bob is neither the owner nor an executor of graph g");
    assertThat(changed.exit()).isEqualTo(Exit.INVALID);
    assertThat(changed.err()).contains("only the owner may change r");
    assertThat(again.exit()).as(again.err()).isZero();
    assertThat(damask("rules", "list", "--store", folder.resolve("store").toString()).out())
        .contains("r version 2");
  }
}
