package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Wrong and odd input in the playground.
final class PlaygroundTest {
  @RegisterExtension static final Inspector INSPECTOR = new Inspector();

  private final Browser browser = INSPECTOR.browser();

  @BeforeEach
  void open() {
    browser.open("#/playground");
    browser.see(".verdict", "Sound");
  }

  @AfterEach
  void forget() {
    browser.script("sessionStorage.removeItem('damask-playground')");
  }

  private void write(String document) {
    browser.script(
        "const d = document.querySelector('#document'); d.value = arguments[0]; d.dispatchEvent(new"
            + " Event('input'))",
        document);
  }

  private void run(String events) {
    browser.until("it can run", () -> browser.see("#run").isEnabled());
    browser.script("document.querySelector('#events').value = arguments[0]", events);
    browser.click("#run");
  }

  @Test
  void texts_that_are_no_documents_are_refused_at_their_line() {
    String[][] texts = {
      {"", "1", "the document is empty"},
      {"workflow: x\ndo:\n\t- task: a\n", "3", "not valid YAML"},
      {"- 1\n- 2\n", "1", "expected an object"},
      {"workflow: x\r\ndo:\r\n  - tusk: a\r\n", "3", "did you mean 'task'"},
    };
    for (String[] each : texts) {
      write(each[0]);
      browser.see("section[aria-label=Check]", each[2]);
      browser.see(".verdict", "Invalid");
      assertThat(browser.text(".ed .gut li.bad")).as(each[0]).isEqualTo(each[1]);
      assertThat(browser.see("#run").isEnabled()).isFalse();
      assertThat(browser.see("#put").isEnabled()).isFalse();
    }
  }

  @Test
  void a_megabyte_is_checked_and_not_drawn_and_the_page_stays_usable() {
    StringBuilder document = new StringBuilder("workflow: x\ndo:\n");
    for (int i = 0; document.length() < 1_000_000; i++) {
      document.append("  - task: t%d\n    description: %s\n".formatted(i, "long ".repeat(400)));
    }
    write(document.toString());

    browser.see("section[aria-label=Drawing]", "There is no drawing");
    browser.see(".verdict", "Sound");
    assertThat(browser.see("#put").isEnabled()).isTrue();
    assertThat(browser.see("#run").isEnabled()).isFalse();
    assertThat(browser.count(".ed *")).isLessThan(100);
    browser.forget("413");
  }

  @Test
  void an_endless_loop_is_unsound_and_its_run_ends() {
    write("workflow: x\ndo:\n  loop: {while: \"true\"}\n  do: {set: {n: \"1\"}}\n");

    browser.see(".verdict", "Unsound");
    browser.see("section[aria-label=Check]", "this loop never ends");
    run("");
    browser.until(
        "the run was stopped",
        () -> !browser.text("section[aria-label='Try it'] [role=status]").contains("Running"));
    assertThat(browser.text("section[aria-label='Try it'] [role=status]"))
        .doesNotContain("positions");
    browser.console(); // the server refuses
  }

  @Test
  void an_event_that_cannot_happen_is_named_with_its_line_after_what_came_before() {
    write(
        """
        workflow: x
        places: {go: {external: true, input: {required: [by]}}}
        do:
          - task: a
          - take: go
        """);
    browser.see("section[aria-label=Drawing] .damask", "go");

    run("# first\ncomplete a\ncomplete b\n");
    browser.see("section[aria-label='Try it']", "Events, line 3: no task 'b' waits");
    browser.see(".tl .pos", "Position 2 of 2");
    run("complete a\nsignal go\n");
    browser.see("section[aria-label='Try it']", "Events, line 2: signal go: the payload: required");
    run("complete a\nsignal go {\"by\": 1}\n");
    browser.see("section[aria-label='Try it']", "3 positions.");
    browser.see(".tl .pos", "Position 3 of 3");
    run("jump a\n");
    browser.see("section[aria-label='Try it']", "Events, line 1: begin with");
    browser.console(); // the server refused two
  }

  @Test
  void names_that_are_markup_or_turn_the_text_around_are_text() {
    write(
        "workflow: \"<img src=x>\"\ndo:\n  - task: \"<b>bold</b>\"\n  - task: \"\u202egnp.exe\"\n");

    browser.see("section[aria-label=Drawing] .damask", "<b>bold</b>");
    run("complete <b>bold</b>\n");
    browser.see(".tl .said", "<b>bold</b> returned");
    assertThat(browser.count("main img, main .damask b")).isZero();
  }
}
