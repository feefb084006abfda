package dev.damask.plan;

import dev.damask.cases.EngineOptions;
import dev.damask.clock.VirtualClock;
import dev.damask.plan.PlanResult.Mismatch;
import dev.damask.registry.Orchestration;
import dev.damask.session.LogLine;
import dev.damask.session.ProcessInstance;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionOptions;
import dev.damask.session.SessionPorts;
import dev.damask.session.SessionStart;
import dev.damask.session.SessionView;
import dev.damask.session.Sessions;
import dev.damask.step.StepScope;
import dev.damask.store.MemoryStore;
import dev.damask.task.ProcessInfo;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// One run of a plan.
final class PlanRun implements AutoCloseable {
  private static final long BEGINNING = 1_000_000; // what the clock shows at first
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private final TestPlan plan;
  private final VirtualClock clock = new VirtualClock(BEGINNING);
  private final Sessions sessions;
  private final Map<String, SessionKey> keys = new TreeMap<>();
  private final List<Mismatch> failures = new ArrayList<>();

  // by session and process; written by evaluations, read after they have ended
  private final Map<String, Map<String, @Nullable Object>> inputs = new ConcurrentHashMap<>();

  /// Thrown if a step of the plan cannot be executed. The remaining steps are skipped.
  private static final class Stuck extends Exception {
    private static final long serialVersionUID = 1L;

    Stuck(String message) {
      super(message, null, false, false);
    }
  }

  PlanRun(TestPlan plan) {
    this.plan = plan;
    EngineOptions engine =
        EngineOptions.defaults().withClock(clock).withShards(1).withGrace(Duration.ZERO);
    PlanStubs stubs = plan.stubs();
    SessionOptions options =
        SessionOptions.defaults()
            .withEngine(engine)
            .withReader(request -> new ArrayList<>(stubs.read(request)))
            .withExecutor(stubs::execute);
    this.sessions =
        Sessions.open(
            options,
            new MemoryStore(),
            new SessionPorts((call, http) -> stubs.body(call), 1, this::begins));
    for (Orchestration graph : plan.graphs().values()) {
      graph
          .rules()
          .forEach((key, text) -> sessions.registry().putRule(PlanReader.OWNER, key, text));
    }
  }

  private void begins(Context given, ProcessInfo process) {
    inputs.put(
        SessionKey.of(process.common()).caseId() + " " + process.number(),
        StepScope.plain(given.toMap()));
  }

  PlanResult run() throws InterruptedException {
    int number = 0;
    for (PlanStep step : plan.steps()) {
      number++;
      try {
        play(step, number);
      } catch (Stuck | IllegalStateException | IllegalArgumentException e) {
        failures.add(new Mismatch(number, step.toString(), String.valueOf(e.getMessage())));
        return result();
      }
    }
    SessionKey main = keys.get(PlanReader.MAIN);
    if (main != null) {
      try {
        compare(main, plan.expectation(), 0);
      } catch (IllegalArgumentException e) { // a pattern takes too long on the value
        failures.add(new Mismatch(0, "", String.valueOf(e.getMessage())));
      }
    }
    return result();
  }

  private PlanResult result() {
    List<String> story = new ArrayList<>();
    keys.forEach((name, key) ->
        sessions
            .log(key, line -> true)
            .forEach(line ->
                story.add(
                    "%s: %d:%d %s %s"
                        .formatted(
                            name, key.number(), line.iteration(), line.step(), line.outcome()))));
    return new PlanResult(plan.name(), plan.title(), failures, story);
  }

  private void compare(SessionKey key, PlanExpectation expectation, int step) {
    PlanComparison look =
        new PlanComparison(
            sessions.view(key, Integer.MAX_VALUE),
            sessions.log(key, LogLine::isEvaluation),
            PlanComparison.sorted(
                sessions.log(key, line -> !line.isEvaluation()).stream()
                    .map(LogLine::step)
                    .toList()),
            iteration -> inputs.getOrDefault(key.caseId() + " " + iteration, Map.of()));
    failures.addAll(look.failures(expectation.withValues(this::filled), step));
  }

  private void play(PlanStep step, int number) throws InterruptedException, Stuck {
    switch (step) {
      case PlanStep.Start start -> start(start);
      case PlanStep.WaitForStep wait -> await(wait);
      case PlanStep.Wake wake -> {
        SessionKey key = key(wake.session());
        wake(wake, key, wake.caller().isEmpty() ? key.owner() : text(wake.caller()));
      }
      case PlanStep.Advance(var millis) -> clock.advance(millis);
      case PlanStep.Pause(var session) -> sessions.pause(key(session).owner(), key(session));
      case PlanStep.Resume(var session) -> sessions.resume(key(session).owner(), key(session));
      case PlanStep.Kill(var session) -> sessions.kill(key(session).owner(), key(session));
      case PlanStep.AssertSession(var session, var expectation) ->
          compare(key(session), expectation, number);
    }
    settleAll();
  }

  /// Waits until all sessions are idle. They may wake each other, so all of them are checked again.
  private void settleAll() throws InterruptedException, Stuck {
    boolean isStill;
    do {
      for (SessionKey key : keys.values()) {
        settle(key);
      }
      isStill = true;
      for (SessionKey key : keys.values()) {
        SessionView view = sessions.view(key, 0);
        isStill &= view.status().isEnded() || view.isAtRest(clock.millis());
      }
    } while (!isStill);
  }

  private void wake(PlanStep.Wake wake, SessionKey key, String caller) throws Stuck {
    int woken;
    try {
      woken = sessions.wakeStep(caller, key, wake.step(), payload(wake.payload()));
    } catch (IllegalStateException e) {
      if (wake.count() == PlanStep.Wake.DENIED) {
        return;
      }
      throw e;
    }
    if (wake.count() == PlanStep.Wake.DENIED) {
      throw new Stuck(caller + " was allowed to");
    }
    if (woken != wake.count()) {
      throw new Stuck(woken + " were waiting there");
    }
  }

  private SessionKey key(String session) throws Stuck {
    SessionKey key = keys.get(session);
    if (key == null) {
      throw new Stuck("there is no session '" + session + "'");
    }
    return key;
  }

  private void start(PlanStep.Start start) throws Stuck {
    Orchestration orchestration = java.util.Objects.requireNonNull(plan.graphs().get(start.name()));
    // Graphs with the same id replace each other in the registry; a session keeps its graph.
    String graph = sessions.registry().putGraph(PlanReader.OWNER, orchestration.resolved()).key();
    if (start.graph() != null && !start.graph().equals(graph)) {
      throw new Stuck("the graph of the plan is '" + graph + "', not '" + start.graph() + "'");
    }
    SessionStart request =
        new SessionStart(
            text(start.owner()),
            PlanReader.OWNER,
            graph,
            start.step(),
            payload(start.payload()),
            start.hash(),
            0,
            start.costMax());
    keys.put(start.session(), sessions.start(request));
  }

  private SessionView settle(SessionKey key) throws InterruptedException, Stuck {
    return sessions
        .settled(key, PATIENCE)
        .orElseThrow(() -> new Stuck("session " + key + " does not become idle"));
  }

  /// Advances the clock from one wait to the next until the process has arrived or the time is up.
  private void await(PlanStep.WaitForStep wait) throws InterruptedException, Stuck {
    SessionKey key = key(wait.session());
    long end = clock.millis() + wait.timeoutMillis();
    while (true) {
      settleAll();
      SessionView view = sessions.view(key, Integer.MAX_VALUE);
      if (view.at(wait.step()).stream().anyMatch(each -> has(each, wait.status()))) {
        return;
      }
      OptionalLong next =
          keys.values().stream()
              .flatMap(each -> sessions.view(each, 0).processes().stream())
              .flatMapToLong(each -> each.nextWakeAt().stream())
              .filter(at -> at > clock.millis() && at <= end)
              .min();
      if (next.isEmpty()) {
        throw new Stuck(
            "no process was "
                + PlanReader.word(wait.status())
                + " at step "
                + wait.step()
                + " in time");
      }
      clock.advance(next.getAsLong() - clock.millis());
    }
  }

  /// Whether a process has reached a status. It may have passed the status, because sessions run
  /// until they are idle between two actions of a plan: every process waits first and then runs.
  private static boolean has(ProcessInstance process, ProcessInstance.Status status) {
    return switch (status) {
      case WAITING -> true;
      case RUNNING -> process.status() == status || process.valid().isPresent();
      case DONE, ABORTED -> process.status() == status;
    };
  }

  /// Resolves the references in a payload.
  private Map<String, @Nullable Object> payload(Map<String, @Nullable Object> given) {
    return PlanReferences.replaceAll("", given, this::referred);
  }

  private @Nullable Object filled(@Nullable Object value) {
    return PlanReferences.replace("", value, this::referred);
  }

  private String text(String text) {
    return String.valueOf(filled(text));
  }

  private Object referred(String path, String text) {
    return PlanReferences.filled(text, keys);
  }

  @Override
  public void close() {
    sessions.close();
  }
}
