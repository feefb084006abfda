package dev.damask.api;

import dev.damask.json.JsonLimits;
import dev.damask.json.JsonReader;
import dev.damask.json.JsonWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The description of the API as an OpenAPI 3.1 document, generated from the table of routes.
public final class OpenApi {
  private static final Pattern NAME = Pattern.compile("\\{([a-z]+)}");

  private OpenApi() {}

  /// Returns the document as JSON.
  public static Map<String, @Nullable Object> of(List<Route> routes) {
    Map<String, Map<String, @Nullable Object>> paths = new TreeMap<>();
    for (Route each : routes) {
      paths
          .computeIfAbsent(each.path(), _ -> new TreeMap<>())
          .put(each.method().toLowerCase(java.util.Locale.ROOT), operation(each));
    }
    return JsonWriter.object(
        "openapi",
        "3.1.0",
        "info",
        JsonWriter.object(
            "title", "Damask",
            "version", "1",
            "description", "The HTTP API of a Damask engine."),
        "paths",
        new LinkedHashMap<>(paths),
        "components",
        JsonWriter.object(
            "securitySchemes",
                JsonWriter.object("bearer", JsonWriter.object("type", "http", "scheme", "bearer")),
            "schemas", schemas(routes)));
  }

  /// The shapes that answers refer to by name.
  private static Map<String, @Nullable Object> schemas(List<Route> routes) {
    Map<String, @Nullable Object> all = new TreeMap<>();
    all.put("Problem", problem());
    for (Route each : routes) {
      BodyShape shape = each.answer().shape();
      if (shape != null) {
        collect(shape, all);
      }
    }
    return all;
  }

  private static void collect(BodyShape shape, Map<String, @Nullable Object> all) {
    switch (shape) {
      case BodyShape.Named(var name, var named) -> {
        if (!all.containsKey(name)) {
          all.put(name, named.get().schema());
          collect(named.get(), all);
        }
      }
      case BodyShape.Fields(var fields) -> fields.forEach(each -> collect(each.shape(), all));
      case BodyShape.Items(var each) -> collect(each, all);
      case BodyShape.Keyed(var each) -> collect(each, all);
      case BodyShape.Either(var shapes) -> shapes.forEach(each -> collect(each, all));
      case BodyShape.Any _, BodyShape.Plain _ -> {}
    }
  }

  private static Map<String, @Nullable Object> problem() {
    return BodyShape.of(
            BodyShape.need("type", BodyShape.TEXT, "The kind of problem, for programs."),
            BodyShape.need("title", BodyShape.TEXT, "The kind of problem, for people."),
            BodyShape.need("status", BodyShape.WHOLE, "The HTTP status."),
            BodyShape.need("detail", BodyShape.TEXT, "What is wrong with this request."),
            BodyShape.may("place", BodyShape.TEXT, "Where in the body it is wrong."))
        .schema();
  }

  private static Map<String, @Nullable Object> operation(Route route) {
    Map<String, @Nullable Object> all =
        JsonWriter.object(
            "summary", route.about(),
            "description", description(route),
            "operationId", id(route),
            "security",
                route.access() == RouteAccess.ANONYMOUS
                    ? List.of()
                    : List.of(JsonWriter.object("bearer", List.of())),
            "parameters", parameters(route));
    Route.Body body = route.body();
    if (body != null) {
      Map<String, @Nullable Object> content = new LinkedHashMap<>();
      BodyShape shape = body.shape();
      boolean isText = shape == null && !body.type().equals(Route.JSON);
      BodyShape shown = isText ? BodyShape.TEXT : shape == null ? BodyShape.DATA : shape;
      content.put("schema", shown.schema());
      Route.Example example = route.example();
      if (example != null && !example.body().isEmpty()) {
        content.put("example", shape == null ? example.body() : plain(example.body()));
      }
      all.put(
          "requestBody",
          JsonWriter.object("required", true, "content", JsonWriter.object(body.type(), content)));
    }
    all.put("responses", responses(route));
    return all;
  }

  private static @Nullable Object plain(String json) {
    return new JsonReader(JsonLimits.DEFAULT).read(json).plain();
  }

  private static String description(Route route) {
    String role =
        switch (route.access()) {
          case ANONYMOUS -> "Needs no token.";
          case ANY -> "Needs any token.";
          case VIEWER, WORKER, OPERATOR, ADMIN ->
              "Needs the role " + route.access().word() + " or one that includes it.";
        };
    String change =
        route.isChange() ? " Accepts the header Idempotency-Key; the change is audited." : "";
    String match = route.isChange() && route.reach() == RouteReach.CASE ? " Honours If-Match." : "";
    return role + change + match;
  }

  private static String id(Route route) {
    StringBuilder id = new StringBuilder(route.method().toLowerCase(java.util.Locale.ROOT));
    for (String part : route.path().substring(1).split("/", -1)) {
      String word = part.replaceAll("[^A-Za-z0-9]", "");
      id.append(word.substring(0, 1).toUpperCase(java.util.Locale.ROOT)).append(word.substring(1));
    }
    return id.toString();
  }

  private static List<Map<String, @Nullable Object>> parameters(Route route) {
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    Matcher names = NAME.matcher(route.path());
    while (names.find()) {
      all.add(parameter(names.group(1), "path", ""));
    }
    route.query().forEach(each -> all.add(parameter(each.name(), "query", each.about())));
    if (route.isChange()) {
      all.add(parameter("Idempotency-Key", "header", "Makes a repeated request harmless."));
      if (route.reach() == RouteReach.CASE) {
        all.add(parameter("If-Match", "header", "The revision that the case must have."));
      }
    }
    if (Route.EVENTS.equals(route.answer().type())) {
      all.add(parameter("Last-Event-ID", "header", "The last event that was received."));
    }
    return all;
  }

  private static Map<String, @Nullable Object> parameter(String name, String in, String about) {
    return JsonWriter.object(
        "name", name,
        "in", in,
        "required", in.equals("path"),
        "description", about,
        "schema", BodyShape.TEXT.schema());
  }

  private static Map<String, @Nullable Object> responses(Route route) {
    Map<String, @Nullable Object> all = new TreeMap<>();
    Map<String, @Nullable Object> schema = new LinkedHashMap<>();
    BodyShape shape = route.answer().shape();
    schema.put("schema", shape == null ? BodyShape.TEXT.schema() : shape.schema());
    for (int status : new int[] {route.answer().status(), route.answer().also()}) {
      if (status != 0) {
        all.put(
            String.valueOf(status),
            JsonWriter.object(
                "description",
                "Done.",
                "content",
                JsonWriter.object(route.answer().type(), schema)));
      }
    }
    List<Problem.Kind> kinds =
        new ArrayList<>(
            List.of(Problem.Kind.BAD_REQUEST, Problem.Kind.WRONG_HOST, Problem.Kind.UNAVAILABLE));
    boolean isOpen = route.access() == RouteAccess.ANONYMOUS;
    if (!isOpen || route.body() != null) { // a body without a token has a code in its place
      kinds.addAll(
          List.of(Problem.Kind.UNAUTHORISED, Problem.Kind.FORBIDDEN, Problem.Kind.TOO_MANY));
    }
    if (route.reach() != RouteReach.NONE) {
      kinds.add(Problem.Kind.NOT_FOUND);
    }
    if (route.isChange()) {
      kinds.addAll(List.of(Problem.Kind.CONFLICT, Problem.Kind.KEY_REUSED));
    }
    if (route.isChange() && route.reach() == RouteReach.CASE) {
      kinds.add(Problem.Kind.STALE);
    }
    if (route.body() != null) {
      kinds.addAll(
          List.of(Problem.Kind.TIMED_OUT, Problem.Kind.TOO_LARGE, Problem.Kind.WRONG_TYPE));
    }
    boolean isPast = route.reach() == RouteReach.CASE && !route.isChange();
    if (isPast || Route.EVENTS.equals(route.answer().type())) {
      kinds.add(Problem.Kind.GONE);
    }
    if (isPast) {
      kinds.add(Problem.Kind.CONFLICT); // such as a workflow without a definition
    }
    if (route.body() != null && !route.isChange()) {
      kinds.add(Problem.Kind.INVALID);
    }
    for (Problem.Kind each : kinds) {
      all.put(
          String.valueOf(each.status()),
          JsonWriter.object(
              "description",
              each.title() + ".",
              "content",
              JsonWriter.object(
                  "application/problem+json",
                  JsonWriter.object(
                      "schema", JsonWriter.object("$ref", "#/components/schemas/Problem")))));
    }
    return all;
  }
}
