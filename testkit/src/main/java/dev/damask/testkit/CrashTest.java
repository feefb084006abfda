package dev.damask.testkit;

import dev.damask.cases.CaseView;
import dev.damask.cases.EngineOptions;
import dev.damask.effect.EffectCall;
import dev.damask.effect.Receipt;
import dev.damask.exec.Failure;
import dev.damask.store.CaseStatus;
import dev.damask.task.Context;
import dev.damask.task.Delivery;
import dev.damask.testkit.CrashingStore.Point;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Kills the process at every commit of your workflow.
///
/// A play is what a test does with a [TestEngine]: it starts cases, sends signals, lets time pass,
/// and may assert what it likes. It is played once without a crash; then again and again, killed
/// before the first commit, after it, before the second, and so on. Each time
///
/// - every case must stand as it stood without the crash: the same status, failure and context, and
///   waiting for the same things,
/// - every effect of the first play must have been performed, each time with its own key and
///   payload, and no other effect,
/// - no effect that is delivered at most once may have been sent twice. A case that could not know
///   the outcome of such an effect is allowed to end otherwise.
///
/// A play has to make its own world, or the second run would meet what the first one left behind.
public final class CrashTest {
  /// How a case stands.
  private record Standing(
      CaseStatus status, Optional<Failure> failure, Context context, List<String> waits) {}

  /// An effect that was sent.
  private record Sent(String caseId, String task, String key, Context with) {}

  /// What a sweep did.
  ///
  /// @param commits of the play without a crash
  /// @param crashes how often the process was killed
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

  /// An `AssertionError` with the place of the crash and the trace when the play goes otherwise.
  public static Report atEveryCommit(Consumer<TestEngine> play) {
    return atEveryCommit(EngineOptions.defaults(), play);
  }

  public static Report atEveryCommit(EngineOptions options, Consumer<TestEngine> play) {
    return new CrashTest(options, play).sweep(1);
  }

  /// As above, with a second crash at every commit that follows the first.
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
      throw new AssertionError(found.size() + " cases, not " + expected.size());
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
        throw new AssertionError("sent again as something else: " + before + ", then " + sent);
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
        throw new AssertionError("sent twice although at most once: " + call);
      }
    }
  }

  private static Sent sent(EffectCall call) {
    return new Sent(call.caseId(), call.task(), call.key(), call.with());
  }
}
