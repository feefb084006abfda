package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Health, incidents, schedules and sessions.
final class OperationsPagesTest {
  @RegisterExtension static final Inspector INSPECTOR = new Inspector();

  private final Browser browser = INSPECTOR.browser();
  private final SampleServer server = INSPECTOR.server();

  @Test
  void health_shows_rates_nodes_children_and_incidents() {
    browser.open("#/health");

    browser.see("section[aria-label=Commits]", "per second");
    assertThat(browser.text("main"))
        .contains("Time to durable", "Inbox", "Nodes and slots", "Children that have not finished");
    browser.see("main", "pay of clm-7702");
    browser.see(".tree");
  }

  @Test
  void nodes_show_their_slots_and_which_are_without_an_owner() {
    browser.open("#/health");

    browser.see("section[aria-label='Nodes and slots']", "node-b");
    assertThat(browser.text("section[aria-label='Nodes and slots']"))
        .contains("1,410", "fenced", "without an owner");
    browser.see(".slots .map");
  }

  @Test
  void a_node_that_is_fenced_while_the_page_is_open_is_reported_with_who_took_over() {
    browser.open("#/health");
    browser.see("section[aria-label='Nodes and slots']", "node-b");
    browser.see(".head .meta", "2 nodes, 1 fenced");

    server.fence(true);
    browser.press("r");

    browser.see("section[aria-label='Nodes and slots'] .log", "node-b was fenced; it had 1,398");
    browser.see("section[aria-label='Nodes and slots'] .log", "node-a took over 1,398 slots");
    browser.see(".head .meta", "1 node, 2 fenced");
    server.fence(false);
  }

  @Test
  void a_session_shows_its_processes_and_is_paused_woken_and_killed() {
    browser.open("#/sessions");
    browser.see("main table", "weather");

    browser.click("main .idl");
    browser.see(".tree", "North");
    browser.see("section[aria-label=Log]", "Ask");
    browser.click("[data-act=pause]");
    browser.see(".head .st", "Paused");
    browser.click("[data-act=resume]");
    browser.see("[data-act=pause]");
    browser.click("[data-act=wake]");
    browser.see("dialog select option[value=South]");
    browser.script("document.querySelector('dialog select').value = 'South'");
    browser.click("dialog .main");
    browser.see("#toasts", "woken");
    browser.click("[data-act=kill]");
    browser.until(
        "it has ended",
        () ->
            !browser.text(".head .st").contains("Running")
                && !browser.text(".head .st").contains("Waiting"));
  }

  @Test
  void the_store_is_verified_as_a_job() {
    browser.open("#/health");

    browser.click("#verify");

    browser.see(".head .acts", "Verify: done");
    assertThat(browser.text(".head .acts")).contains("0 problems found");
  }

  @Test
  void an_incident_is_skipped_with_a_result() {
    server.incident("inc-skip");
    browser.open("#/incidents");
    browser.see("main table", "inc-skip");

    browser.type("#incident-text", "inc-skip");
    browser.until("one row", () -> browser.count("main tbody tr") == 1);
    browser.click("main tbody .acts-in button:nth-child(2)");
    browser.see("dialog", "as if the task had returned it");
    browser.type("dialog textarea", "{\"paid\": true}");
    browser.click("dialog .main");

    server.await("inc-skip", "COMPLETED");
    browser.see("#toasts", "skip is durable");
    browser.see("main", "No incident matches");
  }

  @Test
  void incidents_are_retried_and_failed_alone_and_all_that_match() {
    server.incident("inc-many-1");
    server.incident("inc-many-2");
    browser.open("#/incidents");
    browser.see("main table", "inc-many-2");
    browser.type("#incident-text", "inc-many");
    browser.until("two rows", () -> browser.count("main tbody tr") == 2);

    browser.click("main tbody tr .acts-in button");
    browser.see("#toasts", "retry is durable");
    browser.see("main table", "inc-many-2");
    server.await("inc-many-1", "\"incident\": true");
    server.await("inc-many-2", "\"incident\": true");
    browser.until("two rows", () -> browser.count("main tbody tr") == 2);
    browser.click("#fail-all");
    browser.see("dialog", "Each task fails");
    browser.click("dialog .bad");

    server.await("inc-many-1", "FAILED");
    server.await("inc-many-2", "FAILED");
  }

  @Test
  void a_schedule_is_put_paused_started_and_removed() {
    browser.open("#/schedules");

    browser.click("#new-schedule");
    browser.see("dialog select option[value=claim]");
    browser.type("dialog .field:nth-of-type(1) input", "weekly");
    browser.script("document.querySelector('dialog select').value = 'claim'");
    browser.type("dialog .two input", "0 6 * * *");
    browser.click("dialog .main");

    browser.see("tr[data-name=weekly]", "claim");
    browser.see("tr[data-name=weekly]", "Active");
    assertThat(server.get("schedules/weekly")).contains("\"paused\": false");
    browser.click("tr[data-name=weekly] .acts-in button:nth-child(1)");
    browser.see("tr[data-name=weekly]", "Paused");
    assertThat(server.get("schedules/weekly")).contains("\"paused\": true");
    browser.click("tr[data-name=weekly] .acts-in button:nth-child(1)");
    browser.see("tr[data-name=weekly]", "Active");
    browser.click("tr[data-name=weekly] .acts-in button:nth-child(2)");
    browser.see("#toasts", "was started");
    server.awaitList("cases?text=weekly", "\"weekly");
    browser.click("tr[data-name=weekly] .acts-in .bad");
    browser.click("dialog .bad");
    browser.gone("tr[data-name=weekly]");
    assertThat(server.get("schedules")).doesNotContain("weekly");
  }
}
