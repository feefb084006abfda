package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/// The list of cases: filters, counts, saved filters, bulk actions, live changes.
final class CasesPageTest {
  @RegisterExtension static final Inspector INSPECTOR = new Inspector();

  private final Browser browser = INSPECTOR.browser();
  private final SampleServer server = INSPECTOR.server();

  @Test
  void rows_show_status_attributes_and_what_the_case_waits_for() {
    browser.open("#/cases?text=ord-20417");

    browser.see(".cases tbody", "ord-20417");
    assertThat(browser.text(".cases tbody tr"))
        .contains("Waiting", "c-8812", "120", "order", "Signal approved or rejected");
  }

  @Test
  void an_incident_and_its_reason_are_in_the_row_of_its_case() {
    browser.open("#/cases?text=clm-7702");

    browser.see(".cases tbody", "Incident: pay, conflict: settlement of clm-7702 is open");
  }

  @Test
  void counts_are_links_that_filter() {
    browser.open("#/cases");
    browser.see(".counts", "Deadlocked");

    browser.click(".counts a[href*=DEADLOCKED]");

    browser.until("one row is left", () -> browser.count(".cases tbody tr") == 1);
    browser.see(".cases tbody", "imp-0042");
    assertThat(browser.driver.getCurrentUrl()).endsWith("#/cases?status=DEADLOCKED");
  }

  @Test
  void filters_are_in_the_address_and_come_back_with_it() {
    browser.open("#/cases");
    browser.see("#workflow option[value=claim]");

    browser.type("#text", "clm-77");
    browser.see(".cases tbody", "clm-7719");
    browser.until("only claims", () -> !browser.text(".cases tbody").contains("ord-"));
    browser.driver.navigate().refresh();

    browser.see(".cases tbody", "clm-7719");
    assertThat(browser.text(".cases tbody")).doesNotContain("ord-");
    assertThat(browser.script("return document.querySelector('#text').value")).isEqualTo("clm-77");
  }

  @Test
  void attributes_are_queried_and_a_bad_query_is_explained() {
    browser.open("#/cases?where=customer+%3D+%27c-9917%27");
    browser.see(".cases tbody", "ord-20402");
    assertThat(browser.count(".cases tbody tr")).isEqualTo(1);

    browser.open("#/cases?where=customer+%3D%3D");

    browser.see("main", "This filter cannot be read");
    browser.forget("400");
  }

  @Test
  void a_filter_is_saved_in_the_browser() {
    browser.open("#/cases?status=FAILED&workflow=order");

    browser.click(".head .acts button");

    browser.see(".saved", "Failed, order");
    browser.click(".saved .chip-of:last-child .icbtn");
    assertThat(browser.text(".saved")).doesNotContain("Failed, order");
  }

  @Test
  void nothing_matches_is_said_and_the_filters_can_be_cleared() {
    browser.open("#/cases?text=no-such-case");

    browser.see("main", "No case matches these filters");
    browser.click(".blank .btn");
    browser.see(".cases tbody", "ord-");
  }

  @Test
  void bulk_cancel_shows_what_would_happen_and_leaves_out_what_cannot_be_cancelled() {
    server.start("order", "bulk-1", "{\"amount\":1,\"customer\":\"b\"}");
    server.start("order", "bulk-2", "{\"amount\":2,\"customer\":\"b\"}");
    server.start("order", "bulk-3", "{\"amount\":3,\"customer\":\"b\"}");
    server.waits("bulk-1", "approved");
    server.waits("bulk-2", "approved");
    server.waits("bulk-3", "approved");
    server.post("cases/bulk-3/cancel", "{}");
    server.await("bulk-3", "CANCELLED");
    browser.open("#/cases?text=bulk-");
    browser.see(".cases tbody", "bulk-3");

    browser.click("thead .ck");
    browser.see(".dock", "3 cases selected");
    browser.click("#bulk-cancel");

    browser.see(".dock .fate", "have ended already");
    browser.see(".dock .fate", "undo completed tasks first");
    browser.see("#bulk-go", "Cancel 2 cases, leave 1");
    assertThat(server.get("cases/bulk-1")).contains("WAITING");
    browser.click("#bulk-go");
    browser.see("#toasts", "2 cases");
    server.await("bulk-1", "CANCELLED");
    server.await("bulk-2", "CANCELLED");
  }

  @Test
  void all_cases_that_match_are_selected_beyond_the_page_and_paused() {
    server.put("batch", "workflow: batch\ndo:\n  - task: slow\n");
    for (int i = 0; i < 120; i++) {
      server.begin("batch", "batch-" + i);
    }
    server.await("batch-119", "\"slow\"");
    browser.open("#/cases?workflow=batch");
    browser.see(".cases tbody", "batch-");

    browser.click("thead .ck");
    browser.see(".dock", "50 cases selected");
    browser.click("#select-all");
    browser.see(".dock", "120 cases selected");
    browser.click("#bulk-pause");
    browser.see("#bulk-go", "Pause 120 cases");
    browser.click("#bulk-go");

    server.awaitList("cases?workflow=batch&status=PAUSED&limit=1", "\"PAUSED\": 120");
    browser.see("#toasts", "120 cases");
  }

  @Test
  void what_changes_waits_behind_one_bar() {
    browser.open("#/cases?text=fresh-");
    browser.see(".live[data-state=live]");

    server.start("order", "fresh-1", "{\"amount\":1,\"customer\":\"b\"}");

    browser.see(".fresh", "changed since");
    assertThat(browser.text("main")).doesNotContain("fresh-1");
    browser.click(".fresh");
    browser.see(".cases tbody", "fresh-1");
  }

  @Test
  void a_case_is_started_by_a_form_from_the_schema() {
    browser.open("#/cases");

    browser.click(".head .acts .main");
    browser.see("#start-workflow option[value=order]");
    browser.script(
        "const s = document.querySelector('#start-workflow'); s.value = 'order';"
            + " s.dispatchEvent(new Event('change'))");
    browser.see("dialog", "In francs");
    browser.type("#start-id", "form-1");
    browser.press(Keys.TAB);
    browser.press("12.5", Keys.TAB, "c-form", Keys.ENTER);

    browser.see("h1", "form-1");
    server.await("form-1", "12.5");
  }

  @Test
  void the_jump_box_finds_cases_workflows_and_pages() {
    browser.open("#/cases");

    browser.press("/");
    browser.see("dialog.finder");
    browser.press("ord-20417");
    browser.see("#found", "ord-20417");
    browser.press(Keys.ENTER);

    browser.see("h1", "ord-20417");
    browser.press("/", "clai");
    browser.see("#found", "workflow");
    browser.press(Keys.ENTER);
    browser.see("h1", "claim");
  }

  /// The exact time of the first row.
  private String firstTime() {
    return String.valueOf(browser.script("return document.querySelector('.cases time').title"));
  }

  @Test
  void times_switch_between_utc_and_the_local_zone() {
    browser.open("#/cases?text=ord-20417");
    browser.see(".cases tbody", "ord-20417");
    assertThat(firstTime()).endsWith("UTC");
    browser.driver.executeCdpCommand(
        "Emulation.setTimezoneOverride", java.util.Map.of("timezoneId", "Asia/Tokyo"));

    browser.press("z");

    browser.see(".zone", "Asia/Tokyo");
    browser.see(".cases tbody", "ord-20417");
    assertThat(firstTime()).endsWith("Asia/Tokyo");
    browser.press("z");
    browser.see(".zone", "UTC");
  }
}
