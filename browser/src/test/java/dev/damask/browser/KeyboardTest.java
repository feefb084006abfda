package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/// Every page and action by keyboard only.
final class KeyboardTest {
  @RegisterExtension static final Inspector INSPECTOR = new Inspector();

  private final Browser browser = INSPECTOR.browser();
  private final SampleServer server = INSPECTOR.server();

  @Test
  void every_page_is_two_keys_away() {
    browser.open("#/cases");

    String[][] pages = {
      {"w", "Workflows"},
      {"s", "Sessions"},
      {"i", "Incidents"},
      {"d", "Schedules"},
      {"p", "Playground"},
      {"h", "Health"},
      {"c", "Cases"}
    };
    for (String[] each : pages) {
      browser.press("g", each[0]);
      browser.see("h1", each[1]);
    }
  }

  @Test
  void help_theme_and_zone_have_keys() {
    browser.open("#/cases");

    browser.press("?");
    browser.see("dialog", "One position back or on");
    browser.press(Keys.ESCAPE);
    browser.gone("dialog");
    browser.press("t");
    assertThat(browser.script("return document.documentElement.dataset.theme")).isEqualTo("dark");
    browser.press("t");
    assertThat(browser.script("return document.documentElement.dataset.theme")).isEqualTo("light");
  }

  @Test
  void a_case_is_found_opened_and_answered_without_a_mouse() {
    server.start("order", "keys-1", "{\"amount\":1,\"customer\":\"k\"}");
    server.waits("keys-1", "approved");
    browser.open("#/cases");

    browser.press("f", "keys-1");
    browser.until("one row", () -> browser.count(".cases tbody tr") == 1);
    browser.press(Keys.ESCAPE);
    browser.script("document.activeElement.blur()");
    browser.press("j", Keys.ENTER);
    browser.see("h1", "keys-1");
    browser.press(Keys.ARROW_LEFT);
    browser.see(".mode", "The past");
    browser.press("a", Keys.ENTER);
    browser.see(".mode", "What would follow");
    browser.tabTo("#act-go");
    browser.press(Keys.ENTER);

    server.await("keys-1", "\"pack\"");
    browser.see("[data-action^='complete:pack']");
    browser.press("a", Keys.ENTER);
    browser.see("#panel-act", "ship is called");
    browser.tabTo("#act-go");
    browser.press(Keys.ENTER);
    server.await("keys-1", "\"ship\"");
    browser.see(".note", "ship");
  }

  @Test
  void rows_are_selected_and_cancelled_without_a_mouse() {
    server.start("order", "keys-bulk", "{\"amount\":1,\"customer\":\"k\"}");
    server.waits("keys-bulk", "approved");
    browser.open("#/cases?text=keys-bulk");
    browser.see(".cases tbody", "keys-bulk");

    browser.press("j", "x");
    browser.see(".dock", "1 case selected");
    browser.press("a");
    browser.tabTo("#bulk-cancel");
    browser.press(Keys.ENTER);
    browser.see("#bulk-go", "Cancel 1 case");
    browser.tabTo("#bulk-go");
    browser.press(Keys.ENTER);

    server.await("keys-bulk", "CANCELLED");
  }

  @Test
  void boxes_of_the_drawing_are_buttons_in_reading_order() {
    browser.open("#/cases/ord-20417");
    browser.see(".damask .tok");

    browser.tabTo(".damask [data-hit][aria-label^='charge']");
    browser.press(Keys.ENTER);

    browser.see("#panel-task", "Attempt 2: done");
    browser.tabTo(".damask [data-hit][aria-label^='reserve']");
    browser.press(Keys.SPACE);
    browser.see("#tab-task", "Task reserve");
  }

  @Test
  void tabs_of_the_panel_move_with_arrows() {
    browser.open("#/cases/ord-20417");
    browser.see(".damask .tok");

    browser.tabTo("#tab-state");
    browser.press(Keys.ARROW_RIGHT);

    browser.see("#panel-act");
    assertThat(browser.text(".mode")).contains("Now");
  }

  @Test
  void an_incident_is_retried_without_a_mouse() {
    browser.open("#/incidents");
    browser.see("main table", "clm-7702");

    browser.press("j");
    browser.tabTo(".acts-in button");
    browser.press(Keys.ENTER);

    browser.see("#toasts", "retry is durable");
    server.await("clm-7702", "\"incident\": true");
  }

  @Test
  void a_document_is_put_without_a_mouse() {
    browser.open("#/playground");
    browser.see(".verdict", "Sound");
    browser.press("e");
    browser.selectAll();
    browser.press("workflow: typed", Keys.ENTER, "do:", Keys.ENTER, "- task: a");
    browser.press(Keys.ESCAPE);
    browser.until("it can be put", () -> browser.see("#put").isEnabled());
    browser.script("document.querySelector('main').focus()");

    browser.tabTo("#put");
    browser.press(Keys.ENTER);

    browser.see("h1", "typed");
    browser.script("sessionStorage.removeItem('damask-playground')");
  }
}
