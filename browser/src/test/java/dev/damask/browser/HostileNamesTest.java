package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Names and data from outside are shown as text, whatever they contain.
final class HostileNamesTest {
  @RegisterExtension static final Inspector INSPECTOR = new Inspector();

  private static final List<String> VALUES =
      List.of(
          "<img src=x onerror=window.broken=1>",
          "<script>window.broken=1</script>",
          "javascript:window.broken=1",
          "\u001b[31mred\u001b[0m",
          "\u202egnp.exe",
          "../../etc/passwd",
          "{{7*7}}${7*7}",
          "x".repeat(10_240));

  private final Browser browser = INSPECTOR.browser();
  private final SampleServer server = INSPECTOR.server();

  private static String quoted(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if (each < ' ' || each == '"' || each == '\\' || each > '~') {
        json.append("\\u%04x".formatted((int) each));
      } else {
        json.append(each);
      }
    }
    return json.append('"').toString();
  }

  private void isHarmless() {
    assertThat(browser.script("return window.broken ?? null")).isNull();
    assertThat(browser.count("main script, main img, main iframe, main a[href^=javascript]"))
        .isZero();
    assertThat(browser.script("return document.documentElement.scrollWidth <= innerWidth"))
        .isEqualTo(true);
  }

  @Test
  void values_of_a_context_are_text_in_every_panel() {
    for (int i = 0; i < VALUES.size(); i++) {
      String id = "hostile-" + i;
      server.start(
          "order",
          id,
          "{\"amount\":1,\"customer\":%s}"
              .formatted(
                  quoted(VALUES.get(i).substring(0, Math.min(300, VALUES.get(i).length())))));
      server.waits(id, "approved");
      server.post(
          "cases/" + id + "/signal",
          "{\"place\":\"approved\",\"payload\":{%s:%s}}"
              .formatted(
                  quoted(VALUES.get(i).substring(0, Math.min(100, VALUES.get(i).length()))),
                  quoted(VALUES.get(i))));
      server.await(id, "\"pack\"");

      browser.open("#/cases/" + id);

      browser.see(
          "#panel-state",
          VALUES.get(i).startsWith("x")
              ? "xxxxxxxx"
              : VALUES.get(i).startsWith("<img") ? "<img src=x" : "customer");
      browser.click("#tab-trace");
      browser.see("#panel-trace", "pack");
      isHarmless();
    }
    browser.open("#/cases?text=hostile-");
    browser.see(".cases tbody", "hostile-0");
    browser.see(".cases tbody", "<img src=x");
    isHarmless();
  }

  @Test
  void ids_that_are_markup_or_paths_or_long_are_text() {
    List<String> ids = List.of("<b>bold<b>", "a/../b?x=1#y", "\u202eabc", "i".repeat(180));
    for (String id : ids) {
      String answer =
          server.post(
              "cases",
              "{\"workflow\":\"order\",\"id\":%s,\"input\":{\"amount\":1,\"customer\":\"z\"}}"
                  .formatted(quoted(id)));
      if (!answer.contains("\"created\": true")) {
        continue; // the engine refuses this id
      }
      server.waits(id, "approved");
      browser.open(
          "#/cases/"
              + java.net.URLEncoder.encode(id, java.nio.charset.StandardCharsets.UTF_8)
                  .replace("+", "%20"));
      browser.see("h1", id.substring(0, Math.min(20, id.length())));
      isHarmless();
    }
  }

  @Test
  void names_of_tasks_and_workflows_are_text_in_the_drawing() {
    server.put(
        "hostile <b>",
        """
        workflow: "hostile <b>"
        description: "<script>window.broken=1</script>"
        do:
          - task: "<img src=x onerror=window.broken=1>"
          - task: "\u202egnp.exe"
        """);
    server.start("hostile <b>", "hostile-flow", "{}");
    server.await("hostile-flow", "onerror");

    browser.open("#/cases/hostile-flow");
    browser.see(".damask .tok");
    isHarmless();
    browser.open("#/workflows/hostile%20%3Cb%3E");

    browser.see("h1", "hostile <b>");
    browser.see(".src", "<img src=x");
    isHarmless();
  }

  @Test
  void an_address_that_cannot_be_decoded_is_refused_in_words() {
    browser.open("#/cases/%E0%A4%A");

    browser.see("main", "cannot be shown");
    isHarmless();
  }
}
