package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.server.ServedEngine.Answer;
import dev.damask.value.Context;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Cases are found by the beginning of their id or of an attribute, in pages and with counts.
@Timeout(60)
final class TextSearchTest {
  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.inMemory();
    for (int i = 0; i < 25; i++) {
      served.start("order", "x-" + i, Context.of("customer", "acorn " + i % 3));
    }
    served.start("order", "acme-1", Context.of("customer", "acme")); // by id and by attribute
    served.start("covertplan", "ac-covert", Context.empty());
  }

  @AfterEach
  void close() {
    served.close();
  }

  private List<String> pages(String token, String text, int limit) {
    List<String> ids = new ArrayList<>();
    String cursor = "";
    for (int pages = 0; pages < 100; pages++) {
      Answer page =
          served.get(
              token,
              "/v1/cases?limit="
                  + limit
                  + "&text="
                  + encoded(text)
                  + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
      assertThat(page.status()).as(page.text()).isEqualTo(200);
      List<?> items = (List<?>) Objects.requireNonNull(page.at("items"));
      assertThat(items).hasSizeLessThanOrEqualTo(limit);
      items.forEach(each -> ids.add(String.valueOf(((Map<?, ?>) each).get("id"))));
      assertThat(page.at("more")).isEqualTo(page.at("next") != null);
      if (page.at("next") == null) {
        return ids;
      }
      cursor = String.valueOf(page.at("next"));
    }
    throw new AssertionError("the pages do not end");
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Test
  void pages_of_any_size_have_each_case_once_that_matches_by_id_or_attribute() {
    Set<String> expected = new TreeSet<>(Set.of("acme-1", "ac-covert"));
    for (int i = 0; i < 25; i++) {
      expected.add("x-" + i);
    }
    for (int i = 1; i <= 6; i++) {
      expected.add("order-" + i); // their customer is acme
    }
    for (int limit : List.of(1, 2, 5, 7, 33, 1_000)) {
      List<String> found = pages(served.admin, "ac", limit);

      assertThat(found).doesNotHaveDuplicates();
      assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
    }
    assertThat(pages(served.admin, "acorn 1", 3)).hasSize(8);
    assertThat(pages(served.admin, "nothing", 3)).isEmpty();
  }

  @Test
  void counts_are_those_of_what_is_found() {
    Answer all = served.get(served.admin, "/v1/cases?text=ac&limit=1");
    Answer some = served.get(served.admin, "/v1/cases?text=ac&status=completed");

    assertThat(all.at("counts.WAITING")).isEqualTo(33L);
    assertThat(all.at("counts.COMPLETED")).isEqualTo(0L);
    assertThat(some.at("items")).isEqualTo(List.of());
    assertThat(some.at("next")).isNull();
  }

  @Test
  void a_limited_token_finds_and_learns_of_its_own_cases_only() {
    List<String> found = pages(served.limited, "ac", 4);

    assertThat(found).hasSize(32).doesNotContain("ac-covert");
    assertThat(served.get(served.limited, "/v1/cases?text=ac").at("counts.WAITING")).isEqualTo(32L);
  }

  @Test
  void another_cursor_is_refused() {
    Object list = served.get(served.admin, "/v1/cases?limit=1").at("next");
    Object text = served.get(served.admin, "/v1/cases?limit=1&text=ac").at("next");

    assertThat(served.get(served.admin, "/v1/cases?text=ac&cursor=" + list).status())
        .isEqualTo(400);
    assertThat(served.get(served.admin, "/v1/cases?cursor=" + text).status()).isEqualTo(400);
    assertThat(served.get(served.admin, "/v1/cases?text=ac&cursor=AAAA").status()).isEqualTo(400);
  }

  @Test
  void a_viewer_does_not_find_by_redacted_attributes() {
    served.register(
        """
        workflow: patient
        redact: [name]
        attributes:
          name: name
        do:
          - task: see
        """);
    served.start("patient", "p-1", Context.of("name", "acker"));

    assertThat(pages(served.viewer, "acker", 5)).isEmpty();
    assertThat(pages(served.operator, "acker", 5)).containsExactly("p-1");
  }
}
