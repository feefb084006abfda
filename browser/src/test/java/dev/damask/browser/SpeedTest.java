package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

/// How long the page needs.
final class SpeedTest {
  @RegisterExtension static final Inspector INSPECTOR = new Inspector();

  private static final int POSITIONS = 10_000;

  private static final int ROUNDS = 5;
  private static final int FRAMES = 200;

  private static final List<String> COUNTED =
      List.of("ScriptDuration", "LayoutDuration", "RecalcStyleDuration");

  /// Moves the time line once per frame.
  private static final String MOVE =
      """
      const done = arguments[arguments.length - 1], count = arguments[0];
      const track = document.querySelector('.tl .track');
      const step = i => {
        if (i === count) { done(i); return; }
        const key = i % 20 === 19 ? 'PageUp' : 'ArrowLeft';
        track.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
        requestAnimationFrame(() => step(i + 1));
      };
      step(0);
      """;

  private final Browser browser = INSPECTOR.browser();
  private final SampleServer server = INSPECTOR.server();

  @Test
  void moving_through_ten_thousand_positions_needs_few_milliseconds_per_frame() {
    server.start("order", "long-1", "{\"amount\":1,\"customer\":\"l\"}");
    server.waits("long-1", "approved");
    server.post("cases/long-1/signal", "{\"place\":\"approved\",\"payload\":{}}");
    server.await("long-1", "\"pack\"");
    server.signals("long-1", "approved", POSITIONS);
    browser.open("#/cases/long-1");
    browser.see(".tl .pos", "of 10,0");
    browser.press(Keys.HOME);
    browser.see(".tl .pos", "Position 1 of");
    browser.press(Keys.END);
    browser.see(".mode", "Now");

    // CPU time of the page's thread, the best of five: other work on the machine counts little.
    browser.driver.executeCdpCommand("Performance.enable", Map.of("timeDomain", "threadTicks"));
    double millis = Double.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      double before = seconds();
      browser.driver.executeAsyncScript(MOVE, FRAMES);
      millis = Math.min(millis, (seconds() - before) * 1_000 / FRAMES);
    }
    browser.driver.executeCdpCommand("Performance.disable", Map.of());

    System.out.printf("milliseconds of script, style and layout per frame: %.2f%n", millis);
    assertThat(millis).isLessThan(8.0);
  }

  /// The time that the page has spent with script, style and layout.
  private double seconds() {
    Object metrics =
        browser.driver.executeCdpCommand("Performance.getMetrics", Map.of()).get("metrics");
    double sum = 0;
    for (Object each : (List<?>) Objects.requireNonNull(metrics)) {
      Map<?, ?> metric = (Map<?, ?>) each;
      if (COUNTED.contains(String.valueOf(metric.get("name")))) {
        sum += ((Number) Objects.requireNonNull(metric.get("value"))).doubleValue();
      }
    }
    return sum;
  }
}
