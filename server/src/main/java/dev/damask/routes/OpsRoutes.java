package dev.damask.routes;

import static dev.damask.api.BodyShape.may;
import static dev.damask.api.BodyShape.need;

import dev.damask.api.ApiReply;
import dev.damask.api.BodyShape;
import dev.damask.api.Call;
import dev.damask.api.Caller;
import dev.damask.api.Cursor;
import dev.damask.api.Desk;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.api.ScheduleJson;
import dev.damask.api.Sources;
import dev.damask.api.Unstructured;
import dev.damask.json.JsonWriter;
import dev.damask.ops.Incident;
import dev.damask.ops.IncidentQuery;
import dev.damask.ops.Incidents;
import dev.damask.ops.ScheduleView;
import dev.damask.term.Schedule;
import dev.damask.term.WorkflowDefinition;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The routes about incidents and schedules.
final class OpsRoutes {
  private static final String WITHIN = "within ";
  private static final int GROUPS_MAX = 20;

  private final Desk desk;

  OpsRoutes(Desk desk) {
    this.desk = desk;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/v1/incidents", "Lists the tasks that wait for an operator.")
            .query("workflow", "Only incidents of this workflow.")
            .query("case", "Only incidents of this case.")
            .query("task", "Only incidents of tasks of this name.")
            .query("reason", "Only incidents with this reason.")
            .query("limit", "The page size, from 1 to 1000; 100 without it.")
            .query("cursor", "`next` of the page before.")
            .example("/v1/incidents", "")
            .to(this::incidents),
        incident("retry", "Tries the task of an incident once more.").to(this::retryOne),
        incident("skip", "Completes the task of an incident with a result.")
            .body(may("result", BodyShape.DATA, "The result of the task."))
            .to(this::skipOne),
        incident("fail", "Fails the task of an incident permanently.")
            .body(may("reason", BodyShape.TEXT, "Why; the reason of the incident without it."))
            .to(this::failOne),
        Route.post("/v1/incidents/{action}", "Retries, skips or fails all incidents that match.")
            .access(RouteAccess.OPERATOR)
            .body(
                may("workflow", BodyShape.TEXT, "Only incidents of this workflow."),
                may("case", BodyShape.TEXT, "Only incidents of this case."),
                may("task", BodyShape.TEXT, "Only incidents of tasks of this name."),
                may("reason", BodyShape.TEXT, "Only incidents with this reason."),
                may("result", BodyShape.DATA, "With skip: the result."),
                may("dryRun", BodyShape.FLAG, "Whether only to list what matches."))
            .example("/v1/incidents/retry", "{\"dryRun\":true}")
            .to(this::many),
        Route.get("/v1/schedules", "Lists the schedules.")
            .example("/v1/schedules", "")
            .to(this::schedules),
        Route.get("/v1/schedules/{name}", "Shows a schedule.")
            .example("/v1/schedules/nightly", "")
            .to(call -> ApiReply.ok(ScheduleJson.of(schedule(call)))),
        Route.put("/v1/schedules/{name}", "Stores a schedule.")
            .access(RouteAccess.OPERATOR)
            .body(
                need("workflow", BodyShape.TEXT, "The workflow whose cases are started."),
                may("cron", BodyShape.TEXT, "A cron expression such as `0 3 * * *`."),
                may("zone", BodyShape.TEXT, "The time zone of the expression; UTC without it."),
                may("every", BodyShape.TEXT, "An interval such as PT1H, instead of `cron`."),
                may("overlap", BodyShape.TEXT, "skip, queue, allow or replace; skip without it."),
                may(
                    "catchUp",
                    BodyShape.TEXT,
                    "Which missed times start cases after an outage: none, last, or those within a"
                        + " duration such as PT6H; last without it."),
                may("input", BodyShape.DATA, "The context that its cases start with."))
            .example("/v1/schedules/hourly", "{\"workflow\":\"order\",\"every\":\"PT1H\"}")
            .to(this::put),
        Route.post("/v1/schedules/{name}/{action}", "Pauses, resumes or triggers a schedule.")
            .access(RouteAccess.OPERATOR)
            .body()
            .example("/v1/schedules/nightly/pause", "{}")
            .to(this::act),
        Route.delete("/v1/schedules/{name}", "Removes a schedule; its cases stay.")
            .access(RouteAccess.ADMIN)
            .to(call -> {
              desk.engine().schedules().remove(schedule(call).name());
              return ApiReply.ok(JsonWriter.object("removed", call.at("name")));
            }));
  }

  private static Route.Builder incident(String word, String about) {
    return Route.post("/v1/incidents/{incident}/" + word, about)
        .access(RouteAccess.OPERATOR)
        .body();
  }

  /// The id of an incident: its case and its task.
  private static String id(Incident incident) {
    return String.valueOf(Cursor.of(incident.id().toString(), incident.caseId()));
  }

  private Incident incident(Call call) {
    List<String> parts = Cursor.parts(call.at("incident"), 2);
    String task = parts.getFirst();
    return desk.engine().incidents().list(IncidentQuery.ALL.withCase(parts.getLast())).stream()
        .filter(each -> each.id().toString().equals(task) && call.caller().sees(each.workflow()))
        .findFirst()
        .orElseThrow(() -> Problem.notFound("incident", Call.shortened(call.at("incident"))));
  }

  private List<Incident> visible(Caller caller, IncidentQuery query) {
    return desk.engine().incidents().list(query).stream()
        .filter(each -> caller.sees(each.workflow()))
        .toList();
  }

  private ApiReply incidents(Call call) {
    IncidentQuery query =
        query(call.ask("workflow"), call.ask("case"), call.ask("task"), call.ask("reason"));
    int limit = (int) call.ask("limit", 100, 1, 1_000);
    List<Incident> all = visible(call.caller(), query);
    int from = call.ask("cursor").map(each -> after(all, each)).orElse(0);
    int to = Math.min(all.size(), from + limit);
    List<Incident> page = all.subList(from, to);
    return ApiReply.ok(
        JsonWriter.object(
            "items",
            page.stream().map(this::json).toList(),
            "next",
            to < all.size() ? next(page.getLast()) : null,
            "total",
            all.size() < Incidents.LIST_MAX ? (Object) (long) all.size() : "10000+",
            "groups",
            groups(all)));
  }

  /// The index after an incident; if it was resolved meanwhile, of the first one that is younger.
  private static int after(List<Incident> all, String cursor) {
    List<String> parts = Cursor.parts(cursor, 3);
    String since = parts.getFirst();
    int younger = 0;
    for (int i = 0; i < all.size(); i++) {
      if (next(all.get(i)).equals(cursor)) {
        return i + 1;
      }
      if (since(all.get(i)).compareTo(since) <= 0) {
        younger = i + 1;
      }
    }
    return younger;
  }

  private static String next(Incident last) {
    return String.valueOf(Cursor.of(since(last), last.id().toString(), last.caseId()));
  }

  private static String since(Incident incident) {
    return "%020d".formatted(Math.max(0, incident.since().toEpochMilli()));
  }

  /// What incidents have in common.
  private record Group(String workflow, String task, String reason) {}

  /// The largest groups of incidents with the same workflow, task and reason.
  private static List<Map<String, @Nullable Object>> groups(List<Incident> all) {
    Map<Group, Long> counted = new LinkedHashMap<>();
    for (Incident each : all) {
      counted.merge(new Group(each.workflow(), each.task(), each.reason()), 1L, Long::sum);
    }
    List<Map<String, @Nullable Object>> groups = new ArrayList<>();
    counted.entrySet().stream()
        .sorted(Map.Entry.<Group, Long>comparingByValue().reversed())
        .limit(GROUPS_MAX)
        .forEach(each ->
            groups.add(
                JsonWriter.object(
                    "workflow", each.getKey().workflow(),
                    "task", each.getKey().task(),
                    "reason", each.getKey().reason(),
                    "count", each.getValue())));
    return groups;
  }

  private static IncidentQuery query(
      Optional<String> workflow,
      Optional<String> caseId,
      Optional<String> task,
      Optional<String> reason) {
    return new IncidentQuery(caseId, workflow, task, Optional.empty(), reason);
  }

  private Map<String, @Nullable Object> json(Incident incident) {
    Sources sources = desk.engine().record(incident.caseId()).map(desk::sources).orElse(null);
    String element = sources == null ? null : sources.element(incident.task()).orElse(null);
    return JsonWriter.object(
        "id", id(incident),
        "case", incident.caseId(),
        "workflow", incident.workflow(),
        "task", incident.address(),
        "name", incident.task(),
        "type", incident.type(),
        "element", element,
        "line", sources == null || element == null ? null : sources.line(element),
        "reason", incident.reason(),
        "detail", new Unstructured(incident.workflow(), incident.detail()),
        "attempts", (long) incident.attempt(),
        "since", incident.since().toString(),
        "open", true);
  }

  private ApiReply retryOne(Call call) {
    Incident found = incident(call);
    return ActionRoutes.answer(desk.engine().incidents().retry(found.caseId(), found.id()));
  }

  private ApiReply skipOne(Call call) {
    Incident found = incident(call);
    return ActionRoutes.answer(
        desk.engine().incidents().skip(found.caseId(), found.id(), call.data("result")));
  }

  private ApiReply failOne(Call call) {
    Incident found = incident(call);
    return ActionRoutes.answer(
        desk.engine().incidents().fail(found.caseId(), found.id(), call.text("reason").orElse("")));
  }

  private ApiReply many(Call call) {
    String action = call.at("action");
    if (!List.of("retry", "skip", "fail").contains(action)) {
      throw Problem.notFound("action on incidents", Call.shortened(action));
    }
    IncidentQuery query =
        query(call.text("workflow"), call.text("case"), call.text("task"), call.text("reason"));
    Incidents incidents = desk.engine().incidents();
    Map<String, @Nullable Object> result = call.data("result");
    List<Map<String, @Nullable Object>> done = new ArrayList<>();
    long[] matched = {0};
    incidents.each(
        query,
        each -> {
          if (!call.caller().sees(each.workflow())) {
            return;
          }
          matched[0]++;
          boolean isDone =
              call.flag("dryRun")
                  || switch (action) {
                    case "retry" -> incidents.retry(each.caseId(), each.id()).isAccepted();
                    case "skip" -> incidents.skip(each.caseId(), each.id(), result).isAccepted();
                    default -> incidents.fail(each.caseId(), each.id(), "").isAccepted();
                  };
          if (isDone) {
            done.add(json(each));
          }
        });
    return ApiReply.ok(JsonWriter.object("items", done, "matched", matched[0]));
  }

  private ScheduleView schedule(Call call) {
    String name = call.at("name");
    return desk.engine()
        .schedules()
        .get(name)
        .filter(each -> call.caller().sees(each.workflow()))
        .orElseThrow(() -> Problem.notFound("schedule", Call.shortened(name)));
  }

  private ApiReply schedules(Call call) {
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    for (ScheduleView each : desk.engine().schedules().list()) {
      if (call.caller().sees(each.workflow())) {
        items.add(ScheduleJson.of(each));
      }
    }
    return ApiReply.ok(JsonWriter.object("items", items, "next", null));
  }

  private ApiReply put(Call call) {
    String name = call.at("name");
    String workflow = call.need("workflow");
    desk.requireScheduleName(call.caller(), name);
    WorkflowDefinition definition = desk.engine().workflow(workflow).orElse(null);
    if (!call.caller().sees(workflow) || definition == null) {
      throw Problem.notFound("workflow", Call.shortened(workflow));
    }
    Schedule schedule = timing(call);
    Optional<String> overlap = call.text("overlap");
    if (overlap.isPresent()) {
      schedule = schedule.overlap(overlap(overlap.get()));
    }
    Optional<String> catchUp = call.text("catchUp");
    if (catchUp.isPresent()) {
      schedule = schedule.catchUp(catchUp(catchUp.get()));
    }
    return ApiReply.ok(
        ScheduleJson.of(
            desk.engine().schedules().put(name, schedule, definition, call.context("input"))));
  }

  private static Schedule.Overlap overlap(String word) {
    for (Schedule.Overlap each : Schedule.Overlap.values()) {
      if (each.word().equals(word.toLowerCase(Locale.ROOT))) {
        return each;
      }
    }
    throw Problem.bad("overlap must be skip, queue, allow or replace");
  }

  private static Schedule.CatchUp catchUp(String word) {
    try {
      return switch (word) {
        case "none" -> Schedule.CatchUp.none();
        case "last" -> Schedule.CatchUp.last();
        default ->
            Schedule.CatchUp.within(
                Duration.parse(word.startsWith(WITHIN) ? word.substring(WITHIN.length()) : word));
      };
    } catch (DateTimeException | IllegalArgumentException e) {
      throw Problem.bad("catchUp must be none, last or a duration such as PT6H");
    }
  }

  private static Schedule timing(Call call) {
    Optional<String> cron = call.text("cron");
    Optional<String> every = call.text("every");
    if (cron.isPresent() == every.isPresent()) {
      throw Problem.bad("specify either cron or every");
    }
    try {
      return cron.isPresent()
          ? Schedule.cron(cron.get(), call.text("zone").orElse("UTC"))
          : Schedule.every(Duration.parse(every.orElseThrow()));
    } catch (DateTimeException e) {
      throw Problem.bad("every must be a duration such as PT1H");
    }
  }

  private ApiReply act(Call call) {
    String name = schedule(call).name();
    return switch (call.at("action")) {
      case "pause" -> ApiReply.ok(ScheduleJson.of(desk.engine().schedules().pause(name)));
      case "resume" -> ApiReply.ok(ScheduleJson.of(desk.engine().schedules().resume(name)));
      case "trigger" -> {
        String started = desk.engine().schedules().trigger(name);
        yield ApiReply.ok(JsonWriter.object("name", name, "case", started));
      }
      default -> throw Problem.notFound("action on schedules", Call.shortened(call.at("action")));
    };
  }
}
