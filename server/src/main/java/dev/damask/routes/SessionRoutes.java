package dev.damask.routes;

import static dev.damask.api.BodyShape.may;

import dev.damask.api.ApiReply;
import dev.damask.api.BodyShape;
import dev.damask.api.Call;
import dev.damask.api.Cursor;
import dev.damask.api.Desk;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.api.RouteReach;
import dev.damask.api.Unstructured;
import dev.damask.json.JsonWriter;
import dev.damask.registry.RegistryEntry;
import dev.damask.session.LogLine;
import dev.damask.session.ProcessInstance;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionView;
import dev.damask.session.Sessions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The routes about orchestrations: graphs, rules and sessions. A token that is limited to some
/// workflows sees the graphs whose id its patterns match, and no rules.
final class SessionRoutes {
  private static final int LISTED_MAX = 1_000;
  private static final int LOG_MAX = 1_000;
  private static final int DEPTH_MAX = 100;

  private final Desk desk;

  SessionRoutes(Desk desk) {
    this.desk = desk;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/v1/sessions", "Lists the sessions, newest first.")
            .query("owner", "Only sessions of this owner.")
            .query("limit", "How many, from 1 to 1000; 100 without it.")
            .example("/v1/sessions", "")
            .to(this::list),
        Route.get("/v1/sessions/{session}", "Shows a session with its processes and its log.")
            .to(this::show),
        action("wake", "Wakes a process, or the processes at a step.")
            .body(
                may("step", BodyShape.TEXT, "The step."),
                may("process", BodyShape.WHOLE, "The number of the process."),
                may("payload", BodyShape.DATA, "What is merged into the payload."))
            .to(this::wake),
        action("pause", "Pauses a session.").body().to(this::pause),
        action("resume", "Resumes a session.").body().to(this::resume),
        action("kill", "Ends a session.").body().to(this::kill),
        Route.get("/v1/graphs", "Lists the graph documents.")
            .example("/v1/graphs", "")
            .to(call -> entries(call, RegistryEntry.Kind.GRAPH)),
        Route.get("/v1/rules", "Lists the rule documents.")
            .reach(RouteReach.WHOLE)
            .example("/v1/rules", "")
            .to(call -> entries(call, RegistryEntry.Kind.RULE)));
  }

  private static Route.Builder action(String word, String about) {
    return Route.post("/v1/sessions/{session}/" + word, about).access(RouteAccess.OPERATOR);
  }

  private @Nullable Sessions sessions() {
    return desk.site().sessions().or(() -> desk.engine().attached(Sessions.class)).orElse(null);
  }

  private Sessions required() {
    Sessions sessions = sessions();
    if (sessions == null) {
      throw new Problem(Problem.Kind.NOT_FOUND, "this engine runs no orchestrations");
    }
    return sessions;
  }

  private ApiReply list(Call call) {
    Sessions sessions = sessions();
    int limit = (int) call.ask("limit", 100, 1, LISTED_MAX);
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    if (sessions != null) {
      for (SessionKey each : sessions.list(call.ask("owner").orElse(null), limit)) {
        SessionView view = sessions.view(each, 0);
        if (call.caller().sees(view.graph())) {
          items.add(head(view));
        }
      }
    }
    return ApiReply.ok(JsonWriter.object("items", items, "next", null));
  }

  private static String id(SessionKey key) {
    return String.valueOf(Cursor.of(String.valueOf(key.number()), key.owner()));
  }

  private Map<String, @Nullable Object> head(SessionView view) {
    Map<String, @Nullable Object> counts = new TreeMap<>();
    view.counts()
        .forEach((status, count) -> {
          if (count > 0) {
            counts.put(status.name(), count);
          }
        });
    return JsonWriter.object(
        "id", id(view.key()),
        "owner", view.key().owner(),
        "number", view.key().number(),
        "case", view.key().caseId(),
        "graph", view.graph(),
        "status", view.status().name(),
        "paused", view.paused(),
        "started", StateJson.time(view.startedMillis()),
        "changed", StateJson.time(view.updatedMillis()),
        "processes", counts);
  }

  private SessionView view(Call call) {
    Sessions sessions = required();
    List<String> parts = Cursor.parts(call.at("session"), 2);
    try {
      SessionView view =
          sessions.view(SessionKey.of(parts.getLast(), Long.parseLong(parts.getFirst())));
      if (call.caller().sees(view.graph())) {
        return view;
      }
    } catch (IllegalArgumentException e) {
      // the same as one that the caller may not see
    }
    throw Problem.notFound("session", Call.shortened(call.at("session")));
  }

  private ApiReply show(Call call) {
    SessionView view = view(call);
    Map<String, @Nullable Object> all = head(view);
    all.put("failure", view.failure().orElse(null));
    all.put("cancellation", view.cancellation().orElse(null));
    all.put("cost", view.cost());
    all.put("missingSecrets", new TreeMap<>(view.lacking()));
    all.put("result", new Unstructured("", view.result()));
    all.put("tree", children(view, 0, 0));
    all.put("groups", groups(view));
    List<Map<String, @Nullable Object>> joins = new ArrayList<>();
    for (ProcessInstance each : view.processes()) {
      if (each.fromGroup() != 0) {
        joins.add(
            JsonWriter.object(
                "name",
                each.step(),
                "completed",
                (long) each.delivered().size(),
                "required",
                (long) each.expected().size(),
                "failed",
                new TreeMap<>(each.joinFail())));
      }
    }
    all.put("joins", joins);
    List<LogLine> last = required().lastLines(view.key(), LOG_MAX);
    all.put(
        "log",
        last.stream()
            .map(each ->
                JsonWriter.object(
                    "at", StateJson.time(each.atMillis()),
                    "step", each.step(),
                    "process", each.iteration(),
                    "text", new Unstructured("", each.outcome())))
            .toList());
    return ApiReply.ok(all);
  }

  private List<Map<String, @Nullable Object>> children(SessionView view, long parent, int depth) {
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    if (depth > DEPTH_MAX) {
      return all;
    }
    for (ProcessInstance each : view.children(parent)) {
      OptionalLong wake = each.nextWakeAt();
      all.add(
          JsonWriter.object(
              "name", each.step() + " " + each.iteration(),
              "process", each.iteration(),
              "step", each.step(),
              "state", each.status().name(),
              "valid", each.valid().orElse(null),
              "reason", each.reason(),
              "since", StateJson.time(each.updatedMillis()),
              "until", wake.isPresent() ? StateJson.time(wake.getAsLong()) : null,
              "payload", new Unstructured("", each.payload()),
              "children", children(view, each.iteration(), depth + 1)));
    }
    return all;
  }

  private static List<Map<String, @Nullable Object>> groups(SessionView view) {
    Map<Integer, List<ProcessInstance>> members = new LinkedHashMap<>();
    view.processes().stream()
        .filter(each -> each.group() != 0)
        .forEach(each -> members.computeIfAbsent(each.group(), _ -> new ArrayList<>()).add(each));
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    members.forEach((group, each) -> {
      TreeSet<String> states = new TreeSet<>();
      each.forEach(process -> states.add(process.status().name()));
      all.add(
          JsonWriter.object(
              "name", "group " + group,
              "members", each.stream().map(ProcessInstance::iteration).toList(),
              "state", String.join(", ", states)));
    });
    return all;
  }

  private ApiReply wake(Call call) {
    SessionView view = view(call);
    OptionalLong process = call.whole("process");
    if (process.isPresent() == call.text("step").isPresent()) {
      throw Problem.bad("specify either step or process");
    }
    String owner = view.key().owner();
    long woken =
        process.isPresent()
            ? required().wakeProcess(owner, view.key(), process.getAsLong(), call.data("payload"))
                ? 1
                : 0
            : required().wakeStep(owner, view.key(), call.need("step"), call.data("payload"));
    return ApiReply.ok(JsonWriter.object("woken", woken));
  }

  private ApiReply pause(Call call) {
    SessionView view = view(call);
    required().pause(view.key().owner(), view.key());
    return ApiReply.ok(JsonWriter.object("paused", true));
  }

  private ApiReply resume(Call call) {
    SessionView view = view(call);
    required().resume(view.key().owner(), view.key());
    return ApiReply.ok(JsonWriter.object("paused", false));
  }

  private ApiReply kill(Call call) {
    SessionView view = view(call);
    long killed = required().kill(view.key().owner(), view.key());
    return ApiReply.ok(JsonWriter.object("killed", killed));
  }

  private ApiReply entries(Call call, RegistryEntry.Kind kind) {
    Sessions sessions = sessions();
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    List<RegistryEntry> all = sessions == null ? List.of() : sessions.registry().list(kind);
    for (RegistryEntry each : all) {
      if (call.caller().sees(each.key())) {
        items.add(
            JsonWriter.object(
                "key", each.key(),
                "version", each.version(),
                "hash", each.hash(),
                "owner", each.owner(),
                "executors", each.executors(),
                "changed", StateJson.time(each.updatedMillis()),
                "text", each.text()));
      }
    }
    return ApiReply.ok(JsonWriter.object("items", items, "next", null));
  }
}
