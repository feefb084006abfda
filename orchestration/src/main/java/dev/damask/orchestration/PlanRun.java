package dev.damask.orchestration;

import dev.damask.cases.EngineOptions;
import dev.damask.orchestration.PlanResult.Mismatch;
import dev.damask.store.MemoryStore;
import dev.damask.task.Context;
import dev.damask.term.StepNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// One run of a plan.
final class PlanRun implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Pattern REFERENCE =
      Pattern.compile("\\$session\\.(id|owner):([A-Za-z][A-Za-z0-9_-]*)");

  private final TestPlan plan;
  private final PlanClock clock = new PlanClock();
  private final Sessions sessions;
  private final String graph;
  private final Map<String, SessionKey> keys = new TreeMap<>();
  private final List<Mismatch> failures = new ArrayList<>();

  // by session and process; written by evaluations, read when they have ended
  private final Map<String, Map<String, @Nullable Object>> inputs = new ConcurrentHashMap<>();

  /// A step of the plan cannot be done; what follows makes no sense then.
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
        new Sessions(
            options,
            new MemoryStore(),
            new Sessions.Surroundings((call, http) -> stubs.body(call), 1, this::begins));
    plan.orchestration()
        .rules()
        .forEach((key, text) -> sessions.registry().putRule(PlanReader.OWNER, key, text));
    this.graph =
        sessions.registry().putGraph(PlanReader.OWNER, plan.orchestration().resolved()).key();
  }

  private void begins(Context given) {
    inputs.put(
        StepScope.key(given) + " " + given.get(StepNode.PROCESS),
        SessionHistory.plain(given.toMap()));
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
      look(main).failures(plan.expectation(), 0).forEach(failures::add);
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

  private PlanLook look(SessionKey key) {
    return new PlanLook(
        sessions.view(key),
        sessions.log(key, line -> true),
        iteration -> inputs.getOrDefault(key.caseId() + " " + iteration, Map.of()));
  }

  private void play(PlanStep step, int number) throws InterruptedException, Stuck {
    switch (step) {
      case PlanStep.Start start -> start(start);
      case PlanStep.WaitForStep wait -> await(wait);
      case PlanStep.Wake wake -> {
        SessionKey key = key(wake.session());
        String caller = wake.caller().isEmpty() ? key.owner() : wake.caller();
        int woken = sessions.wakeStep(caller, key, wake.step(), payload(wake.payload()));
        if (woken != wake.count()) {
          throw new Stuck(woken + " were waiting there");
        }
      }
      case PlanStep.Advance(var millis) -> clock.advance(millis);
      case PlanStep.Pause(var session) -> sessions.pause(key(session).owner(), key(session));
      case PlanStep.Resume(var session) -> sessions.resume(key(session).owner(), key(session));
      case PlanStep.Kill(var session) -> sessions.kill(key(session).owner(), key(session));
      case PlanStep.AssertSession(var session, var expectation) ->
          look(key(session)).failures(expectation, number).forEach(failures::add);
    }
    for (SessionKey key : keys.values()) {
      settle(key);
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
    SessionStart wish =
        new SessionStart(
            start.owner(),
            PlanReader.OWNER,
            graph,
            start.step(),
            payload(start.payload()),
            start.hash(),
            0,
            start.costMax());
    keys.put(start.session(), sessions.start(wish));
  }

  private SessionView settle(SessionKey key) throws InterruptedException, Stuck {
    return sessions
        .settled(key, PATIENCE)
        .orElseThrow(() -> new Stuck("session " + key + " does not come to rest"));
  }

  /// Lets time pass from one wait to the next until the process is there or the time is up.
  private void await(PlanStep.WaitForStep wait) throws InterruptedException, Stuck {
    SessionKey key = key(wait.session());
    long end = clock.millis() + wait.timeoutMillis();
    while (true) {
      SessionView view = settle(key);
      if (view.at(wait.step()).stream().anyMatch(each -> each.status() == wait.status())) {
        return;
      }
      OptionalLong next =
          view.processes().stream()
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

  /// The payload with what texts refer to filled in.
  private Map<String, @Nullable Object> payload(Map<String, @Nullable Object> given) throws Stuck {
    Map<String, @Nullable Object> filled = new TreeMap<>();
    for (Map.Entry<String, @Nullable Object> entry : given.entrySet()) {
      Matcher reference = REFERENCE.matcher(entry.getValue() instanceof String text ? text : "");
      if (!reference.matches()) {
        filled.put(entry.getKey(), entry.getValue());
        continue;
      }
      SessionKey key = key(reference.group(2));
      filled.put(
          entry.getKey(), reference.group(1).equals("id") ? (Object) key.number() : key.owner());
    }
    return filled;
  }

  @Override
  public void close() {
    sessions.close();
  }
}
