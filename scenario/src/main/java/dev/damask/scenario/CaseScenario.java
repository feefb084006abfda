package dev.damask.scenario;

import dev.damask.document.DocumentWriter;
import dev.damask.document.WorkflowDocument;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.TokenId;
import dev.damask.event.TraceEvent;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.history.History;
import dev.damask.history.JournalEntry;
import dev.damask.json.JsonWriter;
import dev.damask.program.Program;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Writes a stored case as a scenario: its workflow, its inputs in the order they were applied, and
/// what is observed when they are applied again. The scenario passes when it is written.
public final class CaseScenario {
  private final History history;
  private final WorkflowDocument document;
  private final KeyRedaction redaction;
  private final List<Map<String, @Nullable Object>> steps = new ArrayList<>();
  private Context with = Context.empty();
  private long clock;

  /// The case cannot be written as a scenario.
  public static final class NotExpressible extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotExpressible(String message) {
      super(message, null, false, false);
    }
  }

  private CaseScenario(History history, WorkflowDocument document, Set<String> redacted) {
    this.history = history;
    this.document = document;
    this.redaction = new KeyRedaction(redacted);
  }

  /// Returns the text of a scenario document. Throws [NotExpressible] if the journal of the case is
  /// not complete, if it has an input that no event of a scenario can be, or if the case does
  /// something else as a scenario.
  ///
  /// @param redacted the keys whose values are replaced wherever they occur in inputs
  public static String of(History history, WorkflowDocument document, Set<String> redacted) {
    return new CaseScenario(history, document, redacted).text();
  }

  private String text() {
    ExecState end = retold();
    Play play = new Play();
    ScenarioResult result = ScenarioRunner.run(read(written(Map.of())), play::start);
    if (!result.failures().isEmpty()) {
      throw different(result.failures().getFirst().toString());
    }
    ExecState played = play.state();
    if (played.status() != end.status()) {
      throw different("it ends as " + played.status() + " instead of " + end.status());
    }
    if (redaction.isEmpty() && !same(played.result(), end.result())) {
      throw different("its result is " + played.result() + " instead of " + end.result());
    }
    for (int i = 0; i < steps.size(); i++) {
      steps.get(i).put("see", play.seen.get(i));
    }
    return written(ending(played));
  }

  /// The texts of failures are not part of a scenario.
  private static boolean same(Context one, Context other) {
    return one.without("error").equals(other.without("error"));
  }

  private static Map<String, @Nullable Object> ending(ExecState state) {
    Map<String, @Nullable Object> end = new LinkedHashMap<>();
    end.put("status", state.status().name().toLowerCase(Locale.ROOT));
    state.failure().ifPresent(failure -> end.put("reason", failure.reason()));
    Map<String, @Nullable Object> context = new LinkedHashMap<>();
    state.result().without("error").forEach(context::put);
    if (state.isDone() && !context.isEmpty()) {
      end.put("context", context);
    }
    return end;
  }

  private NotExpressible different(String what) {
    String hint =
        redaction.isEmpty() ? "" : "; a redacted value may decide what it does, redact fewer keys";
    return new NotExpressible(
        "case " + history.caseId() + ": as a scenario it does something else: " + what + hint);
  }

  private NotExpressible refused(String what) {
    return new NotExpressible("case " + history.caseId() + ": " + what);
  }

  private ScenarioDocument read(String text) {
    return new ScenarioReader().read("case " + history.caseId(), text, Path.of("."));
  }

  private String written(Map<String, @Nullable Object> end) {
    StringBuilder out = new StringBuilder("{\n");
    out.append("\"scenario\": ").append(JsonWriter.line(history.caseId())).append(",\n");
    out.append("\"title\": ")
        .append(JsonWriter.line("case " + history.caseId() + " as it was recorded"))
        .append(",\n\"workflow\": ")
        .append(DocumentWriter.pretty(document).strip())
        .append(",\n");
    if (!with.isEmpty()) {
      out.append("\"with\": ").append(JsonWriter.line(with.toMap())).append(",\n");
    }
    out.append("\"steps\": [\n  ");
    out.append(String.join(",\n  ", steps.stream().map(JsonWriter::line).toList()));
    out.append("\n]");
    if (!end.isEmpty()) {
      out.append(",\n\"end\": ").append(JsonWriter.line(end));
    }
    return out.append("\n}\n").toString();
  }

  private ExecState retold() {
    try {
      return history.retell(new Teller(), null);
    } catch (IllegalStateException e) {
      throw new NotExpressible(String.valueOf(e.getMessage()));
    }
  }

  /// Turns entries of the journal into steps.
  private final class Teller implements History.Narrator {
    private @Nullable Map<String, @Nullable Object> step; // of the entry that is being applied

    @Override
    public void before(JournalEntry entry, ExecState state) {
      step = null;
      entry.atMillis().ifPresent(at -> advance(at, state));
      switch (entry.event()) {
        case JournalEntry.Event.Applied(Input.Advance(var at)) -> advance(at, state);
        case JournalEntry.Event.Applied(var input) ->
            step = state.isDone() ? null : event(input, state);
        case JournalEntry.Event.Migrated _ ->
            throw refused("it was migrated; a scenario has one workflow");
        // Inputs that came during a pause are applied at the time of the resume.
        case JournalEntry.Event.Paused _,
            JournalEntry.Event.Resumed _,
            JournalEntry.Event.Started _ -> {}
      }
    }

    /// Time that fires nothing is added to the next step that does.
    private void advance(long at, ExecState state) {
      if (at > clock && !state.isDone()) {
        add("advance", Duration.ofMillis(at - clock).toString());
        clock = at;
      }
    }

    @Override
    public void after(JournalEntry entry, Reply reply, ExecState state) {
      if (entry.event() instanceof JournalEntry.Event.Started(_, var context)) {
        with = redaction.of(context);
        clock = state.clock();
        add("start", true);
      } else if (step != null && reply != Reply.ACCEPTED) {
        step.put("reply", ScenarioStep.Reply.valueOf(reply.name()).text());
      }
    }
  }

  private Map<String, @Nullable Object> add(String event, Object subject) {
    Map<String, @Nullable Object> step = new LinkedHashMap<>();
    step.put(event, subject);
    steps.add(step);
    return step;
  }

  /// Null for an input that changes nothing.
  private @Nullable Map<String, @Nullable Object> event(Input input, ExecState state) {
    return switch (input) {
      case Input.TaskDone(var token, var result) -> {
        var step = task("done", token, state);
        if (step != null && !result.isEmpty()) {
          step.put("set", redaction.of(result).toMap());
        }
        yield step;
      }
      case Input.TaskFailed failed -> {
        var step = task("fail", failed.token(), state);
        if (step != null) {
          step.put("reason", failed.reason());
        }
        yield step;
      }
      case Input.TaskRetried(var token) -> task("retry", token, state);
      case Input.CancelTask(var token) -> task("cancelTask", token, state);
      case Input.Signal(var place, var payload) -> {
        var step = add("signal", place);
        if (!payload.isEmpty()) {
          step.put("set", redaction.of(payload).toMap());
        }
        yield step;
      }
      case Input.Kill(var name, var complete, _) -> add(complete ? "complete" : "cancel", name);
      case Input.AddInstance(var name, var item, var hasItem) -> {
        var step = add("add", name);
        if (hasItem) {
          step.put("item", redaction.of(item));
        }
        yield step;
      }
      case Input.CloseInstances(var name) -> add("close", name);
      case Input.TaskSent _, Input.Advance _, Input.ScriptStep _ -> null;
      case Input.ScriptTake(_, var place, _) ->
          throw refused("a script, which is written in Java, received a signal from " + place);
      case Input.TaskWants _ -> throw refused("a task function requested an effect in Java");
      case Input.ChangeData _ -> throw refused("an operator changed data of a token");
      case Input.TaskParked _ -> throw refused("an operator turned a task into an incident");
      case Input.Fail(var reason, _) ->
          throw refused("it failed with " + reason + ", which is not part of its workflow");
    };
  }

  /// A result for a task that does not wait changes nothing.
  private @Nullable Map<String, @Nullable Object> task(
      String event, TokenId token, ExecState state) {
    for (EffectRequest request : state.pendingEffects()) {
      if (request.token().equals(token)) {
        return add(event, request.address().toString());
      }
    }
    return null;
  }

  /// Runs the scenario and collects what is observed at each step.
  private final class Play {
    final List<List<String>> seen = new ArrayList<>();
    private final Executions executions = new Executions();
    private ScenarioRunner.@Nullable Stage stage;

    ScenarioRunner.Stage start(Program program, Tracer tracer) {
      Tracer both =
          new Tracer() {
            @Override
            public void accept(TraceEvent event) {
              tracer.accept(event);
              executions.accept(event);
            }

            @Override
            public boolean wantsAll() {
              return true;
            }
          };
      MachineCase running = new MachineCase(program, ScenarioRunner.PLAIN, with, both);
      stage =
          new ScenarioRunner.Stage() {
            @Override
            public Reply apply(Input input) {
              return running.apply(input);
            }

            @Override
            public void advance(long millis) {
              running.advance(millis);
            }

            @Override
            public ExecState state() {
              return running.state();
            }

            @Override
            public void settle(ScenarioStep step) {
              seen.add(executions.take());
            }
          };
      return stage;
    }

    ExecState state() {
      return Objects.requireNonNull(stage).state();
    }
  }
}
