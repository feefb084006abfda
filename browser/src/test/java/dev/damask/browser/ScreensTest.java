package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openqa.selenium.Keys;

/// Every page in both themes and at three widths: it fits, axe-core finds nothing, and with
/// `-Ddamask.regenerate=true` its picture is written into the docs (all of them into the directory
/// `-Ddamask.pictures`, if it is given).
final class ScreensTest {
  @RegisterExtension static final Inspector INSPECTOR = new Inspector();

  private static final Path PICTURES = Path.of("../docs/inspector");
  private static final boolean IS_WRITTEN = Boolean.getBoolean("damask.regenerate");

  private static final int[] WIDTHS = {1440, 1024, 390};

  /// A page in one state.
  private record Screen(String name, String address, Consumer<Browser> prepare) {}

  private static final List<Screen> SCREENS =
      List.of(
          new Screen("cases", "#/cases", browser -> browser.see(".cases tbody", "ord-20417")),
          new Screen("bulk", "#/cases?status=WAITING&workflow=order", ScreensTest::selected),
          new Screen("case", "#/cases/ord-20417", browser -> browser.see(".damask .tok")),
          new Screen("past", "#/cases/ord-20417?at=3", ScreensTest::past),
          new Screen("fork", "#/cases/ord-20417?tab=act", ScreensTest::forked),
          new Screen("task", "#/cases/ord-20417", ScreensTest::charge),
          new Screen("workflows", "#/workflows", browser -> browser.see("main table")),
          new Screen("workflow", "#/workflows/order", browser -> browser.see("main", "states in")),
          new Screen(
              "proof", "#/workflows/import", browser -> browser.see(".tl .said", "deadlocked")),
          new Screen("playground", "#/playground", ScreensTest::played),
          new Screen("sessions", "#/sessions", browser -> browser.see("main table", "weather")),
          new Screen("session", "#/sessions", ScreensTest::session),
          new Screen("incidents", "#/incidents", browser -> browser.see("main table", "clm-7702")),
          new Screen("schedules", "#/schedules", browser -> browser.see("main table", "nightly")),
          new Screen("health", "#/health", browser -> browser.see(".slots .map")),
          new Screen("migration", "#/workflows/order/migration", ScreensTest::tried),
          new Screen("start", "#/cases", ScreensTest::starting),
          new Screen("find", "#/cases", ScreensTest::finding));

  private final Browser browser = INSPECTOR.browser();

  private static void selected(Browser browser) {
    browser.see(".cases tbody tr");
    browser.script(
        "document.querySelectorAll('.cases tbody .ck').forEach((each, i) => { if (i < 2)"
            + " each.click(); })");
    browser.click("#bulk-cancel");
    browser.see("#bulk-go", "2 cases");
  }

  private static void past(Browser browser) {
    browser.see(".mode", "The past");
    browser.gone(".stage-card.loading");
  }

  private static void forked(Browser browser) {
    browser.click("[data-action='signal:approved']");
    browser.see(".damask .tok.ghost");
    browser.see("#panel-act", "pack is called");
  }

  private static void charge(Browser browser) {
    browser.see(".damask [aria-label^='charge']").sendKeys(Keys.ENTER);
    browser.see("#panel-task", "Attempt 2: done");
  }

  private static void played(Browser browser) {
    browser.see(".verdict", "Sound");
    browser.click("#run");
    browser.see(".tl .pos", "Position 5 of 5");
  }

  private static void session(Browser browser) {
    browser.click("main .idl");
    browser.see(".tree", "North");
  }

  private static void tried(Browser browser) {
    browser.see("section[aria-label=To] .damask");
    browser.click("#dry-run");
    browser.see("main", "can be migrated");
  }

  private static void starting(Browser browser) {
    browser.see(".cases tbody tr");
    browser.click(".head .acts .main");
    browser.see("#start-workflow option[value=order]");
    browser.script(
        "const s = document.querySelector('#start-workflow'); s.value = 'order';"
            + " s.dispatchEvent(new Event('change'))");
    browser.see("dialog", "In francs");
  }

  private static void finding(Browser browser) {
    browser.see(".cases tbody tr");
    browser.press("/", "ord-204");
    browser.see("#found", "ord-20417");
  }

  @BeforeAll
  static void fill() {
    INSPECTOR.server().schedules();
  }

  static Stream<String> names() {
    return SCREENS.stream().map(Screen::name);
  }

  /// The themes differ in colours only, so the dark one needs axe-core's rule of contrast alone.
  /// The width between a desk and a phone is reached by making the window smaller.
  @ParameterizedTest
  @MethodSource("names")
  void every_page_fits_and_is_accessible(String name) {
    Screen screen =
        SCREENS.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
    List<String> found = new ArrayList<>();
    for (int width : WIDTHS) {
      size(width);
      if (width != 1024) {
        browser.open(screen.address());
        screen.prepare().accept(browser);
      }
      browser.theme("light");
      browser.still();
      found.addAll(at(width, browser.axe()));
      assertThat(browser.script("return document.documentElement.scrollWidth - innerWidth"))
          .as("%s at %d pixels is wider than the window", name, width)
          .isEqualTo(0L);
      picture(screen, width, "");
      browser.theme("dark");
      browser.still();
      found.addAll(at(width, browser.contrast()));
      picture(screen, width, "-dark");
      if (width != 1440) {
        browser.press(Keys.ESCAPE);
      }
    }
    assertThat(found).as("what axe-core finds").isEmpty();
  }

  private void size(int width) {
    browser.size(width, width < 500 ? 844 : 900);
  }

  private static List<String> at(int width, List<String> found) {
    return found.stream().map(each -> "at " + width + ": " + each).toList();
  }

  private void picture(Screen screen, int width, String theme) {
    if (!IS_WRITTEN) {
      return;
    }
    String name = screen.name() + (width == 1440 ? "" : "-" + width) + theme;
    int highest = width < 500 ? 844 : 1400;
    if (isShown(screen.name(), width, theme)) {
      browser.screenshot(PICTURES.resolve(name + ".webp"), highest);
    }
    String all = System.getProperty("damask.pictures");
    if (all != null) {
      browser.screenshot(Path.of(all, name + ".png"), 2_000);
    }
  }

  /// Whether the docs show a screen in this form.
  private static boolean isShown(String name, int width, String theme) {
    boolean isLight = theme.isEmpty();
    return switch (width) {
      case 1440 -> isLight || List.of("case", "fork", "health").contains(name);
      case 390 -> isLight && List.of("cases", "case").contains(name);
      default -> false;
    };
  }

  /// Writes the positions of a case as an SVG that shows one picture of the page after the other.
  private void animate(Path file) throws IOException {
    browser.theme("light");
    browser.size(1440, 900);
    browser.open("#/cases/ord-20417?at=1");
    browser.see(".mode", "The past");
    StringBuilder frames = new StringBuilder();
    int count = 0;
    org.openqa.selenium.Rectangle size = browser.see(".case-grid > .stack").getRect();
    while (true) {
      browser.gone(".stage-card.loading");
      browser.still();
      frames.append(
          "<image width=\"%d\" height=\"%d\" class=\"f f%d\" href=\"data:image/webp;base64,%s\"/>\n"
              .formatted(
                  size.getWidth(),
                  size.getHeight(),
                  count++,
                  browser.picture(".case-grid > .stack")));
      if (browser.text(".mode").startsWith("Now")) {
        break;
      }
      browser.press(Keys.ARROW_RIGHT);
    }
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n"
            .formatted(size.getWidth(), size.getHeight()));
    svg.append("<title>The time line of a case, position by position</title>\n<style>\n");
    svg.append(".f{opacity:0;animation:turn %ds step-end infinite}\n".formatted(2 * count));
    svg.append(
        "@keyframes turn{0%%{opacity:1}%.3f%%{opacity:0}100%%{opacity:0}}\n"
            .formatted(100.0 / count));
    for (int i = 0; i < count; i++) {
      svg.append(".f%d{animation-delay:%ds}\n".formatted(i, 2 * i));
    }
    svg.append(
        "@media (prefers-reduced-motion:reduce){.f{animation:none}.f%d{opacity:1}}\n"
            .formatted(count - 1));
    Files.writeString(file, svg.append("</style>\n").append(frames).append("</svg>\n"));
  }

  @Test
  void the_docs_show_the_time_line_moving() throws IOException {
    Path file = PICTURES.resolve("timeline.svg");
    if (IS_WRITTEN) {
      animate(file);
    }

    assertThat(file).content().contains("@keyframes", "data:image/webp;base64,", "class=\"f f4\"");
  }

  @Test
  void the_docs_have_a_picture_of_every_screen() {
    for (Screen screen : SCREENS) {
      assertThat(PICTURES.resolve(screen.name() + ".webp"))
          .as("make it: mvn test -pl browser -am -Dregenerate=-Ddamask.regenerate=true")
          .exists();
    }
    assertThat(Path.of("../docs/inspector.md"))
        .content()
        .contains(SCREENS.stream().map(screen -> "inspector/" + screen.name() + ".webp").toList());
  }
}
