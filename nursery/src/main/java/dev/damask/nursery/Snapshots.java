package dev.damask.nursery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Creates snapshots of running nurseries. Children continue to run: each line is true at some
/// moment during the snapshot, but not all at the same moment.
final class Snapshots {

  /// The maximum number of children per nursery whose wait location is read, because that walks the
  /// child's stack. The others show only the object they are blocked on.
  static final int PLACES_MAX = 1_000;

  private Snapshots() {}

  static NurserySnapshot of(Nursery nursery) {
    CancelReason why = nursery.token().reasonOrNull();
    return new NurserySnapshot(
        nursery.options().name(),
        nursery.state(),
        Duration.ofNanos(nursery.ageNanos()),
        why == null ? "" : why.text(),
        nursery.roster().added(),
        nursery.budget().left(),
        children(nursery));
  }

  static List<ChildSnapshot> children(Nursery nursery) {
    var children = new ArrayList<ChildSnapshot>();
    for (RunningChild<?> child : nursery.roster().children()) {
      children.add(of(child, children.size() < PLACES_MAX));
    }
    return children;
  }

  static ChildSnapshot of(RunningChild<?> child, boolean withPlace) {
    return new ChildSnapshot(
        child.name(),
        child.state(),
        Duration.ofNanos(child.ageNanos()),
        waitsFor(child.thread(), withPlace),
        child.nurseries().stream().map(Snapshots::of).toList());
  }

  /// Returns the object that a thread is blocked on and the location in its code, or an empty
  /// string while it runs.
  private static String waitsFor(@Nullable Thread thread, boolean withPlace) {
    if (thread == null) {
      return "";
    }
    return switch (thread.getState()) {
      case NEW, RUNNABLE, TERMINATED -> "";
      case BLOCKED, WAITING, TIMED_WAITING -> {
        Object blocker = LockSupport.getBlocker(thread);
        String what = blocker == null ? "a wake-up" : blocker.getClass().getSimpleName();
        yield withPlace ? what + place(thread) : what;
      }
    };
  }

  /// Returns the first stack frame outside the JDK and the nursery package.
  private static String place(Thread thread) {
    for (StackTraceElement frame : thread.getStackTrace()) {
      String type = frame.getClassName();
      if (!type.startsWith("java.") && !type.startsWith("jdk.") && !isOwn(type)) {
        return " at " + frame;
      }
    }
    return "";
  }

  private static boolean isOwn(String type) {
    return type.equals(Nursery.class.getName())
        || type.equals(RunningChild.class.getName())
        || type.equals(Budget.class.getName());
  }
}
