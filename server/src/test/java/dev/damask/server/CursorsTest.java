package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.api.Desk;
import dev.damask.api.Route;
import dev.damask.api.Site;
import dev.damask.routes.Api;
import dev.damask.server.ServedEngine.Answer;
import dev.damask.value.Context;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a token can read from the cursors of lists and streams.
@Timeout(60)
final class CursorsTest {
  private static final Pattern HIDDEN = Pattern.compile("(?s).*(covert|spywork|kaputt|kaboom).*");

  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.inMemory();
    for (int i = 2; i <= 4; i++) { // hidden tasks are between and after those of the token
      served.start("covertplan", "covert-" + i, Context.empty());
    }
  }

  @AfterEach
  void close() {
    served.close();
  }

  /// A text and everything that is encoded in it, at any depth.
  private static List<String> readings(String text) {
    List<String> all = new ArrayList<>();
    String now = text;
    while (!now.isEmpty()) {
      all.add(now);
      try {
        String last = now.substring(now.lastIndexOf('\n') + 1);
        now = new String(Base64.getUrlDecoder().decode(last), StandardCharsets.UTF_8);
      } catch (IllegalArgumentException e) {
        now = "";
      }
    }
    return all;
  }

  @Test
  void no_cursor_of_any_list_names_what_a_limited_token_may_not_see() {
    List<Route> lists;
    try (Desk desk = Desk.open(served.engine, Site.of("test"), Clock.systemUTC())) {
      lists =
          Api.table(desk, served.tokens).routes().stream()
              .filter(each -> each.query().stream().anyMatch(q -> q.name().equals("cursor")))
              .toList();
    }
    assertThat(lists).hasSizeGreaterThanOrEqualTo(4);
    for (Route each : lists) {
      for (int limit = 1; limit <= 7; limit++) {
        String path = each.path() + "?limit=" + limit;
        String cursor = "";
        do {
          Answer page =
              served.get(served.limited, path + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
          cursor = page.status() == 200 && page.at("next") != null ? "" + page.at("next") : "";

          assertThat(readings(cursor)).as(path).noneMatch(HIDDEN.asMatchPredicate());
        } while (!cursor.isEmpty());
      }
    }
  }

  @Test
  void pages_of_tasks_have_each_task_of_a_limited_token_once() {
    List<Object> cases = new ArrayList<>();
    String cursor = "";
    do {
      Answer page =
          served.get(
              served.limited, "/v1/tasks?limit=1" + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
      assertThat(page.at("items.0.case")).as(page.text()).isNotNull();
      cases.add(page.at("items.0.case"));
      cursor = page.at("next") == null ? "" : "" + page.at("next");
    } while (!cursor.isEmpty());

    assertThat(cases)
        .containsExactlyInAnyOrder("order-2", "order-3", "order-4", "order-5", "order-6");
  }

  @Test
  void the_cursor_of_an_event_does_not_reveal_how_many_events_others_have() throws Exception {
    List<String> cursors = new ArrayList<>();
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<java.io.InputStream> stream =
          client.send(
              served.request(served.limited, "/v1/events").build(),
              HttpResponse.BodyHandlers.ofInputStream());
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
        for (int i = 3; i <= 4; i++) {
          served.engine.cancel("order-" + i);
          cursors.add(cursor(lines));
          served.engine.cancel("covert-" + i);
        }
      }
    }

    assertThat(cursors).doesNotHaveDuplicates();
    for (String each : cursors) {
      assertThat(readings(each)).noneMatch(text -> text.matches("(?s)(.*\\n)?[0-9]+"));
    }
    String forged = cursors.getFirst().substring(0, cursors.getFirst().length() - 8) + "AAAAAAAA";
    assertThat(
            served
                .send(
                    served
                        .request(served.limited, "/v1/events")
                        .header("Last-Event-ID", forged)
                        .build())
                .status())
        .isEqualTo(400);
  }

  private static String cursor(BufferedReader lines) throws IOException {
    String line = String.valueOf(lines.readLine());
    while (!line.startsWith("id: ")) {
      line = String.valueOf(lines.readLine());
    }
    return line.substring(4);
  }
}
