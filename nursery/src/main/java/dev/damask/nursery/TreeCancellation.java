package dev.damask.nursery;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One cancellation that is propagated through a tree of tokens, nurseries and children.
///
/// First every token, nursery and child below gets its reason, then the children are interrupted,
/// then the grace periods begin. User code runs last: cleanups of empty nurseries and callbacks. So
/// code that an interrupt wakes finds the reason, and a callback cannot delay the interrupt of a
/// child. The tree is walked with a queue, because recursion could overflow the stack.
final class TreeCancellation {

  private record Mark(CancelToken token, CancelReason why) {}

  private final ArrayDeque<Mark> marks = new ArrayDeque<>();
  private final List<RunningChild<?>> children = new ArrayList<>();
  private final List<Runnable> graces = new ArrayList<>();
  private final List<Runnable> actions = new ArrayList<>();

  /// Cancels a token and everything below it. Returns false if that has already happened, or if the
  /// token belongs to a nursery that has ended.
  static boolean of(CancelToken token, CancelReason why) {
    var work = new TreeCancellation();
    boolean isFirst;
    Throwable thrown = null;
    try {
      isFirst = token.mark(why, work);
    } finally {
      thrown = work.markAll();
    }
    work.complete(thrown);
    return isFirst;
  }

  /// Cancels one child and everything below it. Returns false if it was cancelled before.
  static boolean of(RunningChild<?> child, CancelReason why, boolean isWatched) {
    var work = new TreeCancellation();
    if (!child.mark(why, work)) {
      return false;
    }
    if (isWatched) {
      work.grace(child::watchGrace);
    }
    work.complete(work.markAll());
    return true;
  }

  /// Adds a token to cancel.
  void add(CancelToken token, CancelReason why) {
    marks.add(new Mark(token, why));
  }

  /// Adds a child that has its reason and must be interrupted.
  void interrupt(RunningChild<?> child) {
    children.add(child);
  }

  /// Adds the start of a grace period.
  void grace(Runnable watch) {
    graces.add(watch);
  }

  /// Adds user code, or code that may call user code.
  void action(Runnable action) {
    actions.add(action);
  }

  private @Nullable Throwable markAll() {
    Throwable thrown = null;
    for (Mark mark = marks.poll(); mark != null; mark = marks.poll()) {
      try {
        mark.token.mark(mark.why, this);
      } catch (RuntimeException | Error e) {
        thrown = Errors.joined(thrown, e);
      }
    }
    // The innermost first, so that an owner is not woken before the children it waits for.
    for (RunningChild<?> child : children.reversed()) {
      child.interrupt();
    }
    return thrown;
  }

  private void complete(@Nullable Throwable before) {
    Throwable thrown = before;
    for (Runnable grace : graces) {
      try {
        grace.run();
      } catch (RuntimeException | Error e) {
        thrown = Errors.joined(thrown, e);
      }
    }
    try {
      if (Deadlines.isOwnThread()) {
        Callbacks.start("nursery-callbacks", actions);
      } else {
        Callbacks.run(actions);
      }
    } catch (RuntimeException | Error e) {
      thrown = Errors.joined(thrown, e);
    }
    Errors.rethrow(thrown);
  }
}
