package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Desk;
import dev.damask.api.OpenApi;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.RouteTable;
import dev.damask.api.Site;
import dev.damask.cases.Engine;
import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.json.JsonReader;
import dev.damask.json.JsonWriter;
import dev.damask.routes.Api;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Compares real answers with the OpenAPI document: the status and the media type must be listed,
/// and a JSON body must have the fields of its schema and no others.
final class AnswerCheck {
  private final RouteTable table;
  private final Map<?, ?> document;
  private final Set<String> succeeded = new TreeSet<>(); // with its lock

  AnswerCheck(Engine engine, Tokens tokens) {
    try (Desk desk = Desk.open(engine, Site.of("test"), Clock.systemUTC())) {
      this.table = Api.table(desk, tokens);
    }
    // As clients read it.
    this.document = (Map<?, ?>) plain(JsonWriter.line(OpenApi.of(table.routes())));
  }

  private static Object plain(String json) {
    return Objects.requireNonNull(
        new JsonReader(JsonLimits.DEFAULT).read(json).plain(Json.Numeral::number));
  }

  /// Returns the routes with a JSON answer that have not succeeded yet.
  Set<String> missing() {
    Set<String> all = new TreeSet<>();
    for (Route each : table.routes()) {
      if (each.answer().type().equals(Route.JSON)) {
        all.add(each.method() + " " + each.path());
      }
    }
    synchronized (succeeded) {
      all.removeAll(succeeded);
    }
    return all;
  }

  /// Fails if the document does not describe an answer.
  void check(String method, String path, int status, String type, String body) {
    Optional<RouteTable.Match> match;
    try {
      match = table.find(method, path);
    } catch (Problem e) {
      return; // the path is malformed, or has other methods
    }
    if (match.isEmpty() || status == 414 || method.equals("HEAD")) {
      return; // the address is too long for any route
    }
    Route route = match.get().route();
    String name = method + " " + route.path();
    Map<?, ?> operation = at(document, "paths", route.path(), method.toLowerCase(Locale.ROOT));
    Map<?, ?> content = at(operation, "responses", String.valueOf(status), "content");
    assertThat(content.containsKey(type)).as("%s %d: %s: %s", name, status, type, body).isTrue();
    if (type.endsWith("json")) {
      List<String> problems = new ArrayList<>();
      validate(at(content, type, "schema"), plain(body), "", status < 400, problems);
      assertThat(problems).as("%s %d: %s", name, status, body).isEmpty();
    }
    if (status < 300) {
      synchronized (succeeded) {
        succeeded.add(name);
      }
    }
  }

  private Map<?, ?> at(Map<?, ?> from, String... keys) {
    Map<?, ?> now = from;
    for (String each : keys) {
      assertThat(now.get(each))
          .as("%s of %s", each, String.join("/", keys))
          .isInstanceOf(Map.class);
      now = (Map<?, ?>) Objects.requireNonNull(now.get(each));
    }
    return now;
  }

  private void validate(
      Map<?, ?> schema, @Nullable Object value, String path, boolean isStrict, List<String> out) {
    if (schema.get("$ref") instanceof String ref) {
      String name = ref.substring(ref.lastIndexOf('/') + 1);
      validate(at(document, "components", "schemas", name), value, path, isStrict, out);
    } else if (schema.get("anyOf") instanceof List<?> choices) {
      List<String> all = new ArrayList<>();
      for (Object each : choices) {
        List<String> found = new ArrayList<>();
        validate((Map<?, ?>) each, value, path, isStrict, found);
        if (found.isEmpty()) {
          return;
        }
        all.addAll(found);
      }
      out.addAll(all);
    } else if (schema.get("type") instanceof String type) {
      if (!isOf(type, value)) {
        out.add(path + " is " + value + ", expected " + type);
      } else if (value instanceof List<?> items && schema.get("items") instanceof Map<?, ?> each) {
        for (int i = 0; i < items.size(); i++) {
          validate(each, items.get(i), path + "[" + i + "]", isStrict, out);
        }
      } else if (value instanceof Map<?, ?> fields) {
        object(schema, fields, path, isStrict, out);
      }
    }
  }

  private static boolean isOf(String type, @Nullable Object value) {
    return switch (type) {
      case "string" -> value instanceof String;
      case "integer" -> value instanceof Long || value instanceof java.math.BigInteger;
      case "number" -> value instanceof Number;
      case "boolean" -> value instanceof Boolean;
      case "null" -> value == null;
      case "array" -> value instanceof List;
      case "object" -> value instanceof Map;
      default -> false;
    };
  }

  private void object(
      Map<?, ?> schema, Map<?, ?> fields, String path, boolean isStrict, List<String> out) {
    if (schema.get("required") instanceof List<?> required) {
      for (Object each : required) {
        if (!fields.containsKey(each)) {
          out.add(path + "." + each + " is missing");
        }
      }
    }
    Map<?, ?> known = schema.get("properties") instanceof Map<?, ?> found ? found : Map.of();
    for (Map.Entry<?, ?> each : fields.entrySet()) {
      String inner = path + "." + each.getKey();
      if (known.get(each.getKey()) instanceof Map<?, ?> own) {
        validate(own, each.getValue(), inner, isStrict, out);
      } else if (schema.get("additionalProperties") instanceof Map<?, ?> any) {
        validate(any, each.getValue(), inner, isStrict, out);
      } else if (isStrict && schema.containsKey("properties")) {
        out.add(inner + " is not described");
      }
    }
  }
}
