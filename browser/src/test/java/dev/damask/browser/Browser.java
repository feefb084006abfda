package dev.damask.browser;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.FluentWait;

/// A headless Chromium that shows the inspector.
final class Browser implements AutoCloseable {
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  final ChromeDriver driver;
  private final URI url;

  private Browser(ChromeDriver driver, URI url) {
    this.driver = driver;
    this.url = url;
  }

  /// Starts a browser, or skips the test if there is none on this machine.
  static Browser start(URI url) {
    assumeThat(Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER))
        .as("tests in a browser need: apt-get install chromium chromium-driver")
        .isTrue();
    ChromeOptions options = new ChromeOptions();
    options.setBinary(CHROMIUM.toString());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--force-prefers-reduced-motion",
        "--force-device-scale-factor=1",
        "--disable-dev-shm-usage");
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(DRIVER.toFile())
            .usingAnyFreePort()
            .build();
    Browser browser = new Browser(new ChromeDriver(service, options), url);
    browser.size(1440, 900);
    return browser;
  }

  /// Sets the size of the page in pixels; below 500 as a telephone.
  void size(int width, int height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
  }

  void theme(String name) {
    script(
        "localStorage.setItem('theme', arguments[0]); document.documentElement.dataset.theme ="
            + " arguments[0]",
        name);
  }

  /// Signs in with a printed link.
  Browser signIn(URI link) {
    driver.get("about:blank");
    driver.get(link.toString());
    see(".top:not([hidden])");
    settle();
    return this;
  }

  /// Opens an address of the page, such as `#/cases`, and waits until it is shown.
  Browser open(String hash) {
    if (!Objects.requireNonNullElse(driver.getCurrentUrl(), "").startsWith(url.toString())) {
      driver.get(url + "/");
    }
    script(
        "if (location.hash === arguments[0]) { location.hash = '#/nowhere'; } location.hash ="
            + " arguments[0]",
        hash);
    settle();
    return this;
  }

  /// Waits until the page is not loading any more.
  void settle() {
    script("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
    until(
        "the page is loaded",
        () ->
            driver.findElements(By.cssSelector("main[aria-busy]")).isEmpty()
                && !driver.findElements(By.cssSelector("main > *")).isEmpty());
  }

  /// Waits until nothing moves: fonts, transitions, messages.
  void still() {
    until(
        "nothing moves",
        () ->
            Boolean.TRUE.equals(
                script(
                    "return document.getAnimations().every(a => a.playState !== 'running')"
                        + " && document.querySelectorAll('.toast').length === 0")));
  }

  /// Waits for an element.
  WebElement see(String css) {
    List<WebElement> shown = new ArrayList<>();
    until(
        css + " is shown",
        () -> {
          shown.clear(); // the page may have replaced what the last try found
          driver.findElements(By.cssSelector(css)).stream()
              .filter(WebElement::isDisplayed)
              .forEach(shown::add);
          return !shown.isEmpty();
        });
    return shown.getFirst();
  }

  /// Waits until an element contains a text.
  void see(String css, String text) {
    until(css + " contains '" + text + "', found: ", () -> text(css).contains(text));
  }

  void gone(String css) {
    until(
        css + " is gone",
        () -> driver.findElements(By.cssSelector(css)).stream().noneMatch(WebElement::isDisplayed));
  }

  /// The text of the first element, as a person sees it; empty if there is none.
  String text(String css) {
    Object text =
        script(
            "const e = document.querySelector(arguments[0]); return e ? e.innerText ??"
                + " e.textContent : ''",
            css);
    return String.valueOf(text);
  }

  /// Clicks an element. The page may replace it meanwhile.
  void click(String css) {
    until(
        css + " can be clicked",
        () -> {
          WebElement found = see(css);
          script("arguments[0].scrollIntoView({block: 'center', inline: 'nearest'})", found);
          found.click();
          return true;
        });
  }

  int count(String css) {
    return driver.findElements(By.cssSelector(css)).size();
  }

  /// Replaces the text of a control.
  void type(String css, String text) {
    WebElement control = see(css);
    control.sendKeys(Keys.chord(Keys.CONTROL, "a"), text);
  }

  /// Drags the mouse sideways from the middle of an element, within the window.
  void drag(String css, int pixels) {
    WebElement from = see(css);
    int left = from.getRect().getX() + from.getRect().getWidth() / 2;
    int reach = Math.max(pixels, 4 - left);
    Actions actions = new Actions(driver, Duration.ofMillis(16)).moveToElement(from).clickAndHold();
    for (int i = 1; i <= 10; i++) {
      actions.moveByOffset(reach / 10, 0);
    }
    actions.release().perform();
  }

  /// Presses an element, runs an action, and releases it where it was pressed.
  void pressWhile(String css, Runnable action) {
    WebElement found = see(css);
    script("arguments[0].scrollIntoView({block: 'center', inline: 'nearest'})", found);
    new Actions(driver).clickAndHold(found).perform();
    action.run();
    new Actions(driver).release().perform();
  }

  /// Forgets expected messages about refused requests in the console.
  void forget(String status) {
    for (String each : console()) {
      if (!each.contains("status of " + status)) {
        throw new AssertionError(each);
      }
    }
  }

  /// Selects everything in the control with the focus.
  void selectAll() {
    new Actions(driver).keyDown(Keys.CONTROL).sendKeys("a").keyUp(Keys.CONTROL).perform();
  }

  /// Presses keys, wherever the focus is.
  void press(CharSequence... keys) {
    for (CharSequence each : keys) {
      new Actions(driver).sendKeys(each).perform();
    }
  }

  /// Presses Tab until an element has the focus, so a person without a mouse reaches it.
  void tabTo(String css) {
    for (int i = 0; i < 200; i++) {
      Object isThere = script("return document.activeElement.matches(arguments[0])", css);
      if (Boolean.TRUE.equals(isThere)) {
        return;
      }
      press(Keys.TAB);
    }
    throw new AssertionError(css + " cannot be reached with Tab");
  }

  @Nullable Object script(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  void until(String what, Condition condition) {
    new FluentWait<>(this)
        .withTimeout(PATIENCE)
        .pollingEvery(Duration.ofMillis(25))
        .ignoring(StaleElementReferenceException.class, NoSuchElementException.class)
        .withMessage(() -> what + "\npage:\n" + text("main"))
        .until(_ -> condition.holds());
  }

  /// A condition to wait for.
  @FunctionalInterface
  interface Condition {
    boolean holds();
  }

  /// The errors and warnings in the console since the last call, without failed requests that the
  /// page shows by itself.
  List<String> console() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(each -> each.getLevel().intValue() >= Level.WARNING.intValue())
        .map(each -> each.getMessage())
        .toList();
  }

  /// The violations that axe-core finds: rules of WCAG 2 A and AA and best practices.
  List<String> axe() {
    return axe("{resultTypes: ['violations']}");
  }

  /// The texts whose contrast axe-core finds too low.
  List<String> contrast() {
    return axe("{resultTypes: ['violations'], runOnly: ['color-contrast']}");
  }

  private List<String> axe(String options) {
    if (!Boolean.TRUE.equals(script("return typeof axe !== 'undefined'"))) {
      driver.executeCdpCommand("Runtime.evaluate", Map.of("expression", axeSource()));
    }
    Object found =
        driver.executeAsyncScript(
            "const done = arguments[arguments.length - 1]; axe.run(document, "
                + options
                + ").then(r => done(r.violations.map(v => v.id + ': ' + v.help + ' ' +"
                + " v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' +"
                + " n.failureSummary).join(' | '))))");
    return found instanceof List<?> all ? all.stream().map(String::valueOf).toList() : List.of();
  }

  private static String axeSource() {
    try (InputStream in = Browser.class.getResourceAsStream("axe/axe.min.js")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Returns a picture of one element.
  String picture(String css) {
    script("scrollTo(0, 0)");
    org.openqa.selenium.Rectangle at = see(css).getRect();
    Map<String, Object> answer =
        driver.executeCdpCommand(
            "Page.captureScreenshot",
            Map.of(
                "format",
                "webp",
                "quality",
                70,
                "captureBeyondViewport",
                true,
                "clip",
                Map.of(
                    "x",
                    at.getX(),
                    "y",
                    at.getY(),
                    "width",
                    at.getWidth(),
                    "height",
                    at.getHeight(),
                    "scale",
                    1)));
    return String.valueOf(answer.get("data"));
  }

  /// Writes a picture of the page, as high as its content up to a limit; PNG if the file is one.
  void screenshot(Path file, int highest) {
    script("scrollTo(0, 0)");
    Number height =
        (Number) Objects.requireNonNull(script("return document.documentElement.scrollHeight"));
    Number width = (Number) Objects.requireNonNull(script("return innerWidth"));
    Map<String, Object> clip =
        Map.of(
            "x",
            0,
            "y",
            0,
            "width",
            width,
            "height",
            Math.min(highest, height.intValue()),
            "scale",
            1);
    Map<String, Object> wanted =
        file.toString().endsWith(".png")
            ? Map.of("format", "png", "captureBeyondViewport", true, "clip", clip)
            : Map.of("format", "webp", "quality", 82, "captureBeyondViewport", true, "clip", clip);
    Map<String, Object> answer = driver.executeCdpCommand("Page.captureScreenshot", wanted);
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, Base64.getDecoder().decode(String.valueOf(answer.get("data"))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    driver.quit();
  }
}
