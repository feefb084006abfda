package dev.damask.cli.check;

import dev.damask.compile.Compiler;
import dev.damask.document.WorkflowDocument;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.Status;
import dev.damask.event.TokenId;
import dev.damask.exec.ExecState;
import dev.damask.json.JsonWriter;
import dev.damask.program.Program;
import dev.damask.scenario.Executions;
import dev.damask.scenario.MachineCase;
import dev.damask.scenario.ScenarioRunner;
import dev.damask.task.TaskAddress;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.verify.Counterexample;
import dev.damask.verify.CounterexampleReplay;
import dev.damask.verify.Options;
import dev.damask.verify.Sites;
import dev.damask.verify.Violation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Makes a scenario of a counterexample: at best one in which the workflow as it is, with real
/// guards, real data and the usual scheduler, goes its way.
///
/// A counterexample contains the outcome of each guard, not the data that lead to it. The data are
/// found by trying: the values that the expressions of the workflow speak of, and their neighbours.
/// What is found is true, since the machine has been there; what is not found may exist. Where
/// nothing is found, or another order of steps is needed, the scenario names the steps of the
/// machine itself.
final class CounterexampleScenario {
  private static final int TRIES = 4_000;
  private static final long STEPS_MAX = 20_000;
  private static final int ATTEMPTS_MAX = 1_000;

  private final Program program;
  private final Counterexample trace;
  private final TrialData data;

  private CounterexampleScenario(WorkflowDocument document, Counterexample trace) {
    WorkflowDefinition workflow = document.workflow();
    long steps = Math.min(STEPS_MAX, workflow.limits().steps());
    // A try that runs for ever must not.
    this.program = Compiler.compile(workflow.withLimits(workflow.limits().withSteps(steps)));
    this.trace = trace;
    this.data = TrialData.of(program);
  }

  /// The text of a scenario; empty when the counterexample has no trace.
  static Optional<String> scenario(
      WorkflowDocument document, Path workflow, Path scenario, Violation violation) {
    Counterexample trace = violation.counterexample();
    if (trace.steps().isEmpty() || trace.status().isEmpty()) {
      return Optional.empty();
    }
    CounterexampleScenario rehearsal = new CounterexampleScenario(document, trace);
    return rehearsal
        .search()
        .or(rehearsal::guided)
        .map(play -> play.text(document, workflow, scenario, violation));
  }

  private Optional<Play> search() {
    SplittableRandom random = new SplittableRandom(1);
    int events = trace.steps().size() + 1;
    for (int i = 0; i < TRIES; i++) {
      TrialData.Draft draft = data.draft(random, i, events);
      if (play(draft).isPresent()) {
        TrialData.Draft small = draft.shrunk(each -> play(each).isPresent());
        return play(small);
      }
      if (data.isEmpty()) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  /// A run that went the way of the trace.
  private record Play(Map<String, Object> with, List<Map<String, Object>> steps, String status) {
    String text(WorkflowDocument document, Path workflow, Path scenario, Violation violation) {
      StringBuilder out = new StringBuilder("{\n");
      String name = document.workflow().name() + ": " + violation.property();
      out.append("\"scenario\": ").append(JsonWriter.line(name)).append(",\n");
      out.append("\"title\": ").append(JsonWriter.line(violation.sentence())).append(",\n");
      out.append("\"workflow\": ")
          .append(JsonWriter.line(relative(scenario, workflow)))
          .append(",\n");
      if (!with.isEmpty()) {
        out.append("\"with\": ").append(JsonWriter.line(with)).append(",\n");
      }
      out.append("\"steps\": [\n  ");
      out.append(String.join(",\n  ", steps.stream().map(JsonWriter::line).toList()));
      out.append("\n],\n\"end\": ")
          .append(JsonWriter.line(Map.of("status", status)))
          .append("\n}\n");
      return out.toString();
    }

    private static String relative(Path scenario, Path workflow) {
      Path target = workflow.toAbsolutePath().normalize();
      Path folder = scenario.toAbsolutePath().normalize().getParent();
      return folder == null ? target.toString() : folder.relativize(target).toString();
    }
  }

  /// Plays the events of the trace; empty when the case goes another way.
  private Optional<Play> play(TrialData.Draft draft) {
    Executions seen = new Executions();
    MachineCase running = new MachineCase(program, ScenarioRunner.PLAIN, draft.context(0), seen);
    List<Map<String, Object>> steps = new ArrayList<>();
    steps.add(step("start", true, Map.of(), seen));
    int number = 0;
    for (Counterexample.Step step : trace.steps()) {
      number++;
      boolean played =
          switch (step.kind()) {
            case DONE -> {
              Context context = draft.context(number);
              boolean done = done(running, seen, step, context);
              steps.add(step("done", step.address(), context.toMap(), seen));
              yield done;
            }
            case FAIL -> fail(running, seen, step, steps);
            case SIGNAL -> {
              Context context = draft.context(number);
              Reply reply = running.apply(new Input.Signal(step.subject(), context));
              steps.add(step("signal", step.subject(), context.toMap(), seen));
              yield reply == Reply.ACCEPTED;
            }
            case ADD -> {
              Reply reply = running.apply(new Input.AddInstance(step.subject(), null, false));
              steps.add(step("add", step.subject(), Map.of(), seen));
              yield reply == Reply.ACCEPTED;
            }
            case CLOSE -> {
              Reply reply = running.apply(new Input.CloseInstances(step.subject()));
              steps.add(step("close", step.subject(), Map.of(), seen));
              yield reply == Reply.ACCEPTED;
            }
            case TIMER -> timer(running, seen, steps);
            case START, INTERNAL, TASK, FIRE -> true;
          };
      if (!played) {
        return Optional.empty();
      }
    }
    return isThere(running.state())
        ? Optional.of(new Play(draft.map(0), steps, trace.status()))
        : Optional.empty();
  }

  /// Plays the trace step by step, as the search found it.
  private Optional<Play> guided() {
    Executions seen = new Executions();
    GuidedScenario running = GuidedScenario.start(program, seen);
    List<Map<String, Object>> steps = new ArrayList<>();
    for (CounterexampleReplay.Event event :
        CounterexampleReplay.follow(program, Options.DEFAULT, trace, null).events()) {
      String subject = event.subject();
      Supplier<TokenId> token =
          () -> TaskAddress.parse(subject).map(seen::find).orElse(new TokenId(0));
      Map<String, Object> step =
          switch (event.kind()) {
            case DONE -> {
              running.apply(new Input.TaskDone(token.get(), Context.empty()));
              yield step("done", subject);
            }
            case FAIL -> {
              running.apply(new Input.TaskFailed(token.get(), "failed"));
              Map<String, Object> failed = step("fail", subject);
              failed.put("reason", "failed");
              yield failed;
            }
            case SIGNAL -> {
              running.apply(new Input.Signal(subject, Context.empty()));
              yield step("signal", subject);
            }
            case CLOSE -> {
              running.apply(new Input.CloseInstances(subject));
              yield step("close", subject);
            }
            case ADD -> {
              running.apply(new Input.AddInstance(subject, null, false));
              yield step("add", subject);
            }
            case TIMER -> {
              running.advance(event.time().toMillis());
              yield step("advance", event.time().toString());
            }
            case START, INTERNAL, TASK, FIRE -> step("start", true);
          };
      running.settle(event.choices());
      if (!event.choices().isEmpty()) {
        step.put("choices", event.choices());
      }
      step.put("see", seen.take());
      steps.add(step);
    }
    return isThere(running.state())
        ? Optional.of(new Play(Map.of(), steps, trace.status()))
        : Optional.empty();
  }

  private boolean isThere(ExecState state) {
    List<String> stands = Sites.standing(program, state);
    boolean known = state.status() != Status.RUNNING;
    return known && word(state.status()).equals(trace.status()) && stands.equals(trace.stands());
  }

  private static String word(Status status) {
    return status.name().toLowerCase(Locale.ROOT);
  }

  private static TokenId token(Executions seen, Counterexample.Step step) {
    return TaskAddress.parse(step.address()).map(seen::find).orElse(new TokenId(0));
  }

  private static boolean done(
      MachineCase running, Executions seen, Counterexample.Step step, Context context) {
    TokenId token = token(seen, step);
    return running.apply(new Input.TaskDone(token, context)) == Reply.ACCEPTED;
  }

  /// A task fails for good when its last attempt has failed.
  private static boolean fail(
      MachineCase running,
      Executions seen,
      Counterexample.Step step,
      List<Map<String, Object>> steps) {
    TokenId token = token(seen, step);
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      Reply reply = running.apply(new Input.TaskFailed(token, "failed"));
      Map<String, Object> failed = step("fail", step.address(), Map.of(), seen);
      failed.put("reason", "failed");
      steps.add(failed);
      var next =
          running.state().pendingEffects().stream()
              .filter(each -> each.token().equals(token))
              .findFirst();
      if (reply != Reply.ACCEPTED || next.isEmpty()) {
        return reply == Reply.ACCEPTED;
      }
      if (next.get().notBefore().isPresent() && !next.get().isParked()) {
        advance(running, seen, next.get().notBefore().getAsLong(), steps);
      }
    }
    return false;
  }

  private static boolean timer(
      MachineCase running, Executions seen, List<Map<String, Object>> steps) {
    var due = running.state().nextDue();
    if (due.isEmpty()) {
      return false;
    }
    advance(running, seen, due.getAsLong(), steps);
    return true;
  }

  private static void advance(
      MachineCase running, Executions seen, long due, List<Map<String, Object>> steps) {
    long millis = Math.max(0, due - running.state().clock());
    running.advance(millis);
    steps.add(step("advance", Duration.ofMillis(millis).toString(), Map.of(), seen));
  }

  private static Map<String, Object> step(
      String event, Object subject, Map<String, ? extends @Nullable Object> set, Executions seen) {
    Map<String, Object> step = step(event, subject);
    if (!set.isEmpty()) {
      step.put("set", new TreeMap<String, @Nullable Object>(set));
    }
    step.put("see", seen.take());
    return step;
  }

  private static Map<String, Object> step(String event, Object subject) {
    Map<String, Object> step = new LinkedHashMap<>();
    step.put(event, subject);
    return step;
  }
}
