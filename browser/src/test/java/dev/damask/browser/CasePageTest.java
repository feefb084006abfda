package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/// One case: drawing, time line, panels and actions.
final class CasePageTest {
  @RegisterExtension static final Inspector INSPECTOR = new Inspector();

  private final Browser browser = INSPECTOR.browser();
  private final SampleServer server = INSPECTOR.server();

  @Test
  void the_drawing_shows_tokens_and_what_has_run() {
    browser.open("#/cases/ord-20417");

    browser.see(".damask .tok");
    assertThat(browser.text("h1")).isEqualTo("ord-20417");
    assertThat(browser.count(".damask .s-done")).isEqualTo(2);
    assertThat(browser.text(".note")).contains("Waits for a signal");
  }

  @Test
  void arrows_move_through_the_past_and_everything_follows() {
    browser.open("#/cases/ord-20417");
    browser.see(".tl .pos", "Position");

    browser.press(Keys.HOME);

    browser.see(".mode", "The past");
    browser.see("#panel-state", "as started");
    browser.see(".note", "charge");
    assertThat(browser.count(".damask .s-done")).isZero();
    browser.press(Keys.ARROW_RIGHT);
    browser.see(".tl .pos", "Position 2 of");
    browser.see("#panel-state", "position 1");
    browser.press("n");
    browser.see(".mode", "Now");
  }

  @Test
  void the_position_is_in_the_address_and_opens_again() {
    browser.open("#/cases/ord-20417");
    browser.press(Keys.HOME, Keys.ARROW_RIGHT);
    browser.see(".tl .pos", "Position 2 of");

    browser.until(
        "the address has the position",
        () -> String.valueOf(browser.driver.getCurrentUrl()).endsWith("#/cases/ord-20417?at=2"));
    browser.driver.navigate().refresh();

    browser.see(".tl .pos", "Position 2 of");
    browser.see(".mode", "The past");
  }

  @Test
  void dragging_the_time_line_seeks_at_once() {
    browser.open("#/cases/ord-20417");
    browser.see(".tl .col.now");

    browser.drag(".tl .col.now", -3_000);

    browser.see(".tl .pos", "Position 1 of");
    browser.see("#back").click();
    browser.see(".mode", "Now");
  }

  @Test
  void a_join_shows_what_has_arrived() {
    server.start("claim", "clm-join", "{}");
    server.waits("clm-join", "documents");
    browser.open("#/cases/clm-join");

    browser.press(Keys.HOME, Keys.ARROW_RIGHT);

    browser.see(".damask .arrived", "of 2");
    browser.see("#panel-state", "have arrived");
  }

  @Test
  void a_task_shows_its_attempts_receipt_and_key() {
    browser.open("#/cases/ord-20417");

    browser.click(".damask [aria-label^='charge']");

    browser.see("#panel-task", "Attempt 2: done");
    assertThat(browser.text("#panel-task"))
        .contains(
            "Attempt 1: failed, unavailable: 503 from payments", "Receipt", "ord-20417:", "p-17");
    browser.press(Keys.HOME);
    browser.see("#panel-task", "Attempt 1: is open");
  }

  @Test
  void a_signal_shows_its_fork_before_it_is_sent() {
    server.order("ord-act-1");
    browser.open("#/cases/ord-act-1");

    browser.click("[data-act='signal:approved']");

    browser.see(".mode", "What would follow");
    browser.see(".damask .tok.ghost");
    browser.see("#panel-act", "pack is called");
    assertThat(server.get("cases/ord-act-1")).doesNotContain("\"pack\"");
    browser.click("#act-go");
    browser.see("#toasts", "durable as revision");
    server.await("ord-act-1", "\"pack\"");
    browser.see(".note", "pack");
    browser.see(".mode", "Now");
  }

  @Test
  void a_task_is_completed_by_hand_and_one_is_failed() {
    server.order("ord-act-2");
    server.post("cases/ord-act-2/signal", "{\"place\":\"approved\",\"payload\":{}}");
    server.await("ord-act-2", "\"pack\"");
    browser.open("#/cases/ord-act-2?tab=act");

    browser.click("[data-action^='complete:pack']");
    browser.see("#panel-act", "ship is called");
    browser.type("#panel-act textarea", "{\"box\": 3}");
    browser.click("#act-go");

    server.await("ord-act-2", "\"ship\"");
    browser.see(".note", "ship");
    browser.click("[data-action^='fail:ship']");
    browser.see("#panel-act", "release is called");
    browser.click("#act-go");
    server.await("ord-act-2", "FAILED");
    browser.see(".head .st", "Failed");
  }

  @Test
  void a_case_is_cancelled_after_a_preview() {
    server.order("ord-act-3");
    browser.open("#/cases/ord-act-3");

    browser.click("[data-act='cancel']");
    browser.see("#panel-act", "What would follow");
    browser.see(".mode", "What would follow");
    browser.click("#act-go");

    server.await("ord-act-3", "CANCELLED");
    browser.see(".head .st", "Cancelled");
  }

  @Test
  void an_action_for_an_old_revision_is_shown_again_and_not_sent() {
    server.order("ord-act-4");
    browser.open("#/cases/ord-act-4");
    browser.click("[data-act='signal:rejected']");
    browser.see(".mode", "What would follow");

    browser.script(
        "window.fetchBefore = window.fetch; window.fetch = (u, o) => fetchBefore(u, o && o.headers"
            + " && o.headers['If-Match'] ? {...o, headers: {...o.headers, 'If-Match': '\"999\"'}} :"
            + " o)");
    browser.click("#act-go");

    browser.see("#act-said", "The case has moved on");
    browser.script("window.fetch = window.fetchBefore");
    assertThat(server.get("cases/ord-act-4")).contains("WAITING");
    browser.forget("412");
  }

  @Test
  void a_case_is_paused_and_resumed() {
    server.order("ord-act-5");
    browser.open("#/cases/ord-act-5?tab=act");

    browser.click("[data-action=pause]");
    browser.type("#act-reason", "wrong address");
    browser.click("#act-go");
    browser.see(".head .st", "Paused");
    browser.see(".note", "wrong address");
    assertThat(server.get("cases/ord-act-5")).contains("\"reason\": \"wrong address\"");
    browser.click("[data-action=resume]");
    browser.click("#act-go");

    browser.see(".head .st", "Waiting");
    assertThat(server.get("cases/ord-act-5")).doesNotContain("\"paused\": {");
  }

  @Test
  void data_are_changed_with_a_reason() {
    server.order("ord-act-6");
    browser.open("#/cases/ord-act-6?tab=act");

    browser.click("[data-action=change]");
    browser.type("#act-set", "{\"amount\": 99}");
    browser.click("#act-go");
    browser.see("#act-said", "Reason: enter one");
    browser.type("#act-reason", "typing error");
    browser.click("#act-go");

    browser.see("#toasts", "Change data: durable");
    server.await("ord-act-6", "\"amount\": 99");
    browser.see(".tl .said", "changed");
  }

  @Test
  void a_case_is_started_again_from_a_position_and_an_ended_one_is_deleted() {
    server.order("ord-act-7");
    browser.open("#/cases/ord-act-7");
    browser.press(Keys.HOME);
    browser.click("#restart-here");
    browser.see("#panel-act", "From position");
    browser.type("#panel-act input", "ord-act-7b");
    browser.click("#act-go");
    browser.see("h1", "ord-act-7b");
    server.post("cases/ord-act-7b/cancel", "{}");
    server.await("ord-act-7b", "CANCELLED");
    browser.see(".head .st", "Cancelled");

    browser.click("#tab-act");
    browser.click("[data-action=delete]");
    browser.click("#act-go");

    browser.see("h1", "Cases");
    assertThat(server.get("cases/ord-act-7b")).contains("there is no case");
  }

  @Test
  void another_change_arrives_while_the_page_is_open() {
    server.order("ord-live-1");
    browser.open("#/cases/ord-live-1");
    browser.see(".live[data-state=live]");

    server.post("cases/ord-live-1/signal", "{\"place\":\"approved\",\"payload\":{}}");

    browser.see(".note", "pack");
  }

  @Test
  void nothing_moves_under_a_person_who_looks_at_the_past() {
    server.order("ord-live-2");
    browser.open("#/cases/ord-live-2");
    browser.see(".live[data-state=live]");
    browser.press(Keys.HOME);
    browser.see(".mode", "The past");

    server.post("cases/ord-live-2/signal", "{\"place\":\"approved\",\"payload\":{}}");

    browser.see(".head .meta", "Revision");
    browser.until("a position was added", () -> !browser.text(".tl .pos").endsWith("of 3"));
    assertThat(browser.text(".tl .pos")).startsWith("Position 1 of");
    assertThat(browser.text(".mode")).contains("The past");
  }

  @Test
  void each_position_is_drawn_on_the_version_that_the_case_had_then() {
    server.put("shelved", "workflow: shelved\nversion: \"1\"\ndo:\n  - task: pack\n");
    server.start("shelved", "shelved-1", "{}");
    server.await("shelved-1", "\"pack\"");
    server.put(
        "shelved", "workflow: shelved\nversion: \"2\"\ndo:\n  - task: pack\n  - task: label\n");
    server.migrate("shelved", "shelved-1");
    browser.open("#/cases/shelved-1");
    browser.see(".damask", "label");
    assertThat(browser.text(".head .tag")).isEqualTo("v2");

    browser.press(Keys.HOME);
    browser.see(".mode", "Version 1 of the workflow");
    browser.until("the drawing of version 1", () -> !browser.text(".damask").contains("label"));
    browser.see(".damask .tok");
    assertThat(browser.see("#panel-state a.r").getDomAttribute("href")).contains("&program=");

    browser.press("n");
    browser.see(".damask", "label");
    assertThat(browser.text(".mode")).doesNotContain("Version");
    browser.click("#panel-state a.r");
    browser.see(".src li.on", "pack");
  }

  @Test
  void the_trace_is_one_tab_away() {
    browser.open("#/cases/ord-20417");

    browser.click("#tab-trace");

    browser.see("#panel-trace", "charge");
  }

  @Test
  void lines_in_sentences_lead_to_the_document() {
    browser.open("#/cases/ord-20417");

    browser.click("#panel-state a.r");

    browser.see(".src li.on");
    assertThat(browser.driver.getCurrentUrl()).contains("#/workflows/order?line=");
  }

  @Test
  void a_case_is_saved_as_a_scenario() {
    browser.open("#/cases/ord-20417");

    browser.click("#save-as");
    browser.click(".menu button");

    browser.see("#toasts", "Scenario for damask test saved");
  }

  @Test
  void a_case_that_does_not_exist_is_said_to_be_missing() {
    browser.open("#/cases/unknown-1");

    browser.see("main", "This does not exist");
    browser.forget("404");
  }
}
