package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.server.ServedEngine.Answer;
import dev.damask.value.Context;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Incidents in pages and groups, and in the list of cases.
final class IncidentPagesTest {
  private static final int INCIDENTS = 5;

  @TempDir private Path folder;
  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.on(folder.resolve("store"), folder);
    for (int i = 2; i <= INCIDENTS; i++) {
      served.start("kaputt", "kaputt-" + i, Context.empty());
    }
    while (served.engine.statistics().incidents() < INCIDENTS) {
      LockSupport.parkNanos(100_000); // until the handler has failed for all of them
    }
  }

  @AfterEach
  void close() {
    served.close();
  }

  @Test
  void pages_follow_each_other_without_gaps() {
    List<Object> seen = new ArrayList<>();
    String cursor = "";
    do {
      Answer page = served.get(served.admin, "/v1/incidents?limit=2" + cursor);
      for (int i = 0; i < 2 && page.at("items." + i + ".case") != null; i++) {
        seen.add(page.at("items." + i + ".case"));
      }
      assertThat(page.at("total")).isEqualTo((long) INCIDENTS);
      cursor = page.at("next") == null ? "" : "&cursor=" + page.at("next");
    } while (!cursor.isEmpty());

    assertThat(seen).hasSize(INCIDENTS).doesNotHaveDuplicates();
  }

  @Test
  void a_cursor_whose_incident_was_resolved_goes_on_after_it() {
    Answer first = served.get(served.admin, "/v1/incidents?limit=2");
    String last = "/v1/incidents/" + first.at("items.1.id") + "/skip";
    assertThat(served.post(served.operator, last, "{}").status()).isEqualTo(200);

    Answer next = served.get(served.admin, "/v1/incidents?limit=9&cursor=" + first.at("next"));

    assertThat(next.text()).doesNotContain("\"" + first.at("items.0.case") + "\"");
  }

  @Test
  void incidents_with_the_same_cause_are_one_group() {
    Answer all = served.get(served.admin, "/v1/incidents");

    assertThat(all.at("groups.0.task")).isEqualTo("kaboom");
    assertThat(all.at("groups.0.count")).isEqualTo((long) INCIDENTS);
    assertThat(all.at("groups.1")).isNull();
  }

  @Test
  void the_list_of_cases_names_the_incident_and_what_each_case_waits_for() {
    Answer broken = served.get(served.admin, "/v1/cases?workflow=kaputt&limit=1");
    Answer order = served.get(served.admin, "/v1/cases?workflow=order&limit=1");

    assertThat(broken.at("items.0.incident.task")).asString().startsWith("kaboom");
    assertThat(order.at("items.0.incident")).isNull();
    assertThat(broken.at("items.0.waitingFor.0.kind")).isEqualTo("task");
    assertThat(order.at("items.0.waitingFor.0.kind")).isEqualTo("signal");
  }
}
