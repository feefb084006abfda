package dev.damask.routes;

import static dev.damask.api.BodyShape.need;

import dev.damask.api.ApiReply;
import dev.damask.api.Authenticator;
import dev.damask.api.BodyShape;
import dev.damask.api.Call;
import dev.damask.api.Caller;
import dev.damask.api.Desk;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.api.RouteReach;
import dev.damask.json.JsonWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The routes about the caller and the server itself.
final class SelfRoutes {
  private final Desk desk;
  private final Authenticator authenticator;

  SelfRoutes(Desk desk, Authenticator authenticator) {
    this.desk = desk;
    this.authenticator = authenticator;
  }

  List<Route> routes() {
    return List.of(
        Route.post("/v1/session", "Exchanges the one-time code of the printed link for a token.")
            .access(RouteAccess.ANONYMOUS)
            .reach(RouteReach.NONE)
            .computes()
            .body(need("code", BodyShape.TEXT, "The code."))
            .to(this::session),
        Route.post("/v1/link", "Creates a link that opens the page, once and within five minutes.")
            .access(RouteAccess.ADMIN)
            .reach(RouteReach.WHOLE)
            .body()
            .example("/v1/link", "{}")
            .to(this::link),
        Route.get("/v1/me", "Shows what the token may do.")
            .access(RouteAccess.ANY)
            .reach(RouteReach.NONE)
            .example("/v1/me", "")
            .to(call -> ApiReply.ok(me(call.caller()))));
  }

  private ApiReply session(Call call) {
    Authenticator.Session session =
        authenticator
            .exchange(call.need("code"))
            .orElseThrow(() ->
                new Problem(
                    Problem.Kind.UNAUTHORISED,
                    "the code is unknown, used or too old; POST /v1/link creates a new link"));
    Map<String, @Nullable Object> all = JsonWriter.object("token", session.token());
    all.putAll(me(session.caller()));
    return ApiReply.ok(all);
  }

  private ApiReply link(Call call) {
    if (call.onceId().isPresent()) {
      throw Problem.bad("a link takes no Idempotency-Key: its code is not stored");
    }
    String code =
        authenticator
            .newCode()
            .orElseThrow(() -> new Problem(Problem.Kind.NOT_FOUND, "this server has no codes"));
    return ApiReply.ok(JsonWriter.object("link", "/#code=" + code));
  }

  private Map<String, @Nullable Object> me(Caller caller) {
    return JsonWriter.object(
        "name", caller.name(),
        "role", caller.role().word(),
        "workflows", caller.workflows(),
        "types", caller.types(),
        "secrets", caller.seesSecrets(),
        "expires", caller.expires().map(Object::toString).orElse(null),
        "server", new TreeMap<String, Object>(desk.site().about()));
  }
}
