package dev.damask.intake;

import dev.damask.exec.Machine;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// What a thread does for a shard where it may run user code: functions, listeners, callbacks of
/// answers. One thread at a time is in it. The monitor reads it to find slow moves. The closer
/// reads it to leave a shard behind whose user code does not return.
///
/// Leaving behind is one step: either the thread has ended the activity before, or it finds at the
/// next border that it was left behind, and ends without touching the shard or the store.
public final class ShardActivity {
  /// Ends the thread of a shard that was left behind.
  public static final class LeftBehind extends RuntimeException {
    private static final long serialVersionUID = 1;

    LeftBehind() {
      super("the shard was left behind when the engine closed", null, false, false);
    }
  }

  /// The case that is moved.
  record Moved(String caseId, String workflow, Machine machine) {}

  /// @param moved null outside of a move
  /// @param outer the activity that contains this one
  record Activity(
      @Nullable Moved moved, Thread thread, long sinceNanos, @Nullable Activity outer) {}

  private final Activity left = new Activity(null, Thread.currentThread(), 0, null);

  // Written by the shard, and once by the closer.
  private final AtomicReference<@Nullable Activity> now = new AtomicReference<>();

  @Nullable Activity now() {
    return now.get();
  }

  /// Begins an activity that moves no case. Throws [LeftBehind] if the shard was left behind.
  public void begin() {
    begin(null);
  }

  /// Begins the move of a case. Throws [LeftBehind] if the shard was left behind.
  public void begin(String caseId, String workflow, Machine machine) {
    begin(new Moved(caseId, workflow, machine));
  }

  private void begin(@Nullable Moved moved) {
    Activity outer = now.get();
    Activity begun = new Activity(moved, Thread.currentThread(), System.nanoTime(), outer);
    if (outer == left || !now.compareAndSet(outer, begun)) {
      throw new LeftBehind();
    }
  }

  /// Ends the innermost activity and returns how long it took, in nanoseconds. Throws [LeftBehind]
  /// if the shard was left behind.
  public long end() {
    Activity ended = now.get();
    if (ended == null) {
      return 0;
    }
    if (ended == left || !now.compareAndSet(ended, ended.outer)) {
      throw new LeftBehind();
    }
    return System.nanoTime() - ended.sinceNanos;
  }

  /// Leaves the shard behind, whatever its thread does.
  public void leave() {
    now.set(left);
  }

  /// Throws [LeftBehind] if the shard was left behind.
  void requireNotLeft() {
    if (now.get() == left) {
      throw new LeftBehind();
    }
  }

  /// Leaves the shard behind and returns what its thread does. Null if it is in no activity; then
  /// nothing changes.
  public @Nullable String leaveBehind(int shard) {
    Activity stuck = now.get();
    if (stuck == null || stuck == left || !now.compareAndSet(stuck, left)) {
      return null;
    }
    Moved moved = stuck.moved;
    return "shard %d%s, at %s"
        .formatted(shard, moved == null ? "" : " in case " + moved.caseId, place(stuck.thread));
  }

  /// The innermost frame that is not of the JDK.
  private static String place(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .filter(
            frame -> frame.getModuleName() == null || !frame.getModuleName().startsWith("java."))
        .findFirst()
        .map(StackTraceElement::toString)
        .orElse("an unknown place");
  }
}
