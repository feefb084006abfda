package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/// Every action of every page is reached and done with keys only, and the focus is never lost.
final class KeyboardActionsTest {
  @RegisterExtension static final Inspector INSPECTOR = new Inspector();

  private final Browser browser = INSPECTOR.browser();
  private final SampleServer server = INSPECTOR.server();

  /// Starts a case of a new workflow and opens its page.
  private void open(String workflow, String document, String wait) {
    server.put(workflow, "workflow: " + workflow + "\n" + document);
    server.start(workflow, workflow + "-1", "{}");
    server.await(workflow + "-1", wait);
    browser.open("#/cases/" + workflow + "-1");
  }

  /// Chooses an action of a case, fills its form in, and confirms it.
  private void act(String action, CharSequence... typed) {
    String id = browser.text("h1");
    browser.until(
        "the page shows the last revision, so that it does not ask again",
        () ->
            server
                .get("cases/" + id)
                .contains(
                    browser
                        .text(".head .meta")
                        .replaceAll("(?s).*Revision (\\d+).*", "\"revision\": $1,")));
    browser.press("a");
    browser.tabTo("[data-action='" + action + "']");
    browser.press(Keys.ENTER);
    browser.see("#act-go");
    assertThat(browser.script("return document.activeElement.closest('#panel-act') !== null"))
        .as("the focus is in the form of " + action)
        .isEqualTo(true);
    browser.press(typed);
    browser.tabTo("#act-go");
    browser.press(Keys.ENTER);
  }

  private void enter(String css) {
    browser.tabTo(css);
    browser.press(Keys.ENTER);
  }

  @Test
  void every_action_of_a_case() {
    open(
        "keyed",
        """
        places: {go: {external: true, input: {type: object, properties: {by: {type: string}}}}}
        do:
          - cancel: inner
            do:
              par:
                - {task: left}
                - {task: right}
                - {task: third}
            catch: {skip: true}
          - take: go
          - mi: lots
            count: 1
            open: untilClosed
            do: {task: one}
          - cancel: outer
            do: {task: last}
        """,
        "\"third\"");

    act("pause", "a look");
    server.await("keyed-1", "a look");
    browser.see("[data-action=resume]");
    act("resume");
    browser.see("[data-action=pause]");
    browser.press("a");
    browser.tabTo("[data-action=change]");
    browser.press(Keys.ENTER, Keys.TAB);
    browser.selectAll();
    browser.press("{\"n\": 1}", Keys.TAB, "by keys", Keys.ENTER);
    server.await("keyed-1", "\"n\": 1");
    act("complete:left#1");
    browser.gone("[data-action='complete:left#1']");
    act("stop:right#1");
    browser.gone("[data-action='stop:right#1']");
    act("fail:third#1");
    browser.see("[data-action='signal:go']");
    browser.gone("[data-action='fail:third#1']");
    act("signal:go", "ada");
    server.await("keyed-1", "one[1]");
    browser.see("[data-action='add:lots']");
    act("add:lots");
    server.await("keyed-1", "one[2]");
    act("close:lots");
    browser.gone("[data-action='close:lots']");
    server.post("cases/keyed-1/complete", "{\"task\":\"one[1]\",\"result\":{}}");
    server.post("cases/keyed-1/complete", "{\"task\":\"one[2]\",\"result\":{}}");
    browser.see("[data-action='cancel:outer']");
    act("cancel:outer");
    server.await("keyed-1", "CANCELLED");

    browser.see("[data-action=restart]");
    act("restart", "keyed-2");
    browser.see("h1", "keyed-2");
    act("cancel", "enough");
    server.await("keyed-2", "CANCELLED");
    browser.see("[data-action=delete]");
    act("delete");
    browser.see("h1", "Cases");
    assertThat(server.get("cases/keyed-2")).contains("there is no case");
  }

  @Test
  void decisions_incidents_and_quarantine() {
    String approval =
        "do:\n  - task: sign\n    effect: {type: approval, with: {approvers: [%s]}}\n  - task: a\n"
            .formatted(
                String.valueOf(
                    browser.script("return document.querySelector('.who').title.split(',')[0]")));
    open("keysigns", approval, "FOR_DECISION");
    act("approve:sign#1");
    server.await("keysigns-1", "\"a\"");
    open("keyrefuse", approval, "FOR_DECISION");
    act("reject:sign#1");
    server.await("keyrefuse-1", "\"approved\": false");
    server.incident("keyretry");
    browser.open("#/cases/keyretry");
    act("retry:pay#1");
    server.await("keyretry", "\"attempts\": 3");
    server.order("keyrelease");
    server.quarantine("keyrelease");
    browser.open("#/cases/keyrelease");
    act("release");
    server.await("keyrelease", "\"status\": \"WAITING\"");
  }

  @Test
  void the_head_of_a_case_its_time_line_and_what_it_is_saved_as() {
    server.order("keyhead");
    browser.open("#/cases/keyhead");

    browser.press(Keys.HOME);
    browser.see(".mode", "The past");
    enter("#restart-here");
    browser.see("#panel-act", "From position");
    browser.tabTo("#tab-act");
    browser.press(Keys.ARROW_RIGHT);
    browser.see("#panel-trace");
    browser.press("n");
    enter("#save-as");
    enter(".menu button:nth-child(2)");
    browser.see("#toasts", "Trace saved");
    enter("#save-as");
    browser.tabTo(".menu button");
    browser.press(Keys.ESCAPE);
    assertThat(browser.script("return document.activeElement.id")).isEqualTo("save-as");
    enter("[data-act='signal:approved']");
    browser.see(".mode", "What would follow");
    browser.press(Keys.ESCAPE);
    browser.tabTo("#act-other");
    browser.press(Keys.ENTER);
    browser.see("#panel-act", "No action is chosen");
    browser.tabTo(".tl .track");
    browser.press(Keys.ARROW_LEFT);
    browser.see(".mode", "The past");
    enter("#back");
    browser.see(".mode", "Now");
  }

  @Test
  void incidents_and_schedules() {
    server.incident("keyinc-1");
    server.incident("keyinc-2");
    browser.open("#/incidents");
    browser.see("main table", "keyinc-2");
    browser.press("f", "keyinc");
    browser.until("two rows", () -> browser.count(".picks tbody tr") == 2);
    enter("tr .acts-in button");
    server.await("keyinc-1", "\"attempts\": 3");
    browser.see("#toasts", "durable");
    assertThat(browser.script("return document.activeElement.closest('tr') !== null"))
        .as("the focus stays in the list")
        .isEqualTo(true);
    server.await("keyinc-1", "\"incident\": true");
    browser.tabTo("tr .acts-in button:nth-child(2)");
    browser.press(Keys.ENTER);
    browser.see("dialog", "as if the task had returned it");
    enter("dialog [type=submit]");
    browser.until("one row", () -> browser.count(".picks tbody tr") == 1);
    enter("#fail-all");
    enter("dialog [type=submit]");
    browser.see("main", "No incident matches");

    browser.open("#/schedules");
    enter("#new-schedule");
    browser.see("dialog .value-form");
    browser.press("keysched", Keys.TAB, "claim", Keys.TAB, "0 6 * * *");
    enter("dialog [type=submit]");
    browser.see("tr[data-name=keysched]", "Active");
    enter("tr[data-name=keysched] .acts-in button:nth-child(1)");
    browser.see("tr[data-name=keysched]", "Paused");
    enter("tr[data-name=keysched] .acts-in button:nth-child(1)");
    browser.see("tr[data-name=keysched]", "Active");
    enter("tr[data-name=keysched] .acts-in button:nth-child(2)");
    browser.see("#toasts", "was started");
    enter("tr[data-name=keysched] .acts-in button:nth-child(3)");
    browser.see("dialog .value-form");
    assertThat(browser.script("return document.querySelector('dialog .two input').value"))
        .isEqualTo("0 6 * * *");
    browser.press(Keys.ESCAPE);
    browser.gone("dialog");
    enter("tr[data-name=keysched] .acts-in .bad");
    enter("dialog .bad");
    browser.gone("tr[data-name=keysched]");
  }

  @Test
  void filters_and_bulk_actions() {
    server.order("keybulk-1");
    server.incident("keybulk-2");
    browser.open("#/cases?text=keybulk");
    browser.see(".cases tbody", "keybulk-2");

    enter(".head .acts .btn");
    browser.see(".saved", "keybulk");
    enter(".saved .chip-of:last-child .icbtn");
    assertThat(browser.text(".saved")).doesNotContain("keybulk");
    browser.tabTo("thead .ck");
    browser.press(Keys.SPACE);
    browser.see(".dock", "2 cases selected");
    browser.press("a");
    enter("#bulk-retry");
    browser.see("#bulk-go", "Retry 1 case");
    enter("#bulk-go");
    server.await("keybulk-2", "\"attempts\": 3");
    browser.open("#/cases?text=keybulk-1");
    browser.see(".cases tbody", "keybulk-1");
    browser.press("j", "x");
    enter("#bulk-pause");
    browser.see("#bulk-go", "Pause 1 case");
    enter("#bulk-go");
    server.await("keybulk-1", "\"paused\": {");
  }

  @Test
  void sessions_workflows_migration_and_health() {
    browser.open("#/sessions");
    browser.see("main .idl");
    enter("main .idl");
    browser.see("[data-act=pause]");
    enter("[data-act=pause]");
    browser.see("[data-act=resume]");
    enter("[data-act=resume]");
    browser.see("[data-act=pause]");
    enter("[data-act=wake]");
    browser.see("dialog select");
    enter("dialog [type=submit]");
    browser.see("#toasts", "woken");

    server.put("keymoved", "workflow: keymoved\nversion: \"1\"\ndo:\n  - task: pack\n");
    server.start("keymoved", "keymoved-1", "{}");
    server.await("keymoved-1", "\"pack\"");
    browser.open("#/workflows/keymoved");
    enter("#edit");
    browser.see(".verdict", "Sound");
    browser.selectAll();
    browser.press(
        "workflow: keymoved",
        Keys.ENTER,
        "version: '2'",
        Keys.ENTER,
        "do: [{task: pack}, {task: b}]");
    browser.see("section[aria-label=Drawing] .damask", "b");
    browser.press(Keys.ESCAPE);
    browser.until("it can be put", () -> browser.see("#put").isEnabled());
    enter("#put");
    browser.see(".head .tag", "v2");
    enter("a[href='#/workflows/keymoved/migration']");
    browser.see("section[aria-label=To] .damask", "b");
    enter("#dry-run");
    browser.see("#go", "Migrate 1 case");
    enter("#go");
    browser.see("#toasts", "The migration is done");

    browser.press("g", "h");
    browser.see("#verify");
    enter("#verify");
    browser.see(".head .acts", "Verify: done");
  }

  @Test
  void dialogs_keep_the_focus_and_give_it_back() {
    browser.open("#/cases");
    browser.see(".cases tbody tr");
    String[][] dialogs = {
      {".head .acts .main", "Start a case"}, {".who", "Signed in"}, {".find", "Find"}
    };
    for (String[] each : dialogs) {
      browser.tabTo(each[0]);
      browser.press(Keys.ENTER);
      browser.see("dialog[open]", each[1]);
      for (int i = 0; i < 14; i++) {
        browser.press(Keys.TAB);
        assertThat(
                browser.script(
                    "const e = document.activeElement; return e === document.body ||"
                        + " e.closest('dialog') !== null"))
            .as(each[1] + " keeps the focus")
            .isEqualTo(true);
      }
      browser.press(Keys.ESCAPE);
      browser.gone("dialog");
      assertThat(browser.script("return document.activeElement.matches(arguments[0])", each[0]))
          .as(each[1] + " gives the focus back")
          .isEqualTo(true);
    }
  }

  /// An outline, the edge of a box of a drawing, or the frame of the editor.
  private static final String IS_VISIBLE =
      """
      const e = document.activeElement;
      if (e === document.body) return '';
      const style = getComputedStyle(e), box = e.querySelector(':scope > .box, :scope > .event');
      const isSeen = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 1
          || box && parseFloat(getComputedStyle(box).strokeWidth) >= 2
          || e.closest('.ed') !== null;
      return isSeen ? '' : e.outerHTML.slice(0, 200);
      """;

  @Test
  void the_focus_is_visible_at_every_stop() {
    for (String page :
        new String[] {
          "cases",
          "cases/ord-20417?tab=act",
          "workflows/order",
          "workflows/import",
          "playground",
          "sessions",
          "incidents",
          "schedules",
          "health",
          "workflows/order/migration"
        }) {
      browser.open("#/" + page);
      for (int i = 0; i < 45; i++) {
        browser.press(Keys.TAB);
        if (Boolean.TRUE.equals(
            browser.script("return document.activeElement.id === 'document'"))) {
          browser.press(Keys.ESCAPE); // Tab indents in the editor
        }
        assertThat(browser.script(IS_VISIBLE)).as("on " + page).isEqualTo("");
      }
    }
    assertThat(browser.driver.findElements(By.cssSelector("dialog"))).isEmpty();
  }
}
