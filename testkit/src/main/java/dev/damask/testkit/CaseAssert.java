package dev.damask.testkit;

import dev.damask.caller.CaseView;
import dev.damask.event.Failure;
import dev.damask.store.CaseStatus;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Assertions on a case of a test. A failed assertion prints the trace of the case.
///
/// ```
/// assertThat(order).hasCompleted().hasResult("payment", "p-1").hasCalled("ship", 1);
/// ```
public final class CaseAssert {
  private final TestCase actual;

  private CaseAssert(TestCase actual) {
    this.actual = actual;
  }

  /// Starts assertions on a case.
  public static CaseAssert assertThat(TestCase actual) {
    return new CaseAssert(actual);
  }

  /// Checks that the case has completed.
  public CaseAssert hasCompleted() {
    return hasStatus(CaseStatus.COMPLETED);
  }

  /// Checks that the case has failed with this reason.
  public CaseAssert hasFailed(String reason) {
    hasStatus(CaseStatus.FAILED);
    String found = actual.view().failure().map(Failure::reason).orElse("nothing");
    return require(found.equals(reason), "expected failure %s, found %s".formatted(reason, found));
  }

  /// Checks that the case was cancelled.
  public CaseAssert wasCancelled() {
    return hasStatus(CaseStatus.CANCELLED);
  }

  /// Checks the status of the case.
  public CaseAssert hasStatus(CaseStatus status) {
    CaseStatus found = actual.view().status();
    return require(found == status, "expected status %s, found %s".formatted(status, found));
  }

  /// Checks that the case waits for exactly these places and tasks.
  public CaseAssert isWaitingFor(String... names) {
    CaseView view = actual.view();
    require(
        view.status() == CaseStatus.WAITING,
        "expected status WAITING, found %s".formatted(view.status()));
    List<String> expected = List.of(names).stream().sorted().toList();
    List<String> found = TestCase.waits(view);
    return require(
        found.equals(expected), "expected to wait for %s, found %s".formatted(expected, found));
  }

  /// Checks the value of a key in the case's context.
  public CaseAssert hasResult(String key, @Nullable Object value) {
    Object found = actual.view().context().get(key);
    // Contexts store integers as long.
    Object expected = value instanceof Integer number ? Long.valueOf(number) : value;
    return require(
        Objects.equals(found, expected), "expected %s = %s, found %s".formatted(key, value, found));
  }

  /// Checks the number of different effects of a task that were performed. An effect that was sent
  /// again after a crash counts once.
  public CaseAssert hasPerformed(String task, int times) {
    long found = actual.calls(task).stream().map(call -> call.key()).distinct().count();
    return require(
        found == times,
        "expected %s to be performed %d times, found %d".formatted(task, times, found));
  }

  /// Checks the number of calls for a task, including every attempt and every repetition after a
  /// crash.
  public CaseAssert hasCalled(String task, int times) {
    int found = actual.calls(task).size();
    return require(
        found == times, "expected %d calls of %s, found %d".formatted(times, task, found));
  }

  private CaseAssert require(boolean holds, String sentence) {
    if (!holds) {
      throw new AssertionError(actual.describe(sentence));
    }
    return this;
  }
}
