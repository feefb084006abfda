package dev.damask.spring.inspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.damask.spring.shop.Shop;
import dev.damask.spring.shop.ShopApplication;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.By;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;

/// The page below a path of an application, in a real Chromium. Skipped where it is missing.
final class InspectorPageTest {
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

  @Test
  @Timeout(180)
  void the_page_uses_the_session_of_the_application() {
    assumeThat(Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER))
        .as("tests in a browser need: apt-get install chromium chromium-driver")
        .isTrue();
    try (Shop shop = Shop.start().order("one")) {
      ChromeDriver driver = driver();
      try {
        driver.get(shop.at("/damask").toString());
        driver.findElement(By.name("username")).sendKeys("otto");
        driver.findElement(By.name("password")).sendKeys("otto");
        driver.findElement(By.cssSelector("button[type=submit]")).click();
        see(driver, ".top:not([hidden])", "Cases");
        assertThat(driver.getCurrentUrl()).contains("/damask/");
        see(driver, "main", "one");

        driver.executeScript(
            "location.hash = '#/workflows/' + encodeURIComponent(arguments[0])",
            ShopApplication.ODD);
        see(driver, "main h1", ShopApplication.ODD);
        Object said =
            driver.executeAsyncScript(
                """
                const done = arguments[0];
                import('./api.js')
                  .then(api => api.send('POST', 'cases/one/signal', {place: 'approved'}))
                  .then(answer => done(JSON.stringify(answer)), problem => done(String(problem)));
                """);
        assertThat(String.valueOf(said)).contains("outcome");
        assertThat(driver.executeScript("return sessionStorage.length")).isEqualTo(0L);

        driver.executeAsyncScript(
            """
            const done = arguments[0];
            import('./api.js')
              .then(api => ({method: 'POST', headers: api.session.csrf, redirect: 'manual'}))
                  .then(options => fetch('/logout', options))
              .then(() => done(), problem => done(String(problem)));
            """);
        driver.executeScript("location.hash = '#/cases'");
        see(driver, "main", "Not signed in");
        assertThat(
                driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                    .filter(each -> each.getLevel().intValue() >= Level.SEVERE.intValue())
                    .map(each -> String.valueOf(each.getMessage()))
                    .filter(each -> !each.contains("favicon") && !each.contains("401")))
            .isEmpty();
      } finally {
        driver.quit();
      }
    }
  }

  private static ChromeDriver driver() {
    ChromeOptions options = new ChromeOptions();
    options.setBinary(CHROMIUM.toString());
    options.addArguments(
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage");
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(DRIVER.toFile())
            .usingAnyFreePort()
            .build();
    return new ChromeDriver(service, options);
  }

  /// Waits until an element contains a text.
  private static void see(ChromeDriver driver, String css, String text) {
    String last = "nothing";
    for (int i = 0; i < 400; i++) {
      try {
        last = driver.findElement(By.cssSelector(css)).getText();
        if (last.contains(text)) {
          return;
        }
      } catch (WebDriverException e) {
        last = String.valueOf(e.getMessage()); // the page replaces what it shows
      }
      LockSupport.parkNanos(50_000_000);
    }
    throw new AssertionError(css + " does not contain '" + text + "', but: " + last);
  }
}
