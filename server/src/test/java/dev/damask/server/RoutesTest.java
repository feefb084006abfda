package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Desk;
import dev.damask.api.Dispatcher;
import dev.damask.api.Role;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.api.RouteReach;
import dev.damask.api.RouteTable;
import dev.damask.api.Site;
import dev.damask.routes.Api;
import dev.damask.server.ServedEngine.Answer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Walks every route of the table, so that a new route is tested without a new test.
final class RoutesTest {
  private ServedEngine served;
  private List<Route> routes;

  @BeforeEach
  void open() {
    served = ServedEngine.inMemory();
    try (Desk desk = Desk.open(served.engine, Site.of("test"), Clock.systemUTC())) {
      RouteTable table = Api.table(desk, served.tokens);
      routes = table.routes();
    }
  }

  @AfterEach
  void close() {
    served.close();
  }

  /// The path of a route with values that exist.
  private String path(Route route) {
    if (route.example() != null) {
      return route.example().path();
    }
    return route
        .path()
        .replace("{case}", "order-5")
        .replace("{workflow}", "order")
        .replace("{position}", "1")
        .replace("{name}", "nightly")
        .replace("{action}", "pause")
        .replaceAll("\\{[a-z]+}", "none");
  }

  private String body(Route route) {
    Route.Example example = route.example();
    return example != null ? example.body() : route.body() == null ? "" : "{}";
  }

  private Answer send(String token, Route route) {
    return served.send(route.method(), token, path(route), body(route));
  }

  private List<Route> withoutStreams() {
    return routes.stream().filter(each -> !each.path().endsWith("/events")).toList();
  }

  @Test
  void every_example_succeeds_with_the_status_and_type_of_its_row() {
    for (Route route : withoutStreams()) {
      if (route.example() == null) {
        continue;
      }
      Answer answer = send(served.admin, route);

      assertThat(answer.status())
          .as("%s %s: %s", route.method(), route.example().path(), answer.text())
          .isEqualTo(route.answer().status());
      assertThat(answer.header("Content-Type"))
          .startsWith(route.answer().type().replaceFirst(";.*", ""));
      assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
    }
  }

  /// Those without an example need ids that only a run knows; [RouteActionsTest] calls each.
  @Test
  void every_route_has_an_example_or_a_test_of_its_own() {
    List<String> missing =
        withoutStreams().stream()
            .filter(each -> each.example() == null)
            .map(each -> each.method() + " " + each.path())
            .toList();

    assertThat(RouteActionsTest.CALLED).containsExactlyInAnyOrderElementsOf(missing);
  }

  @Test
  void no_route_answers_without_a_token_unless_its_row_says_so() {
    for (Route route : routes) {
      if (route.access() == RouteAccess.ANONYMOUS) {
        continue;
      }
      for (String token : List.of("", "wrong", served.admin + "x")) {
        Answer answer = send(token, route);

        assertThat(answer.status()).as("%s %s", route.method(), route.path()).isEqualTo(401);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.header("WWW-Authenticate")).startsWith("Bearer");
      }
    }
    assertThat(served.engine.status("order-5").revision()).isLessThanOrEqualTo(2);
  }

  @Test
  void every_route_refuses_the_roles_that_its_row_does_not_permit() {
    Map<Role, String> tokens =
        Map.of(
            Role.VIEWER, served.viewer,
            Role.WORKER, served.worker,
            Role.OPERATOR, served.operator);
    for (Route route : withoutStreams()) {
      tokens.forEach((role, token) -> {
        if (!route.access().permits(role)) {
          Answer answer = send(token, route);

          assertThat(answer.status())
              .as("%s %s as %s", route.method(), route.path(), role)
              .isEqualTo(403);
        }
      });
    }
    assertThat(served.audit).anyMatch(each -> each.outcome().equals("403 forbidden"));
  }

  @Test
  void every_path_refuses_methods_that_no_row_has() {
    for (Route route : withoutStreams()) {
      Answer answer = served.send("PATCH", served.admin, path(route), "");

      assertThat(answer.status()).as(route.path()).isEqualTo(405);
      assertThat(answer.header("Allow")).contains(route.method());
    }
  }

  @Test
  void every_route_with_a_body_refuses_other_types_and_sizes_and_depths_and_encodings() {
    String deep = "{\"a\":".repeat(100) + "1" + "}".repeat(100);
    for (Route route : withoutStreams()) {
      if (route.body() == null) {
        continue;
      }
      String where = route.method() + " " + route.path();
      Answer type =
          served.send(
              served
                  .request(served.admin, path(route))
                  .method(route.method(), java.net.http.HttpRequest.BodyPublishers.ofString("<a/>"))
                  .header("Content-Type", "application/xml")
                  .build());
      assertThat(type.status()).as(where).isEqualTo(415);
      if (route.body().shape() == null) {
        continue;
      }
      assertThat(served.send(route.method(), served.admin, path(route), deep).status())
          .as("%s depth", where)
          .isEqualTo(400);
      assertThat(served.send(route.method(), served.admin, path(route), "{\"nothing\":1}").status())
          .as("%s unknown field", where)
          .isEqualTo(400);
      assertThat(served.send(route.method(), served.admin, path(route), "{\"a\":1,").status())
          .as("%s half", where)
          .isEqualTo(400);
      Answer encoding =
          served.send(
              served
                  .request(served.admin, path(route))
                  .method(
                      route.method(),
                      java.net.http.HttpRequest.BodyPublishers.ofByteArray(
                          new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}'}))
                  .header("Content-Type", "application/json")
                  .build());
      assertThat(encoding.status()).as("%s encoding", where).isEqualTo(400);
    }
  }

  @Test
  void a_body_that_is_too_large_is_refused() {
    String large = "{\"place\":\"" + "x".repeat(Dispatcher.BODY_MAX) + "\"}";

    Answer answer = served.post(served.admin, "/v1/cases/order-1/signal", large);

    assertThat(answer.status()).isEqualTo(413);
  }

  @Test
  void every_route_refuses_unknown_and_repeated_parameters() {
    for (Route route : withoutStreams()) {
      String separator = path(route).contains("?") ? "&" : "?";
      String unknown = path(route) + separator + "surprise=1";
      String twice = path(route) + separator + "surprise=1&surprise=2";

      assertThat(served.send(route.method(), served.admin, unknown, body(route)).status())
          .as("%s %s", route.method(), unknown)
          .isIn(400, 404);
      assertThat(served.send(route.method(), served.admin, twice, body(route)).status())
          .isIn(400, 404);
    }
  }

  @Test
  void names_that_are_markup_or_paths_or_control_characters_are_not_found_and_shown_as_text() {
    List<String> hostile =
        List.of(
            "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
            "..%2F..%2Fetc%2Fpasswd", "%1B%5B31m", "%E2%80%AE%D7%90", "%00", "x".repeat(6_000));
    for (Route route : withoutStreams()) {
      if (!route.path().contains("{")) {
        continue;
      }
      for (String name : hostile) {
        String at = route.path().replaceAll("\\{[a-z]+}", name);
        Answer answer = served.send(route.method(), served.admin, at, body(route));

        assertThat(answer.status()).as("%s %s", route.method(), route.path()).isBetween(400, 499);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
      }
    }
  }

  @Test
  void other_workflows_do_not_exist_for_a_limited_token_in_any_route() {
    List<String> leaks = new ArrayList<>();
    for (Route route : withoutStreams()) {
      String at =
          path(route)
              .replaceAll("order-[0-9]", "covert-1")
              .replaceAll("/workflows/(order|trial)", "/workflows/covertplan")
              .replaceAll("workflow=order", "workflow=covertplan")
              .replace("schedules/nightly", "schedules/covert-nightly");
      String sent = body(route).replace("\"order\"", "\"covertplan\"");
      Answer answer = served.send(route.method(), served.limited, at, sent);
      if (route.reach() == RouteReach.CASE
          || route.reach() == RouteReach.WORKFLOW
          || route.reach() == RouteReach.WHOLE) {
        assertThat(answer.status()).as("%s %s", route.method(), at).isEqualTo(404);
      }
      boolean isEcho = answer.status() == 404;
      if (!isEcho && answer.text().matches("(?s).*(covert|spywork|kaputt|kaboom).*")) {
        leaks.add(route.method() + " " + at + ": " + answer.text());
      }
    }
    assertThat(leaks).isEmpty();
    assertThat(served.engine.status("covert-1").revision()).isLessThanOrEqualTo(2);
  }

  @Test
  void what_exists_elsewhere_and_what_does_not_exist_are_the_same_to_a_limited_token() {
    Answer hidden = served.get(served.limited, "/v1/cases/covert-1");
    Answer missing = served.get(served.limited, "/v1/cases/missing1");

    assertThat(hidden.text().replace("covert-1", "X"))
        .isEqualTo(missing.text().replace("missing1", "X"));
  }
}
