package dev.damask.routes;

import static dev.damask.api.BodyShape.may;
import static dev.damask.api.BodyShape.need;

import dev.damask.api.ApiReply;
import dev.damask.api.BodyShape;
import dev.damask.api.Call;
import dev.damask.api.Catalog;
import dev.damask.api.Desk;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.api.RouteReach;
import dev.damask.api.Sources;
import dev.damask.document.DocumentProblem;
import dev.damask.document.DocumentReader;
import dev.damask.document.DocumentSchedule;
import dev.damask.document.DocumentSource;
import dev.damask.document.LoadedDocument;
import dev.damask.document.WorkflowDocument;
import dev.damask.drawing.Drawing;
import dev.damask.drawing.Marks;
import dev.damask.drawing.Theme;
import dev.damask.event.Input;
import dev.damask.exec.StateCodec;
import dev.damask.history.HistoryPosition;
import dev.damask.history.PastState;
import dev.damask.json.Json;
import dev.damask.json.JsonWriter;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.scenario.MachineCase;
import dev.damask.schedule.InOrder;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The routes that check, draw, try and store workflow documents. Checks and trials have a budget
/// and never perform effects.
final class DocumentRoutes {
  private static final int EVENTS_MAX = 1_000;
  private static final int QUANTUM = 10_000;

  /// How large the states of all positions of a trial are together.
  private static final long POSITIONS_BYTES_MAX = 8L << 20;

  /// How large a document is that is drawn.
  private static final int DRAWN_MAX = 256 << 10;

  private static final int PROOFS_MAX = 200;
  private static final String NAME = "document";

  private final Desk desk;
  private final DocumentReport report = new DocumentReport();
  private final Map<ProgramHash, Map<String, @Nullable Object>> proofs =
      new ConcurrentHashMap<>(); // by any request

  private final Computing computing;

  DocumentRoutes(Desk desk, Computing computing) {
    this.desk = desk;
    this.computing = computing;
  }

  private static final String EXAMPLE = "workflow: trial\ndo:\n  - task: pack\n";

  List<Route> routes() {
    return List.of(
        Route.post("/v1/check", "Checks a document and every way its cases can go.")
            .access(RouteAccess.OPERATOR)
            .reach(RouteReach.NONE)
            .computes()
            .text(Route.YAML)
            .example("/v1/check", EXAMPLE)
            .to(this::check),
        Route.get("/v1/workflows/{workflow}/proof", "Checks every way the cases of a version go.")
            .access(RouteAccess.OPERATOR)
            .query("program", "The version; the current one without it.")
            .example("/v1/workflows/order/proof", "")
            .to(this::proof),
        Route.post("/v1/draw", "Draws a document.")
            .access(RouteAccess.OPERATOR)
            .reach(RouteReach.NONE)
            .computes()
            .text(Route.YAML)
            .query("theme", "`light` or `dark`; without it, the reader's system decides.")
            .answer(Route.SVG)
            .example("/v1/draw", EXAMPLE)
            .to(this::draw),
        Route.post("/v1/try", "Runs a document on events in memory, without effects.")
            .access(RouteAccess.OPERATOR)
            .reach(RouteReach.NONE)
            .computes()
            .body(
                need("document", BodyShape.TEXT, "The document."),
                may("input", BodyShape.DATA, "The context that the case starts with."),
                may("events", BodyShape.list(HistoryRoutes.INPUT), "What happens, in order."))
            .example(
                "/v1/try",
                "{\"document\":\"workflow: trial\\ndo:\\n  - task: pack\\n\",\"events\":"
                    + "[{\"kind\":\"complete\",\"task\":\"pack\"}]}")
            .to(this::run),
        Route.put("/v1/workflows/{workflow}", "Stores a document as the current version.")
            .access(RouteAccess.ADMIN)
            .text(Route.YAML)
            .example("/v1/workflows/trial", EXAMPLE)
            .to(this::put));
  }

  private static DocumentSource source(byte[] bytes) {
    return DocumentSource.parse(NAME, Bytes.of(bytes));
  }

  private ApiReply check(Call call) throws InterruptedException {
    return ApiReply.ok(computing.limited(call.caller(), _ -> checked(call.bytes()).json()));
  }

  /// A version never changes, so its proof is computed once.
  private ApiReply proof(Call call) throws InterruptedException {
    String workflow = call.at("workflow");
    Catalog.Version version = desk.catalog().version(workflow, call.ask("program"));
    Map<String, @Nullable Object> known = proofs.get(version.program());
    if (known == null) {
      known = computing.limited(call.caller(), _ -> proved(workflow, version).json());
      if (proofs.size() >= PROOFS_MAX) {
        proofs.clear();
      }
      proofs.put(version.program(), known);
    }
    Map<String, @Nullable Object> all =
        JsonWriter.object("workflow", workflow, "program", version.program().toString());
    all.putAll(known);
    return ApiReply.ok(all);
  }

  private DocumentReport.Result proved(String workflow, Catalog.Version version) {
    LoadedDocument document = version.document();
    if (document != null) {
      return checked(document.bytes().toArray());
    }
    WorkflowDefinition definition =
        desk.catalog().sources(workflow, version.program()).definition();
    if (definition == null) {
      throw new Problem(
          Problem.Kind.CONFLICT, "this version has no definition here; register it to prove it");
    }
    return report.check(definition);
  }

  private DocumentReport.Result checked(byte[] bytes) {
    try {
      DocumentSource source = source(bytes);
      return report.check(source);
    } catch (DocumentProblem e) {
      return DocumentReport.invalid(e.diagnostics());
    }
  }

  private ApiReply put(Call call) throws InterruptedException {
    String workflow = call.at("workflow");
    DocumentReport.Result result = computing.limited(call.caller(), _ -> checked(call.bytes()));
    if (!result.isFit()) {
      Problem problem =
          new Problem(Problem.Kind.INVALID, "the document was not stored: " + result.sentence());
      for (Map.Entry<String, @Nullable Object> each : result.json().entrySet()) {
        problem = problem.with(each.getKey(), each.getValue());
      }
      throw problem;
    }
    LoadedDocument loaded = LoadedDocument.load(source(call.bytes()));
    if (!loaded.workflow().name().equals(workflow)) {
      throw new Problem(
          Problem.Kind.INVALID,
          "the document is workflow %s, the address names %s"
              .formatted(loaded.workflow().name(), Call.shortened(workflow)));
    }
    Optional<DocumentSchedule> schedule = loaded.document().schedule();
    schedule.ifPresent(each -> schedule(call, loaded.workflow(), each)); // it may be refused
    desk.engine().register(loaded.workflow(), loaded.program(), loaded.bytes());
    Map<String, @Nullable Object> all =
        JsonWriter.object("workflow", workflow, "program", loaded.program().hash().toString());
    all.putAll(result.json());
    return ApiReply.ok(all);
  }

  /// Puts the schedule of a document, under the name of its workflow.
  private void schedule(Call call, WorkflowDefinition workflow, DocumentSchedule schedule) {
    String name = workflow.name();
    desk.requireScheduleName(call.caller(), name);
    var _ = desk.engine().schedules().put(name, schedule.schedule(), workflow, schedule.input());
  }

  private ApiReply draw(Call call) throws InterruptedException {
    if (call.bytes().length > DRAWN_MAX) {
      throw new Problem(
          Problem.Kind.TOO_LARGE,
          "a document that is drawn has at most %d bytes".formatted(DRAWN_MAX));
    }
    try {
      WorkflowDocument document = new DocumentReader().read(source(call.bytes()));
      Theme theme = HistoryRoutes.theme(call);
      return ApiReply.text(
          Route.SVG,
          computing.limited(
              call.caller(),
              _ -> Drawing.svg(document.workflow(), Marks.NONE, theme, document.timing())));
    } catch (DocumentProblem e) {
      throw invalid(e);
    }
  }

  private static Problem invalid(DocumentProblem e) {
    return new Problem(Problem.Kind.INVALID, String.valueOf(e.getMessage()))
        .with("findings", e.diagnostics().stream().map(DocumentReport::finding).toList());
  }

  private ApiReply run(Call call) throws InterruptedException {
    List<Json> events =
        call.body().get("events") instanceof Json.Items(_, var all) ? all : List.of();
    if (events.size() > EVENTS_MAX) {
      throw Problem.bad("events: at most %d, got %d".formatted(EVENTS_MAX, events.size()));
    }
    try {
      byte[] bytes = call.need("document").getBytes(StandardCharsets.UTF_8);
      LoadedDocument document = LoadedDocument.load(source(bytes));
      return ApiReply.ok(
          computing.limited(
              call.caller(), budget -> played(document, call.context("input"), events, budget)));
    } catch (DocumentProblem e) {
      throw invalid(e);
    }
  }

  /// The input of an event. A problem has its number, from 1.
  private static Input input(
      LoadedDocument document, Json.Fields event, PastState now, int number) {
    try {
      Input input = ForkInputs.of(event, now);
      if (input instanceof Input.Signal(var place, var payload)) {
        var check = document.workflow().declared().payloads().get(place);
        List<String> wrong = check == null ? List.of() : check.apply(payload);
        if (!wrong.isEmpty()) {
          throw Problem.bad("inputs: signal " + place + ": " + wrong.getFirst());
        }
      }
      return input;
    } catch (Problem e) {
      throw e.with("event", (long) number);
    }
  }

  /// One position per event, with the state after it.
  private static Map<String, @Nullable Object> played(
      LoadedDocument document, Context input, List<Json> events, Runnable budget) {
    List<String> wrong = document.document().input().problems(input);
    if (!wrong.isEmpty()) {
      throw new Problem(Problem.Kind.INVALID, "input: " + wrong.getFirst());
    }
    Program program = document.program();
    Context context = document.workflow().context().withAll(input);
    MachineCase running =
        new MachineCase(
            program,
            new MachineCase.Style(InOrder.INSTANCE, false, false, QUANTUM),
            context,
            _ -> {},
            budget);
    StateJson json = new StateJson(Sources.of(program.name(), document.workflow(), document));
    List<Map<String, @Nullable Object>> positions = new ArrayList<>();
    PastState now = now(running, 1, HistoryPosition.Cause.STARTED, "");
    positions.add(position(json, now, null));
    long bytes = size(running);
    for (int i = 0; i < events.size(); i++) {
      Json.Fields each = (Json.Fields) events.get(i);
      Input next = input(document, each, now, i + 1);
      String outcome;
      if (next instanceof Input.Advance(var millis)) {
        running.advance(Math.max(0, millis - running.state().clock()));
        outcome = "accepted";
      } else {
        outcome = running.apply(next).name().toLowerCase(Locale.ROOT);
      }
      bytes += size(running);
      if (bytes > POSITIONS_BYTES_MAX) {
        throw new Problem(
            Problem.Kind.INVALID,
            "the states of all positions have more than %d bytes; send fewer events"
                .formatted(POSITIONS_BYTES_MAX));
      }
      now = now(running, positions.size() + 1L, cause(next), subject(each));
      positions.add(position(json, now, outcome));
    }
    return JsonWriter.object("positions", positions);
  }

  private static long size(MachineCase running) {
    return StateCodec.encode(running.state()).length;
  }

  private static PastState now(
      MachineCase running, long number, HistoryPosition.Cause cause, String subject) {
    HistoryPosition position =
        new HistoryPosition(number, number, true, running.state().clock(), cause, subject);
    return PastState.of(position, running.state(), running.outcome());
  }

  private static Map<String, @Nullable Object> position(
      StateJson json, PastState state, @Nullable String outcome) {
    Map<String, @Nullable Object> all = HistoryRoutes.position(state.position());
    all.put("outcome", outcome);
    all.put("state", json.of(state));
    return all;
  }

  private static HistoryPosition.Cause cause(Input input) {
    return switch (input) {
      case Input.TaskDone _ -> HistoryPosition.Cause.RESULT;
      case Input.TaskFailed _ -> HistoryPosition.Cause.FAILURE;
      case Input.TaskRetried _ -> HistoryPosition.Cause.RETRY;
      case Input.Kill _ -> HistoryPosition.Cause.CANCELLED;
      case Input.CancelTask _ -> HistoryPosition.Cause.TASK_CANCELLED;
      case Input.Advance _ -> HistoryPosition.Cause.TIME;
      default -> HistoryPosition.Cause.SIGNAL;
    };
  }

  private static String subject(Json.Fields event) {
    for (String key : List.of("task", "place", "scope")) {
      if (event.get(key) instanceof Json.Text(_, var value)) {
        return value;
      }
    }
    return "";
  }
}
