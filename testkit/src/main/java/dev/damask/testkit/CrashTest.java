package dev.damask.testkit;

import dev.damask.caller.CaseView;
import dev.damask.cases.EngineOptions;
import dev.damask.effect.EffectCall;
import dev.damask.effect.Receipt;
import dev.damask.event.Failure;
import dev.damask.store.CaseStatus;
import dev.damask.task.Delivery;
import dev.damask.testkit.CrashingStore.Point;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Kills the process at every commit of a workflow and checks that the outcome does not change.
///
/// A play is a test's use of a [TestEngine]: it starts cases, sends signals, advances the time and
/// may contain assertions. It runs once without a crash. Then it runs once per crash point: before
/// the first commit, after it, before the second, and so on. After each run:
///
/// - every case must have the same status, failure, context and waits as without the crash,
/// - every effect of the first run must have been performed with its own key and payload, and no
///   other effect,
/// - no at-most-once effect may have been sent twice. A case that could not know the outcome of
///   such an effect may end differently.
///
/// A play must create all its own state, because it runs several times.
public final class CrashTest {
  /// The state of a case that is compared.
  private record Standing(
      CaseStatus status, Optional<Failure> failure, Context context, List<String> waits) {}

  /// An effect that was sent.
  private record Sent(String caseId, String task, String key, Context with) {}

  /// The result of a sweep.
  ///
  /// @param commits the number of commits of the run without a crash
  /// @param crashes the number of simulated crashes
  public record Report(int commits, int crashes) {}

  private final EngineOptions options;
  private final Consumer<TestEngine> play;
  private final TestEngine calm;
  private int crashes;

  private CrashTest(EngineOptions options, Consumer<TestEngine> play) {
    this.options = options;
    this.play = play;
    this.calm = new TestEngine(options, _ -> false);
    play.accept(calm);
  }

  /// Runs a play with a crash before and after every commit. Throws `AssertionError` with the crash
  /// point and the trace if a run differs.
  public static Report atEveryCommit(Consumer<TestEngine> play) {
    return atEveryCommit(EngineOptions.defaults(), play);
  }

  /// Runs a play with these options and a crash before and after every commit. Throws
  /// `AssertionError` with the crash point and the trace if a run differs.
  public static Report atEveryCommit(EngineOptions options, Consumer<TestEngine> play) {
    return new CrashTest(options, play).sweep(1);
  }

  /// Runs a play like `atEveryCommit`, with a second crash at every commit that follows the first.
  public static Report atEveryPairOfCommits(Consumer<TestEngine> play) {
    return new CrashTest(EngineOptions.defaults(), play).sweep(2);
  }

  private Report sweep(int depth) {
    sweep(List.of(), calm.commits(), depth);
    return new Report(calm.commits(), crashes);
  }

  private void sweep(List<Point> before, int commits, int depth) {
    int from = before.isEmpty() ? 1 : before.getLast().commit() + 1;
    for (int commit = from; commit <= commits; commit++) {
      for (boolean isAfter : new boolean[] {false, true}) {
        List<Point> points = new ArrayList<>(before);
        points.add(new Point(commit, isAfter));
        TestEngine crashed = play(points);
        if (depth > 1) {
          sweep(points, crashed.commits(), depth - 1);
        }
      }
    }
  }

  private TestEngine play(List<Point> points) {
    TestEngine test = new TestEngine(options, points::contains);
    try {
      play.accept(test);
      crashes += test.crashes();
      compare(test);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("killed %s: %s".formatted(points, e.getMessage()), e);
    }
    return test;
  }

  private void compare(TestEngine test) {
    List<TestCase> expected = calm.cases();
    List<TestCase> found = test.cases();
    if (found.size() != expected.size()) {
      throw new AssertionError("expected " + expected.size() + " cases, found " + found.size());
    }
    boolean isCertain = true;
    for (int i = 0; i < found.size(); i++) {
      TestCase each = found.get(i);
      if (each.receipts().stream().anyMatch(CrashTest::isIndeterminate)) {
        isCertain = false;
        continue;
      }
      Standing standing = standing(each);
      Standing before = standing(expected.get(i));
      if (!standing.equals(before)) {
        throw new AssertionError(each.describe("expected " + before + ", found " + standing));
      }
    }
    effects(test, isCertain);
  }

  private static boolean isIndeterminate(Receipt receipt) {
    return receipt.body().result() instanceof Receipt.Result.Indeterminate;
  }

  private static Standing standing(TestCase each) {
    CaseView view = each.view();
    return new Standing(view.status(), view.failure(), view.context(), TestCase.waits(view));
  }

  private void effects(TestEngine test, boolean isCertain) {
    Map<String, Sent> byId = new LinkedHashMap<>();
    for (EffectCall call : test.calls()) {
      Sent sent = sent(call);
      Sent before = byId.putIfAbsent(call.caseId() + "/" + call.id(), sent);
      if (before != null && !before.equals(sent)) {
        throw new AssertionError(
            "effect sent again with different data: " + before + ", then " + sent);
      }
    }
    sentOnce(test.calls());
    Set<Sent> found = new HashSet<>(byId.values());
    Set<Sent> expected = new HashSet<>();
    calm.calls().forEach(call -> expected.add(sent(call)));
    if (isCertain && !found.equals(expected)) {
      throw new AssertionError("expected the effects " + expected + ", found " + found);
    }
  }

  private static void sentOnce(List<EffectCall> calls) {
    Set<String> seen = new HashSet<>();
    for (EffectCall call : calls) {
      boolean isFirst = seen.add(call.caseId() + "/" + call.id() + "/" + call.attempt());
      if (!isFirst && call.delivery() == Delivery.AT_MOST_ONCE) {
        throw new AssertionError("at-most-once effect was sent twice: " + call);
      }
    }
  }

  private static Sent sent(EffectCall call) {
    return new Sent(call.caseId(), call.task(), call.key(), call.with());
  }
}
