package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/// Every action on a case that needs a workflow of its own: it is clicked, and the engine's state
/// is checked.
final class ActionsTest {
  @RegisterExtension static final Inspector INSPECTOR = new Inspector();

  private final Browser browser = INSPECTOR.browser();
  private final SampleServer server = INSPECTOR.server();

  /// Chooses an action of a case and confirms it.
  private void act(String action) {
    browser.click("[data-action='" + action + "']");
    browser.click("#act-go");
  }

  /// Starts a case of a new workflow and opens its actions.
  private void open(String workflow, String document, String wait) {
    server.put(workflow, "workflow: " + workflow + "\n" + document);
    server.start(workflow, workflow + "-1", "{}");
    server.await(workflow + "-1", wait);
    browser.open("#/cases/" + workflow + "-1?tab=act");
  }

  @Test
  void an_approval_is_given_under_the_name_of_the_signed_in_person() {
    String name = me();
    open(
        "signs",
        """
        do:
          - task: sign
            effect: {type: approval, with: {approvers: [%s]}}
          - task: filed
        """
            .formatted(name),
        "FOR_DECISION");

    act("approve:sign#1");

    server.await("signs-1", "\"filed\"");
    browser.see(".note", "filed");
    assertThat(server.get("cases/signs-1/receipts")).contains(name);
  }

  @Test
  void an_approval_is_refused() {
    open(
        "refused",
        """
        do:
          - task: sign
            effect: {type: approval, with: {approvers: [%s]}}
          - task: filed
        """
            .formatted(me()),
        "FOR_DECISION");

    act("reject:sign#1");

    server.await("refused-1", "\"filed\"");
    assertThat(server.get("cases/refused-1")).contains("\"approved\": false");
    browser.open("#/cases/refused-1");
    browser.see("#panel-state", "approved");
  }

  private String me() {
    return String.valueOf(
        browser.script("return document.querySelector('.who').title.split(',')[0]"));
  }

  @Test
  void an_incident_is_retried_on_the_page_of_its_case() {
    server.incident("act-retry");
    browser.open("#/cases/act-retry?tab=act");
    browser.see(".note.is-fail");

    act("retry:pay#1");

    server.await("act-retry", "\"attempts\": 3");
    server.await("act-retry", "\"incident\": true");
  }

  @Test
  void a_quarantined_case_shows_its_evidence_and_is_released() {
    server.order("act-release");
    server.quarantine("act-release");
    browser.open("#/health");
    browser.see("section[aria-label='Quarantined cases']", "act-release");
    assertThat(browser.text("section[aria-label='Quarantined cases']")).contains("made up");
    browser.open("#/cases/act-release");
    browser.see(".head .st", "Quarantined");

    browser.click("[data-act=release]");
    browser.click("#act-go");

    server.await("act-release", "\"status\": \"WAITING\"");
    browser.see(".head .st", "Waiting");
  }

  @Test
  void instances_are_added_and_their_set_is_closed() {
    open(
        "many",
        """
        do:
          - mi: lots
            count: 1
            open: untilClosed
            do: {task: one}
          - task: after
        """,
        "\"one\"");

    act("add:lots");
    server.await("many-1", "one[2]");
    browser.see("[data-action='complete:one[2]#1']");
    act("close:lots");
    server.await("many-1", "\"sets\": []");
    browser.gone("[data-action='add:lots']");

    server.post("cases/many-1/complete", "{\"task\":\"one[1]\",\"result\":{}}");
    server.post("cases/many-1/complete", "{\"task\":\"one[2]\",\"result\":{}}");
    server.await("many-1", "\"after\"");
  }

  @Test
  void a_scope_is_cancelled_alone_after_its_fork_was_shown() {
    open(
        "scoped",
        """
        do:
          - cancel: inner
            undo: true
            do:
              - task: reserve
                undo: {task: release}
              - task: slow
        """,
        "\"slow\"");

    browser.click("[data-action='cancel:inner']");
    browser.see("#panel-act", "release is called");
    assertThat(server.get("cases/scoped-1")).contains("\"slow\"");
    browser.click("#act-go");

    server.await("scoped-1", "CANCELLED");
    browser.see(".note", "Cancelled inner");
  }

  @Test
  void one_task_is_cancelled_and_the_others_go_on() {
    open(
        "pairs",
        """
        do:
          - par:
              - task: left
              - task: right
          - task: after
        """,
        "\"left\"");

    act("stop:left#1");

    browser.gone("[data-action='stop:left#1']");
    assertThat(server.get("cases/pairs-1")).contains("\"right\"").doesNotContain("\"left\"");
  }

  @Test
  void parent_and_child_are_one_click_apart() {
    server.put("leaf", "workflow: leaf\ndo:\n  - task: grow\n");
    server.put("tree", "workflow: tree\ndo:\n  - child: leaf\n    id: \"'leaf-of-tree'\"\n");
    server.start("tree", "tree-1", "{}");
    server.await("leaf-of-tree", "\"grow\"");
    browser.open("#/cases/tree-1");

    browser.see("#family", "Child leaf-of-tree");
    browser.click("#family a");
    browser.see("h1", "leaf-of-tree");
    browser.see("#family", "Parent tree-1");
    browser.click(".head .meta a[href='#/cases/tree-1']");
    browser.see("h1", "tree-1");
  }

  /// An element that is replaced, or moves away, between press and release gets no click by itself.
  @Test
  void a_link_that_is_pressed_while_the_case_changes_is_followed() {
    server.put("bud", "workflow: bud\ndo:\n  - task: grow\n");
    server.put("branch", "workflow: branch\ndo:\n  - child: bud\n    id: \"'bud-of-branch'\"\n");
    server.start("branch", "branch-1", "{}");
    server.await("bud-of-branch", "\"grow\"");
    browser.open("#/cases/branch-1");
    browser.see("#family", "Child bud-of-branch");

    browser.pressWhile(
        "#family a",
        () -> {
          server.post("cases/branch-1/pause", "{\"reason\":\"a look\"}");
          browser.see(".head .st", "Paused");
          browser.see("main", "Paused: a look"); // a line more above the link
        });

    browser.see("h1", "bud-of-branch");
  }

  @Test
  void what_would_be_undone_is_listed_in_order_with_its_scope() {
    server.order("act-undo");
    browser.open("#/cases/act-undo");

    browser.see("#scopes", "Scope fulfil");
    browser.see("#panel-state", "Would be undone");
    Object listed =
        browser.script(
            "return [...document.querySelectorAll('#panel-state .steps li [dir]')].map(e =>"
                + " e.textContent).sort().join()");
    assertThat(listed).isEqualTo("charge in fulfil,reserve in fulfil");
    browser.press(Keys.HOME);
    browser.see(".mode", "The past");
    browser.until(
        "nothing is done yet", () -> !browser.text("#panel-state").contains("Would be undone"));
  }

  @Test
  void selected_cases_are_paused_and_their_tasks_retried_at_once() {
    server.incident("act-bulk");
    browser.open("#/cases?text=act-bulk");
    browser.see(".cases tbody", "act-bulk");
    browser.click(".cases tbody .ck");
    browser.click("#bulk-retry");
    browser.see("#bulk-go", "Retry 1 case");
    browser.click("#bulk-go");
    server.await("act-bulk", "\"attempts\": 3");
    server.await("act-bulk", "\"incident\": true");
    browser.open("#/cases?text=act-bulk");
    browser.see(".cases tbody", "act-bulk");

    browser.click(".cases tbody .ck");
    browser.click("#bulk-pause");
    browser.see(".dock .fate", "keep accepting inputs");
    browser.click("#bulk-go");

    server.await("act-bulk", "\"paused\": {");
  }

  @Test
  void a_migration_is_stopped_and_leaves_the_rest_where_it_is() {
    server.put("halted", "workflow: halted\nversion: \"1\"\ndo:\n  - task: pack\n");
    for (int i = 0; i < 150; i++) {
      server.begin("halted", "halted-" + i);
    }
    server.await("halted-149", "\"pack\"");
    server.put("halted", "workflow: halted\nversion: \"2\"\ndo:\n  - task: pack\n  - task: ship\n");
    browser.open("#/workflows/halted/migration");
    browser.see("section[aria-label=To] .damask", "ship");
    browser.click("#dry-run");
    browser.see("#go", "Migrate 150 cases");

    server.hold("halted-");
    browser.click("#go");
    browser.click("#stop");
    browser.until("the stop was sent", () -> browser.see("#stop").isEnabled());
    server.hold("");

    browser.see("#toasts", "The migration was stopped");
    assertThat(server.get("cases?workflow=halted&limit=1&counts=false")).contains("\"halted");
    assertThat(server.get("workflows/halted")).contains("\"version\": \"1\", \"cases\": 50");
  }
}
