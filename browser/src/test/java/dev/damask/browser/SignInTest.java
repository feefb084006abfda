package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Role;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WindowType;

/// Codes, tokens, roles and tabs.
final class SignInTest {
  @RegisterExtension static final Inspector INSPECTOR = new Inspector();

  private final Browser browser = INSPECTOR.browser();
  private final SampleServer server = INSPECTOR.server();

  @AfterEach
  void sign_in_again() {
    browser.signIn(server.link());
    browser.console();
  }

  private void signOut() {
    browser.open("#/cases");
    browser.script("sessionStorage.clear()");
    browser.driver.navigate().refresh();
    browser.see(".sign-in");
  }

  @Test
  void the_code_leaves_the_address_at_once_and_the_token_stays_in_the_tab() {
    browser.signIn(server.link());

    assertThat(browser.driver.getCurrentUrl()).endsWith("#/cases");
    assertThat(
            browser.script(
                "return history.length < 100 && sessionStorage.getItem('damask-token').length >"
                    + " 20"))
        .isEqualTo(true);
    assertThat(
            browser.script("return Object.keys(localStorage).filter(k => /token/.test(k)).length"))
        .isEqualTo(0L);
    assertThat(browser.script("return document.cookie")).isEqualTo("");
  }

  @Test
  void a_code_works_once() {
    java.net.URI link = server.link();
    browser.signIn(link);
    browser.script("sessionStorage.clear()");

    browser.driver.get("about:blank");
    browser.driver.get(link.toString());

    browser.see(".sign-in", "A code is valid once");
    browser.forget("401");
  }

  @Test
  void a_token_is_asked_for_and_checked() {
    signOut();
    assertThat(browser.axe()).isEmpty();
    browser.theme("dark");
    assertThat(browser.axe()).isEmpty();
    if (Boolean.getBoolean("damask.regenerate")) {
      browser.theme("light");
      browser.screenshot(Path.of("../docs/inspector/sign-in.webp"), 900);
    }

    browser.type("#token", "wrong");
    browser.press(Keys.ENTER);
    browser.see(".sign-in", "The server does not know this token");
    browser.forget("401");
    browser.type("#token", server.token("vera", Role.VIEWER));
    browser.press(Keys.ENTER);

    browser.see("h1", "Cases");
    browser.see(".who");
  }

  @Test
  void a_viewer_sees_no_actions() {
    signOut();
    browser.type("#token", server.token("vera", Role.VIEWER));
    browser.press(Keys.ENTER);
    browser.see("h1", "Cases");

    browser.open("#/cases/ord-20417?tab=act");

    browser.see("#panel-act", "You may look, not act");
    assertThat(browser.count("[data-act]")).isZero();
    browser.open("#/playground");
    browser.see("main", "needs the role operator");
  }

  @Test
  void signing_out_forgets_the_token() {
    browser.click(".who");
    browser.see("dialog", "admin");
    browser.click("dialog .row .btn:last-child");

    browser.see(".sign-in");
    assertThat(browser.script("return sessionStorage.getItem('damask-token')")).isNull();
  }

  @Test
  void a_token_that_ends_is_asked_for_and_the_page_continues_where_it_was() {
    browser.open("#/cases/ord-20417?at=2");
    browser.see(".tl .pos", "Position 2 of");

    browser.script("sessionStorage.setItem('damask-token', 'ended')");
    browser.press("g", "h");
    browser.see(".sign-in [role=alert]");
    browser.forget("401");
    browser.driver.navigate().back();
    browser.type("#token", server.token("vera", Role.VIEWER));
    browser.press(Keys.ENTER);

    browser.see("h1", "ord-20417");
    browser.see(".tl .pos", "Position 2 of");
  }

  @Test
  void seven_tabs_work_at_the_same_time() {
    String first = browser.driver.getWindowHandle();
    List<String> tabs = new ArrayList<>();
    String token = server.token("ada", Role.ADMIN);
    server.start("order", "tabs-1", "{\"amount\":1,\"customer\":\"t\"}");
    server.waits("tabs-1", "approved");
    for (int i = 0; i < 7; i++) {
      browser.driver.switchTo().newWindow(WindowType.TAB);
      tabs.add(browser.driver.getWindowHandle());
      browser.driver.get(server.url() + "/icon.svg");
      browser.script("sessionStorage.setItem('damask-token', arguments[0])", token);
      browser.driver.get(server.url() + "/#/cases/tabs-1");
      browser.see("h1", "tabs-1");
    }

    server.post("cases/tabs-1/signal", "{\"place\":\"approved\",\"payload\":{}}");

    for (String each : tabs) {
      browser.driver.switchTo().window(each);
      browser.see(".note", "pack");
    }
    for (String each : tabs) {
      browser.driver.switchTo().window(each).close();
    }
    browser.driver.switchTo().window(first);
  }
}
