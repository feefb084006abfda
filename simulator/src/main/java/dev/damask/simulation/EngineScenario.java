package dev.damask.simulation;

import dev.damask.caller.CaseView;
import dev.damask.caller.PendingTask;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.event.Failure;
import dev.damask.event.Reply;
import dev.damask.event.TraceEvent;
import dev.damask.scenario.Executions;
import dev.damask.scenario.Observation;
import dev.damask.scenario.ScenarioDocument;
import dev.damask.scenario.ScenarioEnd;
import dev.damask.scenario.ScenarioEvent;
import dev.damask.scenario.ScenarioStep;
import dev.damask.store.Store;
import dev.damask.task.EffectId;
import dev.damask.task.TaskAddress;
import dev.damask.trace.TraceLevel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Plays a scenario through the engine's public methods: the script answers the tasks, the clock is
/// set by hand, and the engine may be closed and opened again before every event.
public final class EngineScenario implements AutoCloseable {
  private static final String CASE = "case-1";

  private final ScenarioDocument scenario;
  private final Supplier<Store> stores;
  private final boolean reopens;
  private final int reporters;
  private final StoppedClock clock = new StoppedClock();
  private final Executions executions = new Executions();
  private final List<String> mismatches = new ArrayList<>();
  private Engine engine;
  private int seen;

  /// Opens an engine for a scenario.
  ///
  /// @param stores opens the store, which the engine closes
  /// @param reopens whether the engine is closed and opened again before every event
  /// @param reporters how many threads report each result at the same time
  public EngineScenario(
      ScenarioDocument scenario, Supplier<Store> stores, boolean reopens, int reporters) {
    this.reporters = reporters;
    this.scenario = scenario;
    this.stores = stores;
    this.reopens = reopens;
    this.engine = open();
  }

  private Engine open() {
    EngineOptions options =
        EngineOptions.defaults()
            .withShards(1)
            .withClock(clock)
            .withGrace(Duration.ZERO)
            .withTrace(TraceLevel.FULL);
    return Engine.open(options, stores.get(), scenario.workflow().workflow());
  }

  @Override
  public void close() {
    engine.close();
  }

  /// Plays all events and returns one sentence for each deviation.
  public List<String> play() {
    List<ScenarioStep> steps = scenario.steps();
    for (int i = 0; i < steps.size(); i++) {
      if (reopens && i > 0) {
        engine.close();
        engine = open();
      }
      compare(i + 1, steps.get(i), play(steps.get(i).event()));
    }
    end();
    expect("problems of the store", List.of(), engine.verify());
    return mismatches;
  }

  private Reply play(ScenarioEvent event) {
    return switch (event) {
      case ScenarioEvent.Start() -> {
        engine.start(scenario.workflow().workflow(), CASE, scenario.with());
        yield Reply.ACCEPTED;
      }
      case ScenarioEvent.Done(var task, var data) -> done(find(task), data.toMap());
      case ScenarioEvent.Fail(var task, var reason) ->
          engine.failTask(CASE, find(task), reason).kind();
      case ScenarioEvent.Retry(var task) -> engine.incidents().retry(CASE, find(task)).kind();
      case ScenarioEvent.Signal(var place, var data) ->
          engine.signal(CASE, place, data.toMap()).kind();
      case ScenarioEvent.Cancel(var region) -> engine.cancel(CASE, region).kind();
      case ScenarioEvent.Complete(var region) -> engine.complete(CASE, region).kind();
      case ScenarioEvent.CancelTask(var task) -> engine.cancelTask(CASE, find(task)).kind();
      case ScenarioEvent.Add(var instances, var hasItem, var item) ->
          (hasItem
                  ? engine.addInstance(CASE, instances, item)
                  : engine.addInstance(CASE, instances))
              .kind();
      case ScenarioEvent.Close(var instances) -> engine.closeInstances(CASE, instances).kind();
      case ScenarioEvent.Advance(var time) -> {
        advance(clock.millis() + time.toMillis());
        yield Reply.ACCEPTED;
      }
    };
  }

  /// Reports a result from several threads at once: it counts once, and only one answer says so.
  private Reply done(EffectId task, Map<String, @Nullable Object> data) {
    List<CompletableFuture<Reply>> reports = new ArrayList<>();
    CountDownLatch together = new CountDownLatch(reporters);
    for (int i = 0; i < reporters; i++) {
      CompletableFuture<Reply> reply = new CompletableFuture<>();
      reports.add(reply);
      Thread.ofVirtual()
          .start(() -> {
            together.countDown();
            try {
              together.await();
              reply.complete(engine.completeTask(CASE, task, data).kind());
            } catch (InterruptedException | RuntimeException e) {
              reply.completeExceptionally(e);
            }
          });
    }
    List<Reply> replies = reports.stream().map(CompletableFuture::join).sorted().toList();
    expect(
        "how often it was accepted",
        true,
        replies.stream().filter(each -> each == Reply.ACCEPTED).count() <= 1);
    return replies.getFirst();
  }

  /// Stops at every timer on the way, as time does.
  private void advance(long target) {
    long due = engine.status(CASE).nextDue().orElse(Long.MAX_VALUE);
    while (due <= target) {
      clock.set(due);
      due = engine.status(CASE).nextDue().orElse(Long.MAX_VALUE);
    }
    clock.set(target);
  }

  private EffectId find(TaskAddress task) {
    int token = executions.find(task).number();
    Optional<PendingTask> pending = engine.status(CASE).task(task);
    expect("token of " + task, token, pending.map(PendingTask::token).orElse(0));
    return pending.map(PendingTask::id).orElse(new EffectId(0));
  }

  private void compare(int number, ScenarioStep step, Reply reply) {
    List<TraceEvent> trace = engine.trace(CASE);
    trace.subList(seen, trace.size()).forEach(executions::accept);
    seen = trace.size();
    List<String> actual = executions.take();
    expect("reply to step " + number, step.reply().name(), reply.name());
    if (step.see() != null) {
      List<String> expected = step.see().stream().map(Observation::text).toList();
      expect("seen after step " + number, ordered(expected), ordered(actual));
    }
  }

  private List<String> ordered(List<String> observations) {
    return scenario.strict() ? observations : Observation.sorted(observations);
  }

  private void end() {
    ScenarioEnd end = scenario.end();
    CaseView view = engine.status(CASE);
    if (end.status() != null) {
      expect("status", lower(end.status()), lower(view.status()));
    }
    if (end.reason() != null) {
      // The view gives the short word of a cancelled case together with its detail.
      String cancelled =
          view.cancelled().map(each -> each.reason().split(": ", 2)[0]).orElse("none");
      expect("reason", end.reason(), view.failure().map(Failure::reason).orElse(cancelled));
    }
    for (String task : end.never()) {
      expect("executions of " + task, 0, executions.count(task));
    }
    end.count().forEach((task, n) -> expect("executions of " + task, n, executions.count(task)));
    end.context()
        .forEach((key, value) -> {
          Object found = view.context().has(key) ? view.context().get(key) : "nothing";
          expect(key, value, found);
        });
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private void expect(String what, @Nullable Object expected, @Nullable Object actual) {
    if (!Objects.equals(expected, actual)) {
      mismatches.add("%s: expected %s, found %s".formatted(what, expected, actual));
    }
  }
}
