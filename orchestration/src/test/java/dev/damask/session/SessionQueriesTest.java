package dev.damask.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.caller.CaseResult;
import dev.damask.registry.Registry;
import dev.damask.registry.RegistryEntry.Kind;
import dev.damask.registry.RegistryEvent;
import dev.damask.session.ProcessInstance.Status;
import dev.damask.store.MemoryStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// What can be asked about sessions, and what views tell of joins.
final class SessionQueriesTest {
  private static final String ARM =
      """
      {"payload": {}, "onValid": {"payload": {"a": 1}, "waitSec": 600}}
      """;

  private static final String DOC =
      """
      {"payload": {"a": {"type": "int64"}, "Hash": {"type": "string"},
                   "n": {"type": "int64", "default": 3}}}
      """;

  private static final String READ =
      """
      {"payload": {}, "contractReads": [{"to": "x", "function": "f()", "args": [],
       "saveAs": {"0": {"key": "v", "type": "int64"}}}]}
      """;

  private static Desk waiter() {
    return new Desk()
        .rule("arm", ARM)
        .rule("doc", DOC)
        .graph(
            "\"Arm\": {\"rule\": \"arm\", \"onValid\": {\"spawns\": [\"Doc\"]}},"
                + "\"Doc\": {\"rule\": \"doc\"}");
  }

  @Test
  void somebody_sees_what_he_may_wake_and_what_it_needs() throws Exception {
    try (Desk desk = waiter()) {
      SessionQueries queries = desk.sessions.queries();
      SessionKey closed = desk.start("Arm", Map.of());
      Map<String, Object> allow = Map.of("steps", Map.of("Doc", Map.of("rpc", List.of("bob"))));
      SessionKey open = desk.start("Arm", Map.of("__wakeUp", allow));
      desk.rest(closed);
      desk.rest(open);

      List<WakeTarget> mine = queries.wakeTargets(Desk.ME, 10);
      List<WakeTarget> bobs = queries.wakeTargets("bob", 10);

      assertThat(mine).extracting(WakeTarget::session).containsExactlyInAnyOrder(closed, open);
      assertThat(queries.wakeTargets(Desk.ME, 1)).hasSize(1);
      assertThat(queries.wakeTargets("carol", 10)).isEmpty();
      assertThat(bobs).hasSize(1);
      WakeTarget target = bobs.getFirst();
      assertThat(target.session()).isEqualTo(open);
      assertThat(target.iteration()).isEqualTo(2);
      assertThat(target.step()).isEqualTo("Doc");
      assertThat(target.nextWakeAt()).hasValue(Desk.BEGINNING + 600_000);
      assertThat(target.fields())
          .containsExactly(
              new WakeTarget.Field("a", "int64", true, true, null),
              new WakeTarget.Field("Hash", "string", true, false, null),
              new WakeTarget.Field("n", "int64", false, false, 3L));
      assertThat(target.fields())
          .extracting(WakeTarget.Field::isMissing)
          .containsExactly(false, true, false);
    }
  }

  @Test
  void a_step_is_executed_or_not_or_unknown_and_a_session_is_alive_until_it_ends()
      throws Exception {
    try (Desk desk = waiter()) {
      SessionQueries queries = desk.sessions.queries();
      SessionKey key = desk.start("Arm", Map.of());
      desk.rest(key);

      assertThat(queries.stepExecuted(key, 1)).contains(true);
      assertThat(queries.stepExecuted(key, 2)).contains(false);
      assertThat(queries.stepExecuted(key, 3)).isEmpty();
      assertThat(queries.stepExecuted(SessionKey.of("nobody", 1), 1)).isEmpty();
      assertThat(queries.isAlive(key)).isTrue();
      desk.sessions.kill(Desk.ME, key);
      desk.end(key);
      assertThat(queries.isAlive(key)).isFalse();
      assertThat(queries.stepExecuted(key, 2)).contains(true);
      assertThat(queries.wakeTargets(Desk.ME, 10)).isEmpty();
      assertThat(desk.sessions.view(key).at("Doc").getFirst().reason())
          .isEqualTo("the session has ended");
    }
  }

  @Test
  void a_late_answer_does_not_move_the_time_of_a_kill() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    StateSource stubborn =
        _ -> {
          asked.countDown();
          boolean isAnswered = false;
          while (!isAnswered) {
            try {
              isAnswered = answer.await(20, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
              isAnswered = false; // it does not listen
            }
          }
          return List.of("late");
        };
    try (Desk desk = new Desk(new MemoryStore(), options -> options.withReader(stubborn))) {
      desk.rule(
          "ask",
          """
          {"payload": {}, "contractReads": [{"to": "x", "function": "f()",
            "saveAs": {"0": {"key": "v", "type": "string"}}}]}
          """);
      desk.graph("\"Ask\": {\"rule\": \"ask\"}");
      SessionKey key = desk.start("Ask", Map.of());
      asked.await();
      desk.sessions.kill(Desk.ME, key);
      desk.end(key);
      desk.clock.advance(5_000);
      answer.countDown();
      desk.until(key, _ -> desk.sessions.engine().receipts(key.caseId()).size() == 2);

      SessionView view = desk.sessions.view(key);
      assertThat(view.at("Ask").getFirst().killedAt()).hasValue(Desk.BEGINNING);
      assertThat(view.at("Ask").getFirst().updatedMillis()).isEqualTo(Desk.BEGINNING);
    }
  }

  @Test
  void a_process_tells_when_it_was_changed_last_and_when_it_was_killed() throws Exception {
    try (Desk desk = waiter()) {
      SessionKey key = desk.start("Arm", Map.of());
      long made = desk.rest(key).at("Doc").getFirst().updatedMillis();
      desk.clock.advance(1_000);
      desk.sessions.wakeStep(Desk.ME, key, "Doc", Map.of("Hash", "x"));
      desk.end(key);
      SessionKey second = desk.start("Arm", Map.of());
      desk.rest(second);
      desk.clock.advance(500);
      desk.sessions.kill(Desk.ME, second);
      desk.end(second);

      SessionView woken = desk.sessions.view(key);
      SessionView killed = desk.sessions.view(second);

      assertThat(made).isEqualTo(Desk.BEGINNING);
      assertThat(woken.at("Arm").getFirst().updatedMillis()).isEqualTo(Desk.BEGINNING);
      assertThat(woken.at("Doc").getFirst().updatedMillis()).isEqualTo(Desk.BEGINNING + 1_000);
      assertThat(woken.at("Doc").getFirst().killedAt()).isEmpty();
      assertThat(woken.startedMillis()).isEqualTo(Desk.BEGINNING);
      assertThat(woken.updatedMillis()).isEqualTo(Desk.BEGINNING + 1_000);
      assertThat(killed.at("Arm").getFirst().killedAt()).isEmpty();
      assertThat(killed.at("Arm").getFirst().updatedMillis()).isEqualTo(woken.updatedMillis());
      assertThat(killed.at("Doc").getFirst().killedAt()).hasValue(Desk.BEGINNING + 1_500);
      assertThat(killed.at("Doc").getFirst().updatedMillis()).isEqualTo(Desk.BEGINNING + 1_500);
    }
  }

  @Test
  void being_woken_while_the_session_is_paused_changes_a_process_too() throws Exception {
    try (Desk desk = waiter()) {
      SessionKey key = desk.start("Arm", Map.of());
      desk.rest(key);
      desk.sessions.pause(Desk.ME, key);
      desk.clock.advance(7);
      int woken = desk.sessions.wakeStep(Desk.ME, key, "Doc", Map.of("Hash", "x"));

      ProcessInstance doc = desk.rest(key).at("Doc").getFirst();

      assertThat(woken).isOne();
      assertThat(doc.status()).isEqualTo(Status.WAITING);
      assertThat(doc.updatedMillis()).isEqualTo(Desk.BEGINNING + 7);
      assertThat(doc.payload()).containsEntry("Hash", "x");
    }
  }

  @Test
  void beginning_to_wait_for_the_outside_changes_a_process() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    StateSource reader =
        request -> {
          answer.await();
          return List.of(1L);
        };
    try (Desk desk = new Desk(new MemoryStore(), options -> options.withReader(reader))) {
      desk.rule("arm", ARM).rule("read", READ);
      desk.graph(
          "\"Arm\": {\"rule\": \"arm\", \"onValid\": {\"spawns\": [\"Doc\"]}},"
              + "\"Doc\": {\"rule\": \"read\"}");
      SessionKey key = desk.start("Arm", Map.of());
      desk.rest(key);
      desk.clock.advance(600_000);
      desk.until(key, view -> view.at("Doc").getFirst().status() == Status.RUNNING);

      ProcessInstance doc = desk.sessions.view(key).at("Doc").getFirst();
      answer.countDown();

      assertThat(doc.updatedMillis()).isEqualTo(Desk.BEGINNING + 600_000);
      desk.end(key);
    }
  }

  @Test
  void the_processes_of_an_owner_are_listed_from_the_one_that_changed_last() throws Exception {
    try (Desk desk = waiter()) {
      SessionKey first = desk.start("Arm", Map.of());
      SessionKey second = desk.start("Arm", Map.of());
      desk.rest(first);
      desk.rest(second);
      desk.clock.advance(1_000);
      desk.sessions.wakeStep(Desk.ME, first, "Doc", Map.of());
      desk.end(first);
      SessionQueries queries = desk.sessions.queries();

      assertThat(queries.processes(Desk.ME, 0, 0, 10))
          .extracting(each -> each.session().number() + ":" + each.process().iteration())
          .containsExactly("1:2", "2:2", "2:1", "1:1");
      assertThat(queries.processes(Desk.ME, 0, 0, 1))
          .containsExactly(
              new ListedProcess(
                  first,
                  "g",
                  desk.sessions.view(first).graphHash(),
                  desk.sessions.view(first).at("Doc").getFirst()));
      List<ListedProcess> all = queries.processes(Desk.ME, 0, 0, 10);
      for (int most = 0; most <= all.size(); most++) {
        assertThat(queries.processes(Desk.ME, 0, 0, most)).isEqualTo(all.subList(0, most));
      }
      assertThat(queries.processes(Desk.ME, 2, 0, 10)).hasSize(2);
      assertThat(queries.processes(Desk.ME, 2, 1, 10))
          .extracting(each -> each.process().step())
          .containsExactly("Doc");
      assertThat(queries.processes("nobody", 0, 0, 10)).isEmpty();
    }
  }

  @Test
  void a_session_that_was_cancelled_says_why() throws Exception {
    String stop =
        """
        {"payload": {"how": {"type": "string"}}, "rules": [
          {"expression": "[how] == 'abort'", "type": "abortStep"},
          {"expression": "[how] == 'cancel'", "type": "cancelSession"}],
         "onValid": {"waitSec": 600}}
        """;
    try (Desk desk = new Desk().rule("stop", stop).rule("sure", Desk.SURE)) {
      desk.graph(
          "\"A\": {\"rule\": \"stop\", \"onValid\": {\"spawns\": [\"B\"]}},"
              + "\"B\": {\"rule\": \"sure\"}");
      SessionKey aborted = desk.start("A", Map.of("how", "abort"));
      SessionKey cancelled = desk.start("A", Map.of("how", "cancel"));
      SessionKey killed = desk.start("A", Map.of("how", "go"));
      desk.rest(killed);
      assertThat(desk.sessions.view(killed).cancellation()).isEmpty();
      desk.sessions.kill(Desk.ME, killed);

      assertThat(desk.end(aborted)).isInstanceOf(CaseResult.Cancelled.class);
      desk.end(cancelled);
      desk.end(killed);

      assertThat(desk.sessions.view(aborted).cancellation()).contains("every process was aborted");
      assertThat(desk.sessions.view(cancelled).cancellation()).contains("by the rule of step A");
      assertThat(desk.sessions.view(killed).cancellation()).contains("it was killed");
    }
  }

  @Test
  void the_cost_of_a_rule_is_known_before_it_is_evaluated() throws Exception {
    // E7 without its wait, and a payload of one key on the valid branch.
    String rule =
        """
        {"payload": {"A": {"type": "int64"}, "C": {"type": "string"},
                     "d": {"type": "int64", "default": 1}},
         "rules": ["[A] > 0 && [C] == 'EUR'"], "onValid": {"payload": {"x": 1}}}
        """;
    try (Desk desk = new Desk().rule("r", rule)) {
      SessionQueries queries = desk.sessions.queries();

      assertThat(queries.estimate("r")).contains(new CostEstimate(15_700, 16_100, 15_700));
      assertThat(queries.estimate("none")).isEmpty();
    }
  }

  @Test
  void an_open_join_tells_whom_it_expects_and_who_was_aborted() throws Exception {
    String stop =
        "{\"payload\": {}, \"rules\": [{\"expression\": \"true\", \"type\": \"abortStep\"}]}";
    String graph =
        """
        "A": {"rule": "sure", "onValid": {"spawns": ["W", "G", "H"], "join": {"joinid": "J",
              "mode": {"kofn": 2}, "from": [{"node": "G"}, {"node": "H"}, {"node": "Late"}]}}},
        "W": {"rule": "arm", "onValid": {"spawns": ["Late"]}}, "Late": {"rule": "sure"},
        "G": {"rule": "stop"}, "H": {"rule": "sure"}, "J": {"rule": "sure"}
        """;
    try (Desk desk =
        new Desk().rule("sure", Desk.SURE).rule("stop", stop).rule("arm", ARM).graph(graph)) {
      SessionKey key = desk.start("A", Map.of());
      desk.rest(key);

      ProcessInstance join = desk.sessions.view(key).at("J").getFirst();

      assertThat(join.expected()).containsExactly("G", "H", "Late");
      assertThat(join.delivered()).containsExactly("H");
      assertThat(join.joinFail()).isEqualTo(Map.of("G", "aborted"));
      assertThat(desk.sessions.view(key).at("G").getFirst().reason()).isEqualTo("by its rule");
      desk.clock.advance(600_000);
      desk.end(key);
      assertThat(desk.sessions.view(key).at("J").getFirst().status()).isEqualTo(Status.DONE);
    }
  }

  @Test
  void no_more_steps_are_evaluated_at_once_than_the_window_lets() throws Exception {
    String graph =
        """
        "A": {"rule": "sure", "onValid": {"spawns": ["R", "R", "R", "R", "R"]}},
        "R": {"rule": "read"}
        """;
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch two = new CountDownLatch(2);
    StateSource reader =
        request -> {
          most.accumulateAndGet(now.incrementAndGet(), Math::max);
          two.countDown();
          two.await();
          now.decrementAndGet();
          return List.of(1L);
        };
    try (Desk desk = new Desk(new MemoryStore(), o -> o.withReader(reader).withWindow(2))) {
      desk.rule("sure", Desk.SURE).rule("read", READ).graph(graph);
      SessionKey key = desk.start("A", Map.of());
      desk.end(key);

      assertThat(desk.sessions.log(key, line -> line.outcome().equals("valid"))).hasSize(6);
      assertThat(most).hasValue(2);
    }
  }

  @Test
  void the_registry_tells_what_happened_to_an_entry() throws Exception {
    MemoryStore store = new MemoryStore();
    try (Desk desk = new Desk(store, options -> options).rule("r", Desk.SURE)) {
      Registry registry = desk.sessions.registry();
      registry.putRule(Desk.ME, "r", ARM);
      desk.graph("\"A\": {\"rule\": \"r\"}");
      registry.addExecutor(Desk.ME, "g", "bob");
      registry.addExecutor(Desk.ME, "g", "bob");
      registry.addExecutor(Desk.ME, "g", "carol");
      registry.removeExecutor(Desk.ME, "g", "bob");
      registry.transfer(Desk.ME, Kind.GRAPH, "g", "carol");
      registry.delete("carol", Kind.GRAPH, "g");

      assertThat(registry.events(Kind.RULE, "r"))
          .extracting(RegistryEvent::type, RegistryEvent::version)
          .containsExactly(
              org.assertj.core.groups.Tuple.tuple(RegistryEvent.Type.SET, 1L),
              org.assertj.core.groups.Tuple.tuple(RegistryEvent.Type.UPDATED, 2L));
      assertThat(registry.events(Kind.GRAPH, "g"))
          .extracting(event -> event.type() + " " + event.who())
          .containsExactly(
              "SET eve",
              "EXECUTOR_ADDED bob",
              "EXECUTOR_ADDED carol",
              "EXECUTOR_REMOVED bob",
              "OWNERSHIP carol",
              "EXECUTOR_REMOVED carol",
              "DELETED carol");
      assertThat(registry.events(Kind.RULE, "none")).isEmpty();
    }
  }
}
