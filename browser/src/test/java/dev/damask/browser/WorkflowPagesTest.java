package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/// Workflows, the playground and migration.
final class WorkflowPagesTest {
  @RegisterExtension static final Inspector INSPECTOR = new Inspector();

  private static final String UNSOUND =
      new String(SampleServer.resource("import"), StandardCharsets.UTF_8);

  private final Browser browser = INSPECTOR.browser();
  private final SampleServer server = INSPECTOR.server();

  @Test
  void the_list_shows_versions_and_cases_by_status() {
    browser.open("#/workflows");

    browser.see("main table", "claim");
    assertThat(browser.text("main table")).contains("order", "v2", "import", "document");
  }

  @Test
  void the_heat_map_counts_cases_at_their_steps() {
    browser.open("#/workflows/order");

    browser.see(".damask .cnt");
    browser.see("main", "Where cases stand");
    browser.click(".seg button:nth-child(2)");
    browser.gone(".damask .cnt");
  }

  @Test
  void boxes_and_lines_know_each_other() {
    browser.open("#/workflows/order");
    browser.see(".src");

    browser.click(".damask [aria-label^='charge']");
    browser.see(".src li.on", "charge");

    browser.click(".src li:has(code) button[aria-label^='Line 31']");
    browser.see(".src li.on", "reserve");
    browser.see(".damask .sel");
  }

  @Test
  void a_proof_has_its_verdict_with_numbers() {
    browser.open("#/workflows/order");

    browser.see(".head .meta", "Sound");
    browser.see("main", "45 states in");
    assertThat(browser.text("main")).contains("no deadlock");
  }

  @Test
  void a_counterexample_is_played_on_the_drawing_with_the_time_line() {
    browser.open("#/workflows/import");

    browser.see(".head .meta", "Unsound");
    browser.see(".tl .said", "deadlocked");
    browser.see(".src li.bad", "take: parsed");
    browser.press(Keys.HOME);
    browser.see(".tl .pos", "Step 1 of");
    browser.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
    browser.see(".tl .pos", "Step 3 of");
    browser.see("section[aria-label=Counterexample] .damask .tok");
  }

  @Test
  void an_older_version_is_shown() {
    browser.open("#/workflows/order");

    browser.see("section[aria-label=Versions]", "v1");
    browser.click("section[aria-label=Versions] tr:last-child .idl");

    browser.see(".head .tag", "v1");
    browser.until("the old drawing is shown", () -> !browser.text(".damask").contains("pack"));
  }

  @Test
  void a_document_is_edited_checked_and_put() {
    server.put("edited", "workflow: edited\nversion: \"1\"\ndo:\n  - task: pack\n");
    browser.open("#/workflows/edited");
    browser.click("#edit");
    browser.see(".verdict", "Sound");

    browser.type("#document", "workflow: edited\nversion: \"2\"\ndo:\n- tusk: pack\n");
    browser.see(".verdict", "Invalid");
    browser.see(".ed .gut li.bad", "4");
    assertThat(browser.see("#put").isEnabled()).isFalse();

    browser.script(
        "const d = document.querySelector('#document'); d.value = arguments[0]; d.dispatchEvent(new"
            + " Event('input'))",
        "workflow: edited\nversion: \"2\"\ndo:\n  - task: pack\n  - task: label\n");
    browser.see(".verdict", "Sound");
    browser.see("section[aria-label=Drawing] .damask", "label");
    browser.click("#put");
    browser.see(".head .tag", "v2");
  }

  @Test
  void the_playground_draws_proves_and_runs_a_document() {
    browser.open("#/playground");
    browser.see(".verdict", "Sound");
    browser.see("section[aria-label=Drawing] .damask", "quote north");

    browser.click("#run");

    browser.see(".tl .pos", "Position 5 of 5");
    browser.see("section[aria-label=State]", "north");
    browser.press(Keys.HOME);
    browser.see(".tl .pos", "Position 1 of 5");
  }

  @Test
  void the_playground_shows_errors_at_their_line_and_counterexamples_on_the_drawing() {
    browser.open("#/playground");
    browser.see(".verdict", "Sound");

    browser.script(
        "const d = document.querySelector('#document'); d.value = arguments[0]; d.dispatchEvent(new"
            + " Event('input'))",
        UNSOUND);
    browser.see(".verdict", "Unsound");
    browser.see(".tl .said", "deadlocked");
    browser.see(".damask .s-fail");

    browser.script(
        "const d = document.querySelector('#document'); d.value = 'workflow: x\\ndo:\\n"
            + "  - tusk: a\\n'; d.dispatchEvent(new Event('input'))");
    browser.see(".verdict", "Invalid");
    browser.see(".ed .gut li.bad", "3");
    browser.see(".stage.old");
    browser.click("section[aria-label=Check] .find-li button");
    assertThat(browser.script("return document.activeElement.id")).isEqualTo("document");
    browser.script("sessionStorage.removeItem('damask-playground')");
  }

  @Test
  void tab_indents_and_escape_leaves_the_editor() {
    browser.open("#/playground");
    browser.see("#document");
    browser.press("e");

    browser.selectAll();
    browser.press("do:", Keys.ENTER, "- task: a");

    assertThat(browser.script("return document.querySelector('#document').value"))
        .isEqualTo("do:\n  - task: a");
    browser.press(Keys.ESCAPE);
    assertThat(browser.script("return document.activeElement.id")).isNotEqualTo("document");
    browser.script("sessionStorage.removeItem('damask-playground')");
  }

  @Test
  void migration_is_tried_then_done() {
    server.put("moved", "workflow: moved\nversion: \"1\"\ndo:\n  - task: pack\n  - task: ship\n");
    server.start("moved", "moved-1", "{}");
    server.start("moved", "moved-2", "{}");
    server.await("moved-2", "\"pack\"");
    server.put(
        "moved",
        "workflow: moved\nversion: \"2\"\ndo:\n  - task: pack\n  - task: label\n  - task: ship\n");
    browser.open("#/workflows/moved/migration");
    browser.see("section[aria-label=To] .damask", "label");

    browser.click("#dry-run");
    browser.see("main", "can be migrated");
    browser.see("#go", "Migrate 2 cases");
    browser.see(".damask .s-done");
    assertThat(browser.text("main")).contains("What maps to what");
    browser.click("#go");

    browser.see("#toasts", "The migration is done");
    server.post("cases/moved-1/complete", "{\"task\":\"pack\",\"result\":{}}");
    server.await("moved-1", "\"label\"");
  }
}
