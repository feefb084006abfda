package dev.damask.testkit;

import dev.damask.cases.CaseView;
import dev.damask.exec.Failure;
import dev.damask.store.CaseStatus;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Says how a case of a test should stand, and prints its trace when it does not.
///
/// ```
/// assertThat(order).hasCompleted().hasResult("payment", "p-1").hasCalled("ship", 1);
/// ```
public final class CaseAssert {
  private final TestCase actual;

  private CaseAssert(TestCase actual) {
    this.actual = actual;
  }

  public static CaseAssert assertThat(TestCase actual) {
    return new CaseAssert(actual);
  }

  public CaseAssert hasCompleted() {
    return hasStatus(CaseStatus.COMPLETED);
  }

  /// It has failed with this word.
  public CaseAssert hasFailed(String reason) {
    hasStatus(CaseStatus.FAILED);
    String found = actual.view().failure().map(Failure::reason).orElse("nothing");
    return require(
        found.equals(reason), "expected to fail with %s, not %s".formatted(reason, found));
  }

  public CaseAssert wasCancelled() {
    return hasStatus(CaseStatus.CANCELLED);
  }

  public CaseAssert hasStatus(CaseStatus status) {
    CaseStatus found = actual.view().status();
    return require(found == status, "expected %s, not %s".formatted(status, found));
  }

  /// Waits for exactly these places and tasks.
  public CaseAssert isWaitingFor(String... names) {
    CaseView view = actual.view();
    require(
        view.status() == CaseStatus.WAITING, "expected to wait, not %s".formatted(view.status()));
    List<String> expected = List.of(names).stream().sorted().toList();
    List<String> found = TestCase.waits(view);
    return require(
        found.equals(expected), "expected to wait for %s, not %s".formatted(expected, found));
  }

  /// The value of a key in the context of the case.
  public CaseAssert hasResult(String key, @Nullable Object value) {
    Object found = actual.view().context().get(key);
    // Whole numbers are kept as long ones, however they were written.
    Object expected = value instanceof Integer number ? Long.valueOf(number) : value;
    return require(
        Objects.equals(found, expected), "expected %s = %s, not %s".formatted(key, value, found));
  }

  /// How many different effects of a task were performed; what was sent again after a crash counts
  /// once.
  public CaseAssert hasPerformed(String task, int times) {
    long found = actual.calls(task).stream().map(call -> call.key()).distinct().count();
    return require(found == times, "expected %s %d times, not %d".formatted(task, times, found));
  }

  /// How often a task was called, with every attempt and everything that was sent again.
  public CaseAssert hasCalled(String task, int times) {
    int found = actual.calls(task).size();
    return require(found == times, "expected %d calls of %s, not %d".formatted(times, task, found));
  }

  private CaseAssert require(boolean holds, String sentence) {
    if (!holds) {
      throw new AssertionError(actual.describe(sentence));
    }
    return this;
  }
}
