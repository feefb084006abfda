package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.ops.KeptCases;
import dev.damask.session.ProcessInstance.Status;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.Table;
import dev.damask.store.TableRow;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The processes of sessions are rows of the table, written with the commits that change them.
final class ProcessRowsTest {
  private static final String COUNT =
      """
      {"payload": {"n": {"type": "int64"}}, "rules": ["[n] > 0"],
       "onValid": {"payload": {"n": "([n] - 1)"}}}
      """;

  private static final String LATE = "{\"payload\": {}, \"onValid\": {\"waitSec\": 600}}";

  private static final String ABORTS =
      "{\"payload\": {}, \"rules\": [{\"expression\": \"1 == 1\", \"type\": \"abortStep\"}]}";

  /// A session that counts down with one process per number and leaves one waiting.
  private static Desk counting(Store store) {
    return new Desk(store, options -> options)
        .rule("count", COUNT)
        .rule("late", LATE)
        .rule("sure", Desk.SURE)
        .rule("pass", COUNT.replace("([n] - 1)", "[n]"))
        .graph(
            """
            "Late": {"rule": "late", "onValid": {"spawns": ["Wait"]}}, "Wait": {"rule": "sure"},
            "Begin": {"rule": "pass", "onValid": {"spawns": ["Late", "Count"]}},
            "Count": {"rule": "count", "onValid": {"spawns": ["Count"]}}
            """);
  }

  private static List<TableRow> rows(Table table, String caseId) {
    List<TableRow> rows = new ArrayList<>();
    for (String key : List.of(caseId, caseId + KeptCases.TOKENS)) {
      rows.addAll(table.versions(KeptCases.PROCESS_ROW, key, Integer.MAX_VALUE));
    }
    return rows;
  }

  private static void removeRows(MemoryStore store, String caseId) {
    List<RowChange> removed = new ArrayList<>();
    rows(store.table(), caseId).forEach(row -> removed.add(new RowChange.Remove(row)));
    store.commit(CommitBatch.ofRows(removed)).join();
  }

  /// Counts the rows that a store returns, and its reads of traces.
  private record Counted(AtomicInteger rows, AtomicInteger traces) {
    Object proxy(Class<?> port, Object target) {
      return Proxy.newProxyInstance(
          port.getClassLoader(),
          new Class<?>[] {port},
          (_, method, arguments) -> {
            if (method.getName().equals("trace")) {
              traces.incrementAndGet();
            }
            Object found;
            try {
              found = method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
              throw e.getCause();
            }
            if (port == Table.class && found instanceof Collection<?> all) {
              rows.addAndGet(all.size());
            }
            return found instanceof Table table ? proxy(Table.class, table) : found;
          });
    }
  }

  @Test
  @Timeout(60)
  void the_view_of_a_session_with_ten_thousand_steps_reads_a_bounded_number_of_rows_and_no_trace()
      throws Exception {
    MemoryStore memory = new MemoryStore();
    Counted counted = new Counted(new AtomicInteger(), new AtomicInteger());
    Store store = (Store) counted.proxy(Store.class, memory);
    try (Desk desk = counting(store)) {
      SessionKey key = desk.start("Begin", Map.of("n", 10_000L));
      SessionKey small = desk.start("Begin", Map.of("n", 3_000L));
      desk.rest(small);
      desk.rest(key);
      counted.traces.set(0);

      counted.rows.set(0);
      assertThat(desk.sessions.view(small).made()).isEqualTo(3_004);
      int ofSmall = counted.rows.getAndSet(0);
      SessionView view = desk.sessions.view(key);

      assertThat(counted.rows.get()).isEqualTo(ofSmall);
      assertThat(view.made()).isEqualTo(10_004);
      assertThat(view.counts())
          .isEqualTo(
              Map.of(
                  Status.WAITING,
                  1L,
                  Status.RUNNING,
                  0L,
                  Status.DONE,
                  10_003L,
                  Status.ABORTED,
                  0L));
      assertThat(view.at("Wait"))
          .extracting(ProcessInstance::status)
          .containsExactly(Status.WAITING);
      assertThat(view.processes()).hasSize(Sessions.ENDED_SHOWN + 1);
      assertThat(view.processes().getLast().iteration()).isEqualTo(10_004);
      assertThat(view.cost()).isPositive();
      assertThat(desk.sessions.queries().stepExecuted(key, 17)).hasValue(true);
      assertThat(desk.sessions.wakeStep(Desk.ME, key, "Wait", Map.of())).isEqualTo(1);
      assertThat(desk.sessions.view(key, 0).counts()).containsEntry(Status.DONE, 10_004L);
      assertThat(counted.traces).hasValue(0);
    }
  }

  @Test
  void the_last_lines_of_a_log_are_those_of_the_whole_log() throws Exception {
    try (Desk desk = counting(new MemoryStore())) {
      SessionKey key = desk.start("Begin", Map.of("n", 10L));
      desk.rest(key);
      for (int i = 0; i < 70; i++) {
        desk.sessions.pause(Desk.ME, key);
        desk.sessions.resume(Desk.ME, key);
      }
      List<LogLine> whole = desk.sessions.log(key, _ -> true);

      assertThat(whole).hasSize(13);
      assertThat(desk.sessions.lastLines(key, 4)).isEqualTo(whole.subList(9, 13));
      assertThat(desk.sessions.lastLines(key, 99)).isEqualTo(whole);
    }
  }

  @Test
  void pages_list_each_process_once_and_the_latest_first() throws Exception {
    try (Desk desk = counting(new MemoryStore())) {
      SessionKey key = desk.start("Begin", Map.of("n", 40L));
      desk.rest(key);
      List<Long> listed = new ArrayList<>();
      long before = 0;
      List<ProcessInstance> page;
      do {
        page = desk.sessions.processes(key, before, 7);
        page.forEach(each -> listed.add(each.iteration()));
        before = page.isEmpty() ? 0 : page.getLast().iteration();
      } while (page.size() == 7);

      assertThat(listed).hasSize(44).isSortedAccordingTo((a, b) -> Long.compare(b, a));
      assertThat(listed).doesNotHaveDuplicates();
      assertThat(desk.sessions.view(key, 3).processes())
          .extracting(ProcessInstance::step)
          .containsExactly("Wait", "Count", "Count", "Count");
    }
  }

  @Test
  void the_rows_say_what_the_trace_says() throws Exception {
    MemoryStore store = new MemoryStore();
    try (Desk desk =
        counting(store)
            .rule("aborts", ABORTS)
            .graph(
                """
                "A": {"rule": "late", "onValid": {"spawns": ["B", "C", "D"], "join": {"joinid": "J",
                  "mode": "all", "from": [{"node": "B"}, {"node": "C"}]}}},
                "B": {"rule": "sure"}, "C": {"rule": "late", "onValid": {"spawns": ["C"]}},
                "D": {"rule": "aborts"}, "J": {"rule": "sure"}
                """)) {
      SessionKey key = desk.start("A", Map.of());
      desk.rest(key);
      for (int i = 0; i < 3; i++) {
        desk.clock.advance(600_000);
        SessionView open = desk.rest(key);
        assertThat(fromTrace(desk, store, key)).as("round " + i).isEqualTo(open);
      }
      desk.sessions.kill(Desk.ME, key);
      desk.end(key);
      SessionView ended = desk.sessions.view(key);

      assertThat(ended.status()).isEqualTo(CaseStatus.CANCELLED);
      assertThat(ended.cancellation()).hasValue("it was killed");
      assertThat(ended.at("D")).extracting(ProcessInstance::reason).containsExactly("by its rule");
      assertThat(ended.counts().get(Status.ABORTED)).isEqualTo(1 + ended.killed());
      assertThat(fromTrace(desk, store, key)).isEqualTo(ended);
    }
  }

  /// The view of a session without its rows.
  private static SessionView fromTrace(Desk desk, MemoryStore store, SessionKey key) {
    List<TableRow> rows = rows(store.table(), key.caseId());
    removeRows(store, key.caseId());
    SessionView view = desk.sessions.view(key);
    List<RowChange> again = new ArrayList<>();
    rows.forEach(row -> again.add(new RowChange.Put(row)));
    store.commit(CommitBatch.ofRows(again)).join();
    return view;
  }

  @Test
  void a_session_without_rows_gets_them_with_its_next_commit() throws Exception {
    MemoryStore store = new MemoryStore();
    SessionKey key;
    try (Desk desk = counting(store)) {
      key = desk.start("Begin", Map.of("n", 5L));
      desk.rest(key);
    }
    removeRows(store, key.caseId());
    store.reopened();

    try (Desk desk = counting(store)) {
      assertThat(desk.sessions.view(key).made()).isEqualTo(9);
      assertThat(rows(store.table(), key.caseId())).isEmpty();
      assertThat(desk.sessions.wakeStep(Desk.ME, key, "Wait", Map.of())).isEqualTo(1);
      desk.end(key);
      SessionView view = desk.sessions.view(key);

      assertThat(rows(store.table(), key.caseId())).isNotEmpty();
      assertThat(view.counts().get(Status.DONE)).isEqualTo(9);
      assertThat(fromTrace(desk, store, key)).isEqualTo(view);
    }
  }
}
