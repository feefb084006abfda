package dev.damask.routes;

import static dev.damask.api.BodyShape.may;
import static dev.damask.api.BodyShape.need;

import dev.damask.api.ApiReply;
import dev.damask.api.BodyShape;
import dev.damask.api.Call;
import dev.damask.api.Confidential;
import dev.damask.api.Desk;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.api.Unstructured;
import dev.damask.document.LoadedDocument;
import dev.damask.drawing.Drawing;
import dev.damask.drawing.Marks;
import dev.damask.drawing.Theme;
import dev.damask.event.Input;
import dev.damask.event.StateView;
import dev.damask.history.History;
import dev.damask.history.HistoryPosition;
import dev.damask.history.PastState;
import dev.damask.history.StateDiff;
import dev.damask.json.Json;
import dev.damask.json.JsonWriter;
import dev.damask.program.ProgramHash;
import dev.damask.scenario.CaseScenario;
import dev.damask.store.CaseRecord;
import dev.damask.store.RevisionGoneException;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The routes about the past of a case, and about what would happen.
final class HistoryRoutes {
  /// How many positions one page lists.
  private static final int POSITIONS_MAX = 10_000;

  /// How many states one window has.
  private static final int STATES_MAX = 200;

  /// How many inputs a fork takes.
  private static final int INPUTS_MAX = 100;

  private final Desk desk;
  private final HistoryCache histories = new HistoryCache();

  private final Computing computing;

  HistoryRoutes(Desk desk, Computing computing) {
    this.desk = desk;
    this.computing = computing;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/v1/cases/{case}/positions", "Lists the positions of a case's history.")
            .query("from", "The first position; 1 without it.")
            .query("limit", "The number of positions, from 1 to 10000; 1000 without it.")
            .example("/v1/cases/order-1/positions", "")
            .to(this::positions),
        Route.get("/v1/cases/{case}/at/{position}", "Shows the state at a position.")
            .example("/v1/cases/order-1/at/1", "")
            .to(this::at),
        Route.get("/v1/cases/{case}/diff", "Lists what differs between two positions.")
            .query("from", "The first position.")
            .query("to", "The second position.")
            .example("/v1/cases/order-1/diff?from=1&to=2", "")
            .to(this::diff),
        Route.get("/v1/cases/{case}/states", "Shows the states of a window of positions.")
            .query("from", "The first position.")
            .query("to", "The last position, at most 199 after the first.")
            .example("/v1/cases/order-1/states?from=1&to=2", "")
            .to(this::states),
        Route.post("/v1/cases/{case}/fork", "Computes what would follow, without effects.")
            .access(RouteAccess.OPERATOR)
            .computes()
            .body(
                may("position", BodyShape.WHOLE, "Where the fork begins; the last one without it."),
                may("inputs", BodyShape.list(INPUT), "What happens, in order."))
            .example(
                "/v1/cases/order-1/fork",
                "{\"inputs\":[{\"kind\":\"signal\",\"place\":\"approved\",\"payload\":{}}]}")
            .to(this::fork),
        Route.get("/v1/cases/{case}/scenario", "Returns the case as a scenario document.")
            .query("redact", "Keys whose values are replaced, separated by commas.")
            .answer(Route.YAML)
            .example("/v1/cases/order-1/scenario", "")
            .to(this::scenario),
        Route.get("/v1/cases/{case}/drawing", "Draws a case as it is, or as it was.")
            .query("position", "The position of the past that is drawn, with its tokens.")
            .query("revision", "The revision that is drawn, with its failure; the last without it.")
            .query("theme", "`light` or `dark`; without it, the reader's system decides.")
            .answer(Route.SVG)
            .example("/v1/cases/order-1/drawing", "")
            .to(this::drawing));
  }

  static final BodyShape INPUT =
      BodyShape.of(
          need("kind", BodyShape.TEXT, "signal, complete, fail, cancel, retry or time"),
          may("place", BodyShape.TEXT, "The place of a signal."),
          may("payload", BodyShape.DATA, "The payload of a signal."),
          may("task", BodyShape.TEXT, "The task, such as `ship` or `ship[2]#1`."),
          may("result", BodyShape.DATA, "The result of a task."),
          may("reason", BodyShape.TEXT, "Why a task failed, or a scope is cancelled."),
          may("scope", BodyShape.TEXT, "What is cancelled; the case without it."),
          may("at", BodyShape.TEXT, "The time that the clock shows."));

  private <T> T past(CaseRecord record, Function<History, T> action) {
    try {
      return histories.with(desk.engine(), record, action);
    } catch (RevisionGoneException e) {
      throw new Problem(Problem.Kind.GONE, String.valueOf(e.getMessage()));
    }
  }

  private ApiReply positions(Call call) {
    long from = call.ask("from", 1, 1, Long.MAX_VALUE);
    int limit = (int) call.ask("limit", 1_000, 1, POSITIONS_MAX);
    List<HistoryPosition> all = past(call.theCase(), History::positions);
    int first = (int) Math.min(from - 1, all.size());
    int end = Math.min(all.size(), first + limit);
    List<Map<String, @Nullable Object>> items =
        past(call.theCase(), history -> listed(history, all.subList(first, end)));
    return ApiReply.ok(
        JsonWriter.object(
            "items",
            items,
            "total",
            (long) all.size(),
            "next",
            end < all.size() ? String.valueOf(end + 1) : null));
  }

  /// Returns positions with the program that the case had at each.
  private static List<Map<String, @Nullable Object>> listed(
      History history, List<HistoryPosition> positions) {
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    String program = "";
    for (HistoryPosition each : positions) {
      boolean canDiffer =
          program.isEmpty()
              || each.cause() == HistoryPosition.Cause.MIGRATED
              || each.cause() == HistoryPosition.Cause.COMMIT; // of several inputs, unknown ones
      if (canDiffer) {
        program = history.program(each.revision()).toString();
      }
      Map<String, @Nullable Object> item = position(each);
      item.put("program", program);
      items.add(item);
    }
    return items;
  }

  static Map<String, @Nullable Object> position(HistoryPosition position) {
    return JsonWriter.object(
        "position", position.number(),
        "revision", position.revision(),
        "at", StateJson.time(position.atMillis()),
        "kind", kind(position.cause()),
        "cause", position.cause().name().toLowerCase(Locale.ROOT),
        "subject", position.subject(),
        "computed", !position.isCommitted(),
        "committed", position.isCommitted());
  }

  private static String kind(HistoryPosition.Cause cause) {
    return switch (cause) {
      case STARTED -> "start";
      case RESULT, EFFECT_REQUESTED, RETRY, SENT -> "effect";
      case FAILURE, INCIDENT, CASE_FAILED -> "failure";
      case TASK_CANCELLED, CANCELLED, COMPLETED_EARLY -> "cancel";
      case DATA_CHANGED, PAUSED, RESUMED -> "operator";
      case SIGNAL, INSTANCE_ADDED, INSTANCES_CLOSED -> "signal";
      case TIME -> "timer";
      case MIGRATED -> "migration";
      case COMMIT -> "commit";
    };
  }

  private ApiReply at(Call call) {
    long number = number("position", call.at("position"));
    return ApiReply.ok(state(call.theCase(), number));
  }

  private Map<String, @Nullable Object> state(CaseRecord record, long number) {
    PastState state = past(record, history -> history.at(require(history, number)));
    return json(record, state);
  }

  /// Returns a state of the past with the program that the case had then.
  private Map<String, @Nullable Object> json(CaseRecord record, PastState state) {
    ProgramHash program = program(record, state.position().revision());
    Map<String, @Nullable Object> all = new StateJson(desk.sources(record, program)).of(state);
    all.put("program", program.toString());
    return all;
  }

  private static long require(History history, long number) {
    int count = history.positions().size();
    if (number < 1 || number > count) {
      throw new Problem(
          Problem.Kind.NOT_FOUND,
          "there is no position %d; choose one from 1 to %d".formatted(number, count));
    }
    return number;
  }

  private ProgramHash program(CaseRecord record, long revision) {
    return past(record, history -> history.program(revision));
  }

  private static long number(String name, String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw Problem.bad("%s must be an integer, got '%s'".formatted(name, Call.shortened(text)));
    }
  }

  private ApiReply diff(Call call) {
    long from = call.ask("from", 1, 1, Long.MAX_VALUE);
    long to = call.ask("to", 1, 1, Long.MAX_VALUE);
    CaseRecord record = call.theCase();
    StateDiff diff =
        past(record, history -> history.diff(require(history, from), require(history, to)));
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    for (StateDiff.Change each : diff.changes()) {
      items.add(
          JsonWriter.object(
              "path", each.path(),
              "before", value(record, each, each.before()),
              "after", value(record, each, each.after())));
    }
    return ApiReply.ok(JsonWriter.object("items", items, "next", null));
  }

  private static @Nullable Object value(
      CaseRecord record, StateDiff.Change change, @Nullable Object value) {
    if (change.path().startsWith("late failure ")) {
      return new Unstructured(record.workflow(), value);
    }
    String key = change.key();
    return key == null ? value : new Confidential(record.workflow(), key, value);
  }

  private ApiReply states(Call call) {
    long from = call.ask("from", 1, 1, Long.MAX_VALUE);
    long to = call.ask("to", from, from, from + STATES_MAX - 1);
    CaseRecord record = call.theCase();
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    Map<String, @Nullable Object> before = null;
    int total = past(record, history -> history.positions().size());
    for (long number = from; number <= Math.min(to, total); number++) {
      Map<String, @Nullable Object> state = state(record, number);
      Map<String, @Nullable Object> item = JsonWriter.object("position", number);
      if (before == null) {
        item.put("state", state);
      } else {
        item.put("changed", changed(before, state));
      }
      items.add(item);
      before = state;
    }
    return ApiReply.ok(JsonWriter.object("items", items, "total", (long) total, "next", null));
  }

  private static Map<String, @Nullable Object> changed(
      Map<String, @Nullable Object> before, Map<String, @Nullable Object> after) {
    Map<String, @Nullable Object> changed = new LinkedHashMap<>();
    Set<String> keys = new HashSet<>(before.keySet());
    keys.addAll(after.keySet());
    for (String key : keys) {
      if (!Objects.equals(before.get(key), after.get(key))) {
        changed.put(key, after.get(key));
      }
    }
    return changed;
  }

  private ApiReply fork(Call call) throws InterruptedException {
    CaseRecord record = call.theCase();
    List<Json> given =
        call.body().get("inputs") instanceof Json.Items(_, var all) ? all : List.of();
    if (given.size() > INPUTS_MAX) {
      throw Problem.bad("inputs: at most %d, got %d".formatted(INPUTS_MAX, given.size()));
    }
    PastState state =
        computing.limited(
            call.caller(), budget -> past(record, history -> forked(history, call, given, budget)));
    Map<String, @Nullable Object> all = json(record, state);
    all.put(
        "replies",
        state.replies().stream().map(each -> each.name().toLowerCase(Locale.ROOT)).toList());
    return ApiReply.ok(all);
  }

  private static PastState forked(History history, Call call, List<Json> given, Runnable budget) {
    long number = call.whole("position").orElse(history.positions().size());
    require(history, number);
    List<Input> inputs = new ArrayList<>();
    for (Json each : given) {
      PastState now = history.fork(number, budget, inputs.toArray(Input[]::new));
      inputs.add(ForkInputs.of((Json.Fields) each, now));
    }
    return history.fork(number, budget, inputs.toArray(Input[]::new));
  }

  private ApiReply scenario(Call call) {
    CaseRecord record = call.theCase();
    Set<String> redacted = new HashSet<>();
    call.ask("redact").ifPresent(each -> redacted.addAll(List.of(each.split(","))));
    if (!call.caller().seesRedacted()) {
      redacted.addAll(desk.catalog().redacted(record.workflow()));
    }
    LoadedDocument document = desk.sources(record).document();
    if (document == null) {
      throw new Problem(
          Problem.Kind.CONFLICT, "the workflow has no document; only documents have scenarios");
    }
    try {
      return ApiReply.text(
          Route.YAML,
          past(record, history -> CaseScenario.of(history, document.document(), redacted)));
    } catch (CaseScenario.NotExpressible e) {
      throw new Problem(Problem.Kind.CONFLICT, String.valueOf(e.getMessage()));
    }
  }

  private ApiReply drawing(Call call) {
    CaseRecord record = call.theCase();
    Optional<String> position = call.ask("position");
    if (position.isEmpty()) {
      return new SummaryRoutes(desk).drawing(call);
    }
    if (call.ask("revision").isPresent()) {
      throw Problem.bad("position and revision cannot be used together");
    }
    long number = number("position", position.get());
    PastState state = past(record, history -> history.at(require(history, number)));
    StateView view = state.view();
    ProgramHash program = program(record, state.position().revision());
    WorkflowDefinition definition = desk.sources(record, program).definition();
    if (definition == null) {
      throw new Problem(Problem.Kind.CONFLICT, "the workflow has no definition here; register it");
    }
    Marks marks = Marks.NONE;
    Map<String, Integer> counts = new LinkedHashMap<>();
    view.tokens().forEach(each -> counts.merge(each.place(), 1, Integer::sum));
    for (Map.Entry<String, Integer> each : counts.entrySet()) {
      marks =
          marks
              .withTokens(each.getKey(), each.getValue())
              .withState(each.getKey(), Marks.State.WAITING);
    }
    return ApiReply.text(Route.SVG, Drawing.svg(definition, marks, theme(call)));
  }

  /// Returns the theme that a request asks for. Throws [Problem] if there is none of this name.
  static Theme theme(Call call) {
    return switch (call.ask("theme").orElse("")) {
      case "" -> Theme.AUTO;
      case "light" -> Theme.LIGHT;
      case "dark" -> Theme.DARK;
      default -> throw Problem.bad("theme must be light or dark");
    };
  }
}
