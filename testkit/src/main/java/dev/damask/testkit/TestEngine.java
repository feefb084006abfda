package dev.damask.testkit;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.MigrationResult;
import dev.damask.cases.EngineOptions;
import dev.damask.cases.ManualEngine;
import dev.damask.clock.VirtualClock;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Effects;
import dev.damask.event.Mapping;
import dev.damask.ops.Migrations;
import dev.damask.ops.Schedules;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.script.ScriptFunction;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.term.Schedule;
import dev.damask.term.Workflow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The production engine for tests: in memory, on the test's thread, in virtual time. The test
/// advances the time, scripts the responses of effects and simulates crashes.
///
/// Every call runs until no work is left at the current virtual time, so a test never waits or
/// sleeps. An effect without a scripted answer is performed by its own handler on the test's
/// thread. Two effects with the same user key are both performed if they run at the same virtual
/// time; in production the second waits for the first.
///
/// A script runs again from its beginning after every step, with the items of `all` in random
/// order. A test fails with an `AssertionError` that shows both lists if the steps differ.
public final class TestEngine {
  private static final long BEGIN = 1_700_000_000_000L;

  private final VirtualClock clock = new VirtualClock(BEGIN);
  private final MemoryStore disk = new MemoryStore();
  private final FakeServices outside = new FakeServices();
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

  /// Opens an engine with the default options.
  public static TestEngine open() {
    return open(EngineOptions.defaults());
  }

  /// Opens an engine with your handlers, approvals and limits. The test engine sets the clock, the
  /// number of shards and the trace level.
  public static TestEngine open(EngineOptions options) {
    return new TestEngine(options, _ -> false);
  }

  private Effects effects(Effects.Sink sink) {
    TestEffects made = new TestEffects(outside, clock, this::finished, sink);
    effects = made;
    return made;
  }

  private @Nullable EffectResult finished(EffectCall call) {
    return engine.finished(call);
  }

  /// Scripts the answers to the effects of a task or type: the first answer to the first attempt,
  /// and so on; the last answer to all further attempts. An attempt that is sent again after a
  /// crash gets the same answer again.
  public TestEngine when(String taskOrType, Answer first, Answer... more) {
    List<Answer> answers = new ArrayList<>(List.of(first));
    answers.addAll(List.of(more));
    outside.script(taskOrType, answers);
    if (!options.handlers().containsKey(taskOrType)) {
      // Without a handler the engine would wait until the task is completed manually.
      return handle(taskOrType, _ -> null);
    }
    return this;
  }

  /// Registers a handler for the effects of a type. It runs on the test's thread.
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

  /// Starts a case and runs it until it waits or ends.
  public TestCase start(WorkflowDefinition workflow, String caseId) {
    return start(workflow, caseId, Context.empty());
  }

  /// Starts a case with its input, a context for a [WorkflowDefinition], and runs it until it waits
  /// or ends.
  public <I> TestCase start(Workflow<I, ?> workflow, String caseId, I input) {
    return start(workflow, caseId, input, CaseOptions.DEFAULT);
  }

  /// Starts a case with its input and options and runs it until it waits or ends.
  public <I> TestCase start(Workflow<I, ?> workflow, String caseId, I input, CaseOptions own) {
    Context context = workflow.encode(input);
    boolean isNew = !cases.containsKey(caseId);
    TestCase made = cases.computeIfAbsent(caseId, id -> new TestCase(this, id, workflow));
    try {
      ask(engine -> engine.start(workflow.definition(), caseId, context, own));
    } catch (RuntimeException e) {
      cases.remove(isNew ? caseId : "");
      throw e;
    }
    return made;
  }

  /// Creates or changes a schedule. [#advance] starts its cases when they are due.
  public <I> TestEngine schedule(String name, Schedule schedule, Workflow<I, ?> workflow, I input) {
    while (true) {
      try {
        engine.schedules().put(name, schedule, workflow, input);
        settle();
        return this;
      } catch (CrashingStore.Died e) {
        reopen();
      }
    }
  }

  /// Returns the schedules of the store.
  public Schedules schedules() {
    return engine.schedules();
  }

  /// Simulates an outage: the process dies, nothing runs for a time, and another process starts.
  public TestEngine outage(Duration time) {
    clock.moveTo(clock.time() + time.toMillis());
    return crash();
  }

  /// Simulates a process that dies, and another one that starts with a clock that was set back.
  void setBack(Duration time) {
    clock.set(-time.toMillis());
    crash();
  }

  /// Removes the cases that have ended, as retention does.
  void sweep() {
    engine.sweep(Long.MAX_VALUE);
    settle();
  }

  /// Returns a case that this engine did not start through [#start], such as a child case.
  TestCase find(String caseId, Workflow<?, ?> workflow) {
    return cases.computeIfAbsent(caseId, id -> new TestCase(this, id, workflow));
  }

  /// Advances the virtual time and processes everything that is due.
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
    long due = engine.nextDue();
    boolean isNever = due == Long.MAX_VALUE;
    // The clock may show another time than has passed.
    long passed = isNever ? due : due - clock.shown() + clock.time();
    return Math.min(passed, running().nextDue());
  }

  private TestEffects running() {
    TestEffects running = effects;
    if (running == null) {
      throw new IllegalStateException("the engine is not open");
    }
    return running;
  }

  /// Simulates a crash and a restart: only durable data survives.
  public TestEngine crash() {
    crashes++;
    engine = engine.reopen(options, reopened(), this::effects);
    settle();
    return this;
  }

  /// Returns the migrations of the cases to other versions of their workflows:
  /// `test.migrations().plan(old, next).run(100)`.
  public Migrations migrations() {
    return new Migrations(
        disk,
        new Migrations.Mover() {
          private final Map<ProgramHash, Program> programs = new HashMap<>();

          @Override
          public Program program(Workflow<?, ?> workflow) {
            Program program = engine.program(workflow.definition());
            programs.put(program.hash(), program);
            return program;
          }

          @Override
          public Optional<Program> code(ProgramHash hash) {
            return Optional.ofNullable(programs.get(hash));
          }

          @Override
          public CompletableFuture<MigrationResult> attempt(
              String caseId, Program target, Mapping mapping) {
            return CompletableFuture.completedFuture(
                ask(engine -> engine.attemptMigration(caseId, target, mapping)));
          }

          @Override
          public CompletableFuture<MigrationResult> move(
              String caseId, Program target, Mapping mapping) {
            return CompletableFuture.completedFuture(
                ask(engine -> engine.migrate(caseId, target, mapping)));
          }
        });
  }

  /// Returns every call of the external services so far, including those repeated after a crash.
  public List<EffectCall> calls() {
    return List.copyOf(outside.calls);
  }

  /// Returns the virtual time that has passed.
  public Duration elapsed() {
    return Duration.ofMillis(clock.time() - BEGIN);
  }

  /// Sends a request like a client that retries: if the process died before it answered, the
  /// request is sent to the next engine.
  <T> T ask(Function<ManualEngine, CompletableFuture<T>> request) {
    for (int asked = crashes; ; asked = crashes) {
      CompletableFuture<T> reply = request.apply(engine);
      settle();
      if (reply.isDone()) {
        return answer(reply);
      }
      if (asked == crashes) {
        throw new IllegalStateException("the engine is idle and has not answered");
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

  /// Sends a request like [#ask]. Returns null if the case has not ended.
  <T> @Nullable T askNow(Function<ManualEngine, CompletableFuture<T>> request) {
    CompletableFuture<T> reply = request.apply(engine);
    settle();
    return reply.isDone() ? answer(reply) : null;
  }

  /// Returns a message id, so that a message that is sent several times is processed once.
  String messageId() {
    return "message-" + ++messages;
  }

  private void settle() {
    boolean works = true;
    while (works) {
      try {
        works = engine.turn() || running().deliver();
      } catch (CrashingStore.Died e) {
        reopen();
      }
    }
    cases.keySet().forEach(this::requireSameSteps);
  }

  /// A script runs again from its beginning after every step. Throws `AssertionError` if it asked
  /// for other steps than before.
  private void requireSameSteps(String caseId) {
    for (EffectIntent intent : disk.intents(caseId)) {
      intent
          .incident()
          .filter(incident -> incident.reason().equals(ScriptFunction.DIVERGED))
          .ifPresent(incident -> {
            throw new AssertionError(incident.detail());
          });
    }
  }

  private void reopen() {
    crashes++;
    engine = engine.reopen(options, reopened(), this::effects);
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
