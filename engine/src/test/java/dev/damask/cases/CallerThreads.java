package dev.damask.cases;

import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/// The set-up of the tests in which callers move cases on their own threads: an engine with one
/// idle shard, and workflows that record the thread of each task.
abstract sealed class CallerThreads permits CallerTurnTest, CallerUndoTest {
  static final String SHARD = "shard-0";

  final MemoryStore memory = new MemoryStore();
  final Map<String, String> threads = new ConcurrentHashMap<>();

  static EngineOptions options() {
    return EngineOptions.defaults().withShards(1).withGrace(Duration.ofMillis(50));
  }

  /// The store of the engine.
  Store store() {
    return memory;
  }

  /// Records the thread that a task runs on, under the name of the task.
  Context note(String task, Context context) {
    threads.put(task, Thread.currentThread().getName());
    return context;
  }

  WorkflowDefinition noting() {
    return workflow("noting", task("a", c -> note(Objects.toString(c.get("name")), c)));
  }

  WorkflowDefinition waiting() {
    return workflow("waiting", defer(on("go", task("b", c -> note("go", c)))));
  }

  static Context named(String name) {
    return Context.of("name", name);
  }

  static String here() {
    return Thread.currentThread().getName();
  }

  static Thread start(Runnable body) {
    Thread thread = Thread.ofPlatform().daemon().unstarted(body);
    thread.start();
    return thread;
  }

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Opens an engine whose shard has read its timers and waits for work.
  Engine open(EngineOptions options, WorkflowDefinition... workflows) {
    Engine engine = Engine.open(options, store(), workflows);
    engine.startAsync(noting(), "first", named("first")).join();
    Shard shard = engine.shards().getFirst();
    while (!shard.lock.tryLock()) {
      LockSupport.parkNanos(100_000);
    }
    shard.lock.unlock();
    return engine;
  }
}
