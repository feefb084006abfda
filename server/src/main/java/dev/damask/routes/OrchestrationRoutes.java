package dev.damask.routes;

import dev.damask.api.ApiReply;
import dev.damask.api.Call;
import dev.damask.api.Desk;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.api.RouteReach;
import dev.damask.api.SessionSummary;
import dev.damask.json.JsonWriter;
import dev.damask.registry.RegistryEntry;
import dev.damask.session.LogLine;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionView;
import dev.damask.session.Sessions;
import dev.damask.source.Rejected;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The routes with which the command line shows sessions and stores graphs and rules.
final class OrchestrationRoutes {
  private static final int LISTED_MAX = 100_000;

  private final Desk desk;

  OrchestrationRoutes(Desk desk) {
    this.desk = desk;
  }

  List<Route> routes() {
    return List.of(
        list("sessions", "Lists the sessions of an owner, newest first.").to(this::sessions),
        list("processes", "Lists the processes of an owner's sessions, latest change first.")
            .query("session", "Only the processes of this session.")
            .query("parent", "Only the processes that this process has spawned.")
            .to(this::processes),
        list("targets", "Lists the waiting processes that an owner may wake.").to(this::targets),
        Route.get("/v1/owners/{owner}/sessions/{number}", "Shows a session with all its processes.")
            .to(call -> ApiReply.ok(SessionSummary.of(view(call)))),
        Route.get("/v1/owners/{owner}/sessions/{number}/log", "Shows the log of a session.")
            .access(RouteAccess.OPERATOR)
            .query("step", "Only this step.")
            .to(this::log),
        Route.put("/v1/rules", "Stores a rule.")
            .query("owner", "The owner.")
            .query("key", "The key of the rule.")
            .access(RouteAccess.ADMIN)
            .reach(RouteReach.WHOLE)
            .text(Route.JSON)
            .example("/v1/rules?owner=eve&key=note", "{\"payload\": {}}")
            .to(call ->
                put(() -> registry().putRule(need(call, "owner"), need(call, "key"), text(call)))),
        Route.put("/v1/graphs", "Stores a graph under the id it contains.")
            .query("owner", "The owner.")
            .access(RouteAccess.ADMIN)
            .reach(RouteReach.WHOLE)
            .text(Route.JSON)
            .example(
                "/v1/graphs?owner=eve",
                "{\"id\": \"notes\", \"structure\": {\"Note\": {\"rule\": \"note\"}}}")
            .to(call -> put(() -> registry().putGraph(need(call, "owner"), text(call)))));
  }

  private static Route.Builder list(String word, String about) {
    return Route.get("/v1/owned/" + word, about)
        .query("owner", "The owner.")
        .query("limit", "How many, from 1 to 100000; 100 without it.")
        .example("/v1/owned/" + word + "?owner=eve", "");
  }

  private static String need(Call call, String name) {
    return call.ask(name).orElseThrow(() -> Problem.bad(name + " is missing"));
  }

  private Sessions required() {
    return desk.site()
        .sessions()
        .or(() -> desk.engine().attached(Sessions.class))
        .orElseThrow(
            () -> new Problem(Problem.Kind.NOT_FOUND, "this engine runs no orchestrations"));
  }

  private dev.damask.registry.Registry registry() {
    return required().registry();
  }

  private static String text(Call call) {
    return new String(call.bytes(), StandardCharsets.UTF_8);
  }

  private static int limit(Call call) {
    return (int) call.ask("limit", 100, 1, LISTED_MAX);
  }

  private static ApiReply items(List<Map<String, @Nullable Object>> items) {
    return ApiReply.ok(JsonWriter.object("items", items, "next", null));
  }

  private ApiReply sessions(Call call) {
    Sessions sessions = required();
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    for (SessionKey each : sessions.list(need(call, "owner"), limit(call))) {
      SessionView view = sessions.view(each, 0);
      if (call.caller().sees(view.graph())) {
        items.add(SessionSummary.head(view));
      }
    }
    return items(items);
  }

  private ApiReply processes(Call call) {
    long session = call.ask("session", 0, 1, Long.MAX_VALUE);
    long parent = call.ask("parent", 0, 1, Long.MAX_VALUE);
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    required().queries().processes(need(call, "owner"), session, parent, limit(call)).stream()
        .filter(each -> call.caller().sees(each.graph()))
        .forEach(each -> items.add(SessionSummary.of(each)));
    return items(items);
  }

  private ApiReply targets(Call call) {
    Sessions sessions = required();
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    sessions.queries().wakeTargets(need(call, "owner"), limit(call)).stream()
        .filter(each -> call.caller().sees(sessions.view(each.session(), 0).graph()))
        .forEach(each -> items.add(SessionSummary.of(each)));
    return items(items);
  }

  private SessionView view(Call call) {
    Sessions sessions = required();
    try {
      SessionView view =
          sessions.view(SessionKey.of(call.at("owner"), Long.parseLong(call.at("number"))));
      if (call.caller().sees(view.graph())) {
        return view;
      }
    } catch (IllegalArgumentException e) {
      // the same as one that the caller may not see
    }
    throw Problem.notFound("session", Call.shortened(call.at("number")));
  }

  private ApiReply log(Call call) {
    SessionView view = view(call);
    String step = call.ask("step").orElse(null);
    List<String> lines =
        required().log(view.key(), each -> step == null || each.step().equals(step)).stream()
            .map(LogLine::json)
            .toList();
    return ApiReply.ok(JsonWriter.object("items", lines, "next", null));
  }

  private static ApiReply put(Supplier<RegistryEntry> action) {
    try {
      RegistryEntry entry = action.get();
      return ApiReply.ok(
          JsonWriter.object(
              "key", entry.key(),
              "version", entry.version(),
              "hash", entry.hash(),
              "owner", entry.owner()));
    } catch (Rejected e) {
      throw new Problem(Problem.Kind.INVALID, String.valueOf(e.getMessage()));
    }
  }
}
