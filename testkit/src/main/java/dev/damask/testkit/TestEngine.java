package dev.damask.testkit;

import dev.damask.cases.CaseOptions;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.ManualEngine;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Effects;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.task.Context;
import dev.damask.term.Workflow;
import dev.damask.trace.TraceLevel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The real engine for a test: in memory, in the thread of the test, in virtual time. Two days pass
/// when the test says so, effects answer what the test says, and a crash is a line of code.
///
/// Every call works until nothing is left to do at this moment of virtual time, so that a test
/// never waits and never sleeps. An effect that no script answers is performed by its own handler,
/// in the thread of the test. Two effects with the same key of yours are both performed when they
/// run at the same moment; in production the second one waits for the first.
public final class TestEngine {
  private static final long BEGIN = 1_700_000_000_000L;

  private final VirtualClock clock = new VirtualClock(BEGIN);
  private final MemoryStore disk = new MemoryStore();
  private final Outside outside = new Outside();
  private final CrashingStore store;
  private final Map<String, TestCase> cases = new LinkedHashMap<>();
  private EngineOptions options;
  private @Nullable TestEffects effects; // null until the first engine is open
  private ManualEngine engine;
  private int crashes;
  private int messages;

  TestEngine(EngineOptions options, Predicate<CrashingStore.Point> crashPoints) {
    this.options = options.withShards(1).withTrace(TraceLevel.MIN).withClock(clock);
    this.store = new CrashingStore(disk, crashPoints);
    this.engine = ManualEngine.open(this.options, store, this::effects);
  }

  public static TestEngine open() {
    return open(EngineOptions.defaults());
  }

  /// With handlers, approvals or limits of your own. The clock, the shards and the level of the
  /// trace are those of the test.
  public static TestEngine open(EngineOptions options) {
    return new TestEngine(options, _ -> false);
  }

  private Effects effects(Effects.Sink sink) {
    TestEffects made = new TestEffects(outside, clock, this::finished, sink);
    effects = made;
    return made;
  }

  private EffectResult.@Nullable Same finished(String type, String key) {
    return engine.finished(type, key);
  }

  /// Says what the other side answers to the effects of a task or of a type: the first answer to
  /// the first attempt, and so on; the last one to all that follow. An attempt that is sent again
  /// after a crash gets the same answer again.
  public TestEngine when(String taskOrType, Answer first, Answer... more) {
    List<Answer> answers = new ArrayList<>(List.of(first));
    answers.addAll(List.of(more));
    outside.script(taskOrType, answers);
    if (!options.handlers().containsKey(taskOrType)) {
      // Without a handler the engine would wait for somebody to complete the task by hand.
      return handle(taskOrType, _ -> null);
    }
    return this;
  }

  /// A handler for the effects of a type; it runs in the thread of the test.
  public TestEngine handle(String type, EffectHandler handler) {
    options = options.withHandler(type, handler);
    engine = engine.reopen(options, reopened(), this::effects);
    settle();
    return this;
  }

  private Store reopened() {
    disk.reopened();
    return store;
  }

  /// Starts a case and runs it as far as it goes by itself.
  public TestCase start(Workflow workflow, String caseId) {
    return start(workflow, caseId, Context.empty());
  }

  public TestCase start(Workflow workflow, String caseId, Context context) {
    return start(workflow, caseId, context, CaseOptions.DEFAULT);
  }

  public TestCase start(Workflow workflow, String caseId, Context context, CaseOptions own) {
    ask(engine -> engine.start(workflow, caseId, context, own));
    return cases.computeIfAbsent(caseId, id -> new TestCase(this, id, workflow));
  }

  /// Lets time pass, with everything that happens on the way.
  public TestEngine advance(Duration time) {
    settle();
    long target = clock.time() + time.toMillis();
    for (long next = nextDue(); next <= target; next = nextDue()) {
      clock.moveTo(next);
      settle();
    }
    clock.moveTo(target);
    settle();
    return this;
  }

  private long nextDue() {
    return Math.min(engine.nextDue(), running().nextDue());
  }

  private TestEffects running() {
    TestEffects running = effects;
    if (running == null) {
      throw new IllegalStateException("no engine is open");
    }
    return running;
  }

  /// The process dies and another one takes over: all that was durable is there, and nothing else.
  public TestEngine crash() {
    crashes++;
    engine = engine.reopen(options, reopened(), this::effects);
    settle();
    return this;
  }

  /// Every call of the outside so far, those repeated after a crash as well.
  public List<EffectCall> calls() {
    return List.copyOf(outside.calls);
  }

  /// How much virtual time has passed.
  public Duration elapsed() {
    return Duration.ofMillis(clock.time() - BEGIN);
  }

  /// Asks as a client does that never gives up: whoever got no answer because the process died asks
  /// the next one.
  <T> T ask(Function<ManualEngine, CompletableFuture<T>> request) {
    for (int asked = crashes; ; asked = crashes) {
      CompletableFuture<T> reply = request.apply(engine);
      settle();
      if (reply.isDone()) {
        return answer(reply);
      }
      if (asked == crashes) {
        throw new IllegalStateException("the engine rests and has not answered");
      }
    }
  }

  private static <T> T answer(CompletableFuture<T> reply) {
    try {
      return reply.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /// As [#ask], for an end that may not have come.
  <T> @Nullable T askNow(Function<ManualEngine, CompletableFuture<T>> request) {
    CompletableFuture<T> reply = request.apply(engine);
    settle();
    return reply.isDone() ? answer(reply) : null;
  }

  /// An id for a message, so that it counts once however often it is sent.
  String messageId() {
    return "message-" + ++messages;
  }

  private void settle() {
    boolean works = true;
    while (works) {
      try {
        works = engine.turn() || running().deliver();
      } catch (CrashingStore.Died e) {
        crashes++;
        engine = engine.reopen(options, reopened(), this::effects);
      }
    }
  }

  List<TestCase> cases() {
    return List.copyOf(cases.values());
  }

  int commits() {
    return store.commits();
  }

  int crashes() {
    return crashes;
  }

  Store store() {
    return disk;
  }

  ManualEngine engine() {
    return engine;
  }
}
