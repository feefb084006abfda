package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/// Forms from JSON schemas: the start of a case, the payload of a signal, the result of a task.
final class FormsTest {
  @RegisterExtension static final Inspector INSPECTOR = new Inspector();

  private static final String SURVEY =
      """
      workflow: survey
      input:
        type: object
        required: [customer, amount, lines]
        properties:
          customer: {type: string, minLength: 2, description: Its number}
          amount: {type: number, minimum: 0, maximum: 5000}
          channel: {enum: [shop, web], default: web}
          express: {type: boolean}
          address: {type: object, required: [city], properties: {city: {type: string}}}
          lines: {type: array, minItems: 1, items: {type: string}}
      places:
        answered:
          external: true
          input:
            type: object
            required: [grade]
            properties: {grade: {type: integer}, comment: {type: string, pattern: "^(a+)+$"}}
      do:
        - take: answered
        - task: evaluate
          output: {type: object, required: [score], properties: {score: {type: number}}}
        - task: file
      """;

  private static final String START = "{\"customer\":\"c-1\",\"amount\":1,\"lines\":[\"paper\"]}";

  private final Browser browser = INSPECTOR.browser();
  private final SampleServer server = INSPECTOR.server();

  @BeforeAll
  static void put() {
    INSPECTOR.server().put("survey", SURVEY);
  }

  /// The problems that are shown at controls.
  private String wrong() {
    return String.valueOf(
        browser.script(
            "return [...document.querySelectorAll('[aria-invalid=true]')].map(e =>"
                + " e.labels[0].innerText + ': ' +"
                + " e.getAttribute('aria-describedby').split(' ').map(id =>"
                + " document.getElementById(id).innerText)[0]).join('; ')"));
  }

  private void starting() {
    browser.open("#/workflows/survey");
    browser.click(".head .acts .main");
    browser.see("dialog", "Its number");
  }

  @Test
  void what_is_wrong_is_shown_at_its_control_and_the_first_one_has_the_focus() {
    starting();
    assertThat(
            browser.script(
                "return document.querySelector('dialog select.in:not(#start-workflow)').value"))
        .as("the default")
        .isEqualTo("\"web\"");

    browser.tabTo("dialog .value-form input");
    browser.press("c", Keys.TAB, "5001", Keys.TAB);
    assertThat(wrong())
        .isEqualTo(
            "Customer: Must have at least 2 characters, has 1; Amount: Must be at most 5000");
    browser.press(Keys.ENTER);
    browser.click("dialog [type=submit]");

    browser.see("dialog [role=alert]", "Customer: must have at least 2 characters, has 1");
    assertThat(browser.text("dialog .value-form")).contains("Add at least 1");
    assertThat(browser.script("return document.activeElement.labels[0].innerText"))
        .isEqualTo("Customer");
    assertThat(browser.axe()).isEmpty();
    browser.press(Keys.ESCAPE);
    assertThat(server.get("cases?workflow=survey&text=form-")).doesNotContain("form-");
  }

  @Test
  void values_have_their_types_and_optional_ones_are_left_out() {
    starting();

    browser.type("#start-id", "form-typed");
    browser.press(Keys.TAB);
    browser.press("c-9", Keys.TAB, "12.50");
    browser.click("dialog [aria-label='Add to Lines']");
    browser.press("paper");
    browser.click("dialog [type=submit]");

    browser.see("h1", "form-typed");
    assertThat(server.get("cases/form-typed"))
        .contains("\"amount\": 12.5", "\"channel\": \"web\"", "\"paper\"")
        .doesNotContain("\"express\"", "\"address\"");
  }

  @Test
  void a_form_becomes_json_and_back_and_numbers_are_not_rounded() {
    starting();
    browser.type("#start-id", "form-json");

    browser.click("dialog [data-swap]");
    browser.type(
        "dialog textarea", "{\"customer\": \"c-9\", \"amount\": 3, \"lines\": [\"a\", \"b\"]}");
    browser.click("dialog [data-swap]");
    browser.until("two lines", () -> browser.count("dialog .item") == 2);
    browser.click("dialog [data-swap]");
    browser.type(
        "dialog textarea",
        "{\"customer\": \"c-9\", \"amount\": 3, \"lines\": [\"a\"],"
            + " \"big\": 12345678901234567890123}");
    browser.click("dialog [type=submit]");

    browser.see("h1", "form-json");
    assertThat(server.get("cases/form-json")).contains("12345678901234567890123");
  }

  @Test
  void a_payload_and_a_result_have_forms_and_what_the_server_refuses_is_at_its_control() {
    server.start("survey", "form-1", START);
    server.waits("form-1", "answered");
    browser.open("#/cases/form-1");

    browser.click("[data-act='signal:answered']");
    browser.see("#panel-act", "from its schema");
    browser.press("many", Keys.TAB, "aab");
    browser.click("#act-go");
    assertThat(wrong()).isEqualTo("Grade: 'many' is not a number");
    browser.type("#panel-act .value-form input", "2");
    browser.click("#act-go");
    // The pattern is one that only the server matches, because it may take long.
    browser.see("#act-said", "/comment");
    browser.until("the refusal is at its control", () -> wrong().startsWith("Comment, optional: "));
    browser.forget("400");
    browser.type("#panel-act .field:nth-child(2) input", "aaa");
    browser.click("#act-go");
    server.await("form-1", "\"evaluate\"");

    browser.click("[data-action^='complete:evaluate']");
    browser.see("#panel-act", "Result of evaluate");
    browser.press("2.5");
    browser.click("#act-go");
    server.await("form-1", "\"file\"");
    assertThat(server.get("cases/form-1")).contains("\"score\": 2.5", "\"grade\": 2");
  }

  @Test
  void a_worker_and_a_caller_cannot_send_what_does_not_fit() {
    server.start("survey", "form-2", START);
    server.waits("form-2", "answered");

    String signal = server.post("cases/form-2/signal", "{\"place\":\"answered\",\"payload\":{}}");
    server.post("cases/form-2/signal", "{\"place\":\"answered\",\"payload\":{\"grade\":1}}");
    server.await("form-2", "\"evaluate\"");
    String result = server.post("cases/form-2/complete", "{\"task\":\"evaluate\",\"result\":{}}");

    assertThat(signal)
        .contains("the payload: required property 'grade' not found", "\"status\": 400");
    assertThat(result)
        .contains("the result: required property 'score' not found", "\"status\": 400");
    assertThat(server.get("cases/form-2")).contains("\"evaluate\"");
  }
}
