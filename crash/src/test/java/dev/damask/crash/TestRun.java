package dev.damask.crash;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// Runs tests with the classes of one loader, up to the first that fails. A test that does not
/// return within a time is interrupted, which fails it.
final class TestRun implements TestExecutionListener {
  private static final Duration LOOK = Duration.ofMillis(100);

  /// A test that failed.
  ///
  /// @param id the unique id of the test, or of the class that could not be set up
  record Failed(String id, String name, Throwable thrown) {}

  /// What a run found.
  ///
  /// @param failed the first test that failed; null if all passed
  record Result(@Nullable Failed failed, int passed) {}

  private final CancellationToken stop = CancellationToken.create();
  private final AtomicReference<@Nullable Failed> failed = new AtomicReference<>();
  private final AtomicInteger passed = new AtomicInteger();
  private volatile long begunNanos = System.nanoTime(); // written by the thread of the tests

  private TestRun() {}

  /// @param loader the context class loader of the tests, which finds the classes of unique ids
  /// @param time how long a test has until it is interrupted
  static Result of(ClassLoader loader, DiscoverySelector tests, Duration time)
      throws InterruptedException {
    TestRun run = new TestRun();
    Thread thread = Thread.ofPlatform().daemon().unstarted(() -> run.execute(tests));
    thread.setContextClassLoader(loader);
    thread.start();
    while (!thread.join(LOOK)) {
      if (System.nanoTime() - run.begunNanos > time.toNanos()) {
        thread.interrupt();
      }
    }
    return new Result(run.failed.get(), run.passed.get());
  }

  private void execute(DiscoverySelector tests) {
    Launcher launcher =
        LauncherFactory.create(
            LauncherConfig.builder().enableTestExecutionListenerAutoRegistration(false).build());
    launcher.execute(
        LauncherExecutionRequestBuilder.request(
                LauncherDiscoveryRequestBuilder.request().selectors(tests).build())
            .cancellationToken(stop)
            .listeners(this)
            .build());
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    begunNanos = System.nanoTime();
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (result.getStatus() == TestExecutionResult.Status.FAILED) {
      Throwable thrown = result.getThrowable().orElseGet(() -> new AssertionError("failed"));
      failed.compareAndSet(null, new Failed(test.getUniqueId(), test.getDisplayName(), thrown));
      stop.cancel();
    } else if (test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
      passed.incrementAndGet();
    }
  }
}
