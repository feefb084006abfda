package dev.damask.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CaseIndexTest {
  private final CaseIndex index = new CaseIndex();
  private final Map<String, CaseRecord> cases = new HashMap<>();
  private int read;

  private void put(String id, CaseStatus status, long started) {
    CaseRecord record =
        CaseRecord.of(id, 1, 1, status, id.hashCode() % 3 == 0 ? "third" : "other")
            .withTimes(started, started, CaseRecord.NEVER);
    index.put(cases.put(id, record), record);
  }

  private CaseRecord record(String id) {
    return Objects.requireNonNull(cases.get(id));
  }

  private CasePage page(CaseQuery query) {
    return index.page(
        query,
        id -> {
          read++;
          return record(id);
        });
  }

  @Test
  void a_page_reads_as_many_cases_as_it_returns_however_many_there_are() {
    for (int i = 0; i < 20_000; i++) {
      put("c" + i, CaseStatus.COMPLETED, i / 100);
    }

    CasePage first =
        page(CaseQuery.ALL.withStatus(CaseStatus.COMPLETED).withStarted(0, 150).withPage("", 500));
    CasePage second = page(CaseQuery.ALL.withPage(first.next(), 500));

    assertThat(first.cases()).hasSize(500);
    assertThat(second.cases()).hasSize(500).doesNotContainAnyElementsOf(first.cases());
    assertThat(read).isEqualTo(1_002);
  }

  @Test
  void pages_contain_every_case_once_in_the_order_of_cursors() {
    for (long seed = 0; seed < 50; seed++) {
      cases.clear();
      CaseIndex fresh = new CaseIndex();
      Random random = new Random(seed);
      for (int i = 0; i < 300; i++) {
        String id = "c" + random.nextInt(100);
        if (random.nextInt(5) == 0 && cases.containsKey(id)) {
          fresh.remove(cases.remove(id));
          continue;
        }
        CaseStatus status = CaseStatus.byNumber().get(random.nextInt(7));
        CaseRecord before = cases.get(id);
        put(id, status, before == null ? random.nextInt(5) - 1 : before.startedMillis());
        fresh.put(before, record(id));
      }
      CaseQuery query = CaseQuery.ALL.withPage("", 1 + random.nextInt(9));
      query = random.nextBoolean() ? query : query.withWorkflow("third");
      query = random.nextBoolean() ? query : query.withStatus(CaseStatus.FAILED);
      query = random.nextBoolean() ? query : query.withStarted(0, 2);

      assertThat(all(fresh, query)).as("seed %d", seed).isEqualTo(expected(query));
    }
  }

  private List<String> all(CaseIndex of, CaseQuery query) {
    List<String> found = new ArrayList<>();
    String cursor = "";
    do {
      CasePage page = of.page(query.withPage(cursor, query.limit()), this::record);
      page.cases().forEach(each -> found.add(each.caseId()));
      cursor = page.next();
    } while (!cursor.isEmpty());
    return found;
  }

  private List<String> expected(CaseQuery query) {
    Map<String, String> ordered = new TreeMap<>();
    cases.values().stream()
        .filter(query.filter())
        .forEach(each ->
            ordered.put(
                CaseQuery.cursor(each.status(), each.startedMillis(), each.caseId()),
                each.caseId()));
    return List.copyOf(ordered.values());
  }

  @Test
  void a_cursor_of_another_form_is_refused() {
    assertThatThrownBy(() -> page(CaseQuery.ALL.withPage("x", 1)))
        .hasMessage("not a valid list cursor: 'x'");
  }
}
