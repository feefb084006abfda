package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/// Very large workflows and cases, a server that goes away, a browser that keeps nothing.
final class RobustTest {
  @RegisterExtension static final Inspector INSPECTOR = new Inspector();

  private static final int NODES = 5_000;

  private final Browser browser = INSPECTOR.browser();
  private final SampleServer server = INSPECTOR.server();

  @Test
  void a_workflow_of_five_thousand_nodes_is_readable_and_scrolls() {
    StringBuilder document = new StringBuilder("workflow: giant\ndo:\n  - par:\n");
    for (int i = 0; i < NODES / 100; i++) {
      document.append("      - seq:\n");
      for (int k = 0; k < 100; k++) {
        document.append("          - task: t%dx%d\n".formatted(i, k));
      }
    }
    server.put("giant", document.toString());
    server.start("giant", "giant-1", "{}");
    server.await("giant-1", "\"t49x0\"");

    browser.open("#/cases/giant-1");

    browser.see(".damask .tok");
    browser.see(".note", "Waits for the tasks t0x0, t1x0, t2x0, t3x0, t4x0 and 45 more.");
    assertThat(scale()).isGreaterThan(0.55);
    assertThat(height()).as("the page does not become as high as the drawing").isLessThan(2_000);
    browser.open("#/workflows/giant");
    browser.see(".damask .cnt");
    assertThat(scale()).isGreaterThan(0.55);
    assertThat(height()).isLessThan(6_000);
  }

  /// How large a drawing is shown.
  private double scale() {
    Object found =
        browser.script(
            "const s = document.querySelector('.damask'); return s.getBoundingClientRect().width /"
                + " s.viewBox.baseVal.width");
    return ((Number) java.util.Objects.requireNonNull(found)).doubleValue();
  }

  private int height() {
    Object found = browser.script("return document.documentElement.scrollHeight");
    return ((Number) java.util.Objects.requireNonNull(found)).intValue();
  }

  @Test
  void ten_thousand_tokens_at_one_step_are_one_mark() {
    server.put(
        "crowd",
        """
        workflow: crowd
        places: {go: {external: true}}
        do:
          - mi: m
            count: "10000"
            do: {take: go}
        """);
    server.start("crowd", "crowd-1", "{}");
    server.waits("crowd-1", "go");

    browser.open("#/cases/crowd-1");

    browser.see(".damask .tok", "×10,000");
    browser.see("#panel-state", "10,000 tokens");
    assertThat(browser.count("main *")).isLessThan(1_500);
    assertThat(browser.count(".damask .tok")).isEqualTo(1);
  }

  @Test
  void a_server_that_goes_away_is_reported_and_comes_back() {
    server.order("gone-1");
    browser.open("#/cases/gone-1");
    browser.see(".live[data-state=live]");

    offline(true);
    browser.see(".live[data-state=lost]", "No connection since");
    browser.click("[data-act='signal:approved']");
    browser.see("#panel-act", "The server does not answer");
    browser.click("#act-go");
    browser.see("#act-said", "whether it has done this is not known");
    browser.press("g", "w");
    browser.see("main", "The server does not answer");
    offline(false);
    browser.click(".blank .btn");

    browser.see("h1", "Workflows");
    browser.open("#/cases/gone-1");
    browser.see(".live[data-state=live]");
    server.post("cases/gone-1/signal", "{\"place\":\"approved\",\"payload\":{}}");
    browser.see(".note", "pack");
  }

  private void offline(boolean isOffline) {
    browser.script(
        "window.fetchBefore ??= window.fetch; window.fetch = arguments[0] ? () =>"
            + " Promise.reject(new TypeError('Failed to fetch')) : window.fetchBefore;"
            + " document.dispatchEvent(new Event('visibilitychange'))", // opens the stream again
        isOffline);
  }

  @Test
  void the_page_works_where_the_browser_keeps_nothing() {
    Map<String, Object> added =
        browser.driver.executeCdpCommand(
            "Page.addScriptToEvaluateOnNewDocument",
            Map.of(
                "source",
                "for (const name of ['localStorage', 'sessionStorage'])"
                    + " Object.defineProperty(window, name, { get() { throw new"
                    + " DOMException('blocked', 'SecurityError'); } });"));
    try {
      browser.driver.get("about:blank");
      browser.driver.get(server.link().toString());

      browser.see(".cases tbody tr");
      browser.press("t", "z");
      browser.see(".zone");
      browser.press("g", "p");
      browser.see(".verdict", "Sound");
      browser.press("g", "c");
      browser.see(".cases tbody tr");
    } finally {
      browser.driver.executeCdpCommand(
          "Page.removeScriptToEvaluateOnNewDocument",
          Map.of("identifier", String.valueOf(added.get("identifier"))));
      browser.signIn(server.link());
    }
  }

  @Test
  void back_and_forward_show_what_was_there() {
    browser.open("#/cases?status=WAITING");
    browser.see(".cases tbody tr");
    browser.open("#/cases/ord-20417?at=2&tab=state");
    browser.see(".tl .pos", "Position 2 of");
    browser.press(Keys.ARROW_RIGHT);
    browser.until(
        "the address has the position",
        () -> String.valueOf(browser.driver.getCurrentUrl()).endsWith("?at=3"));
    browser.press("g", "h");
    browser.see("h1", "Health");

    browser.driver.navigate().back();
    browser.see("h1", "ord-20417");
    browser.see(".tl .pos", "Position 3 of");
    browser.driver.navigate().back();
    browser.see(".counts a[aria-current]", "Waiting");
    browser.driver.navigate().forward();
    browser.see("h1", "ord-20417");
  }

  @Test
  void at_two_hundred_percent_no_page_is_wider_than_the_window() {
    browser.size(720, 450);
    for (String page :
        new String[] {
          "cases",
          "cases/ord-20417?tab=act",
          "workflows",
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
      browser.see("h1");
      assertThat(browser.script("return document.documentElement.scrollWidth - innerWidth"))
          .as(page)
          .isEqualTo(0L);
    }
  }
}
