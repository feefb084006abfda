package dev.damask.browser;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// One server and one browser for all test classes. After each test the console of the browser must
/// be empty.
final class Inspector implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback {
  private @Nullable Running running;

  /// What runs.
  private record Running(SampleServer server, Browser browser) implements AutoCloseable {
    static Running start() {
      SampleServer server = new SampleServer();
      try {
        Browser browser = Browser.start(server.url());
        server.fill();
        return new Running(server, browser.signIn(server.link()));
      } catch (RuntimeException e) {
        server.close();
        throw e;
      }
    }

    @Override
    public void close() {
      browser.close();
      server.close();
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    running =
        context
            .getRoot()
            .getStore(ExtensionContext.Namespace.GLOBAL)
            .computeIfAbsent(Running.class, _ -> Running.start(), Running.class);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    browser().size(1440, 900);
    browser().theme("light");
    browser().console();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    assertThat(browser().console()).as("the console of the browser").isEmpty();
  }

  SampleServer server() {
    return running().server;
  }

  Browser browser() {
    return running().browser;
  }

  private Running running() {
    if (running == null) {
      throw new IllegalStateException("the test has not started");
    }
    return running;
  }
}
