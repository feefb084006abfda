package dev.damask.effect;

import dev.damask.task.EffectId;
import dev.damask.task.TaskFunction;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/// Performs effects whose intents are durable: the port between the shards and the caller of
/// handlers.
public interface Effects {
  /// Receives how a call ended. It may be called in any thread and may block.
  @FunctionalInterface
  interface Sink {
    /// Reports the result of a call.
    void report(EffectCall call, EffectResult result);

    /// Receives how long a handler ran, before its result is reported.
    default void ended(EffectCall call, long nanos, EffectResult result) {}
  }

  /// Makes no calls. Drivers that answer effects themselves extend it.
  class None implements Effects {
    @Override
    public void start(EffectCall call, EffectHandler handler, boolean userKey) {}

    @Override
    public void compute(EffectCall call, TaskFunction function) {}

    @Override
    public void withdraw(String caseId, EffectId id) {}

    @Override
    public void settled(String caseId, EffectId id, String type, String key) {}

    @Override
    public long calls() {
      return 0;
    }

    @Override
    public int open() {
      return 0;
    }

    @Override
    public List<String> close(Duration grace) {
      return List.of();
    }
  }

  /// Calls the handler as soon as the limits allow. The intent must be durable.
  void start(EffectCall call, EffectHandler handler, boolean userKey);

  /// Runs a task function outside of its shard. The case waits for it durably; nothing else of it
  /// is stored.
  void compute(EffectCall call, TaskFunction function);

  /// Runs a script, which may wait for its steps if [#mayBlock], outside of its shard.
  default void script(EffectCall call, TaskFunction run) {
    compute(call, run);
  }

  /// Returns whether scripts may block the thread that runs them.
  default boolean mayBlock() {
    return false;
  }

  /// Interrupts the call of a task that was cancelled, or removes it from the queue.
  void withdraw(String caseId, EffectId id);

  /// The receipt of an effect with a user's key is durable: those in line get its result.
  void settled(String caseId, EffectId id, String type, String key);

  /// Counts a call that the calling thread makes itself; false if as many calls of the type run as
  /// may run at once.
  default boolean tryEnter(String type) {
    return true;
  }

  /// The call that [#tryEnter] counted has ended.
  default void leave(String type) {}

  /// Returns how many calls were made.
  long calls();

  /// Returns how many calls run or wait.
  int open();

  /// Returns whether a call runs or waits.
  default boolean isOpen(String caseId, EffectId id) {
    return false;
  }

  /// Returns the calls that run or wait.
  default List<EffectCall> openCalls() {
    return List.of();
  }

  /// Notices calls that keep other calls from running, until the latch is released.
  default void watch(CountDownLatch closed) throws InterruptedException {
    closed.await();
  }

  /// Waits for running calls, then interrupts those that are left. Returns the calls that ignored
  /// the interrupt and are left behind; what they return later is dropped.
  List<String> close(Duration grace);
}
