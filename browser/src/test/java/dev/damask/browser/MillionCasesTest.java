package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Site;
import dev.damask.api.StoredDocuments;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.document.DocumentSource;
import dev.damask.document.LoadedDocument;
import dev.damask.server.DamaskServer;
import dev.damask.server.ServerOptions;
import dev.damask.store.Store;
import dev.damask.store.rocksdb.RocksStoreProvider;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/// The page on a store of many cases: how long until it paints its first rows, and how much each
/// page loads. `-Ddamask.cases=1000000` says how many; without it the test is skipped.
@EnabledIfSystemProperty(named = "damask.cases", matches = "\\d+")
final class MillionCasesTest {
  private static final int CASES = Integer.getInteger("damask.cases", 0);
  private static final int OPEN_MAX = 5_000;
  private static final int LOADS = 5;

  private static final String DOCUMENT =
      """
      workflow: order
      version: "1"
      attributes: {customer: customer}
      places: {approved: {external: true}}
      do: [{take: approved}, {task: ship}]
      """;

  /// Notes when the first row of the list has been painted.
  private static final String NOTE =
      """
      const watch = new MutationObserver(() => {
        if (!document.querySelector('.cases tbody tr')) return;
        watch.disconnect();
        requestAnimationFrame(() => setTimeout(() => { window.firstRows = performance.now(); }));
      });
      watch.observe(document, {childList: true, subtree: true});
      """;

  @TempDir private Path folder;

  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void the_first_rows_are_painted_within_a_second_and_no_page_loads_more_than_a_page()
      throws InterruptedException {
    try (Engine engine = open()) {
      fill(engine);
    }
    // As after a restart: the cases that wait are in the store and not in memory.
    try (Engine engine = open()) {
      ServerOptions wanted = ServerOptions.defaults().withPort(0);
      try (DamaskServer server = DamaskServer.start(engine, wanted, Site.of("test"));
          Browser browser = Browser.start(server.url())) {
        browser.signIn(server.link());
        browser.driver.executeCdpCommand(
            "Page.addScriptToEvaluateOnNewDocument", Map.of("source", NOTE));

        List<Double> loads = new ArrayList<>();
        for (int i = 0; i < LOADS; i++) {
          browser.driver.navigate().refresh();
          browser.see(".cases tbody tr");
          browser.until("the rows are painted", () -> millis(browser, "window.firstRows") > 0);
          double rows = millis(browser, "window.firstRows");
          System.out.printf(
              "%,d cases: first paint %.0f ms, first rows %.0f ms%n",
              CASES, millis(browser, PAINT), rows);
          loads.add(rows);
        }

        assertThat(loads.stream().sorted().toList().get(LOADS / 2)).isLessThan(1_000);
        browser.see(".counts", CASES > 1_000 ? "1,000+" : "" + CASES);
        isBounded(browser);
      }
    }
  }

  private Engine open() {
    Store store = new RocksStoreProvider().open(folder);
    return Engine.open(
        EngineOptions.defaults().withSources(new StoredDocuments(store, null)), store);
  }

  private static final String PAINT =
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";

  private static double millis(Browser browser, String expression) {
    Object found = browser.script("return " + expression + " ?? 0");
    return ((Number) Objects.requireNonNull(found)).doubleValue();
  }

  /// Every page shows at most a page of rows, and no answer is larger than one.
  private static void isBounded(Browser browser) {
    for (String each :
        List.of("cases", "cases?status=WAITING", "cases?text=c-1", "workflows/order", "health")) {
      browser.script("performance.clearResourceTimings()");
      browser.open("#/" + each);
      browser.see("h1");
      browser.settle();
      Object found =
          browser.script(
              "return Math.max(0, ...performance.getEntriesByType('resource').filter(e =>"
                  + " e.name.includes('/v1/')).map(e => e.decodedBodySize))");
      long largest = ((Number) Objects.requireNonNull(found)).longValue();
      System.out.printf("%s: largest answer %,d bytes%n", each, largest);

      assertThat(largest).isLessThan(200_000);
      assertThat(browser.count("main tr")).isLessThanOrEqualTo(110);
    }
  }

  private static void fill(Engine engine) throws InterruptedException {
    LoadedDocument loaded =
        LoadedDocument.load(
            DocumentSource.parse(
                "order.yaml", Bytes.of(DOCUMENT.getBytes(StandardCharsets.UTF_8))));
    engine.register(loaded.workflow(), loaded.program(), loaded.bytes());
    long began = System.nanoTime();
    Semaphore open = new Semaphore(OPEN_MAX);
    for (int i = 0; i < CASES; i++) {
      open.acquire();
      var _ =
          engine
              .startAsync(
                  loaded.workflow(), "order-%07d".formatted(i), Context.of("customer", "c-" + i))
              .whenComplete((_, _) -> open.release());
    }
    open.acquire(OPEN_MAX);
    System.out.printf(
        "%,d cases started in %.0f s%n", CASES, (System.nanoTime() - began) / 1_000_000_000.0);
  }
}
