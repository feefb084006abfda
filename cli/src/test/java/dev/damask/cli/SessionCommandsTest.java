package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The commands on graphs, rules and sessions.
final class SessionCommandsTest {
  private static final String GRAPH = OrderSession.GRAPH;
  private static final String RULES = OrderSession.RULES;

  @TempDir Path folder;

  @Test
  void a_graph_is_compiled_drawn_and_checked() {
    Shell compiled = damask("compile", GRAPH);
    Shell drawn = damask("draw", GRAPH);
    Shell checked = damask("check", GRAPH);

    assertThat(compiled.exit()).isZero();
    assertThat(compiled.out())
        .contains("STEP_GATE Request", "SPAWN Request valid [Decide] invalid [Reject]");
    assertThat(drawn.exit()).isZero();
    assertThat(drawn.out()).contains("<svg", "Decide", "invalid");
    assertThat(checked.exit()).as(checked.out() + checked.err()).isZero();
    assertThat(checked.out()).contains("order-approval/graph.json: sound in its control flow");
  }

  @Test
  void a_session_is_run_looked_at_woken_and_killed() {
    String store = folder.resolve("store").toString();

    Shell run = OrderSession.start(store);
    Shell shown = damask("session", "1", "--store", store, "--owner", "eve");
    Shell paused = damask("pause", "1", "--store", store, "--owner", "eve");
    Shell resumed = damask("resume", "1", "--store", store, "--owner", "eve");
    Shell woken =
        damask(
            "wake",
            "1",
            "--step",
            "Decide",
            "--payload",
            "{\"decision\": \"yes\"}",
            "--store",
            store,
            "--owner",
            "eve");
    Shell listed = damask("sessions", "--store", store, "--owner", "eve");
    Shell log = damask("session", "1", "--log", "--store", store, "--owner", "eve");

    assertThat(run.exit()).as(run.err()).isEqualTo(Exit.WAITING);
    assertThat(shown.out()).contains("1:2 Decide waiting until ");
    assertThat(paused.exit()).as(paused.err()).isZero();
    assertThat(resumed.exit()).as(resumed.err()).isZero();
    assertThat(woken.out()).isEqualTo("woken 1\n");
    assertThat(listed.out()).matches("1 order-approval completed at 20\\S+Z\n");
    assertThat(log.out()).contains("\"stepId\":\"Ship\"").contains("\"shipped\":true");
  }

  @Test
  void a_run_without_a_document_goes_on_with_the_sessions_of_the_store() throws Exception {
    Path graph =
        Files.writeString(
            folder.resolve("graph.json"),
            """
            {"id": "g", "structure": {
              "A": {"rule": "arm", "onValid": {"spawns": ["B"]}}, "B": {"rule": "end"}}}
            """);
    Path rules = Files.createDirectory(folder.resolve("rules"));
    Files.writeString(
        rules.resolve("arm.json"),
        """
        {"payload": {}, "onValid": {"waitSec": 1}}
        """);
    Files.writeString(
        rules.resolve("end.json"),
        """
        {"payload": {}}
        """);
    String store = folder.resolve("store").toString();

    Shell run =
        damask(
            "run",
            graph.toString(),
            "--rules",
            rules.toString(),
            "--entry",
            "A",
            "--store",
            store,
            "--owner",
            "eve");
    Shell rest = damask("run", "--store", store, "--wait", "PT20S");
    Shell nothing = damask("run", "--store", store, "--json");

    assertThat(run.exit()).as(run.err()).isEqualTo(Exit.WAITING);
    assertThat(rest.exit()).as(rest.err()).isEqualTo(Exit.OK);
    assertThat(rest.out()).startsWith("session eve/1: completed\n").contains("1:2 B done valid");
    assertThat(nothing.out()).isEqualTo("{\"cases\": [], \"sessions\": []}\n");
  }

  @Test
  void processes_are_listed_with_the_fields_of_the_query() {
    String store = folder.resolve("store").toString();
    OrderSession.start(store);

    Shell shown = damask("session", "1", "--store", store, "--owner", "eve");
    Shell json = damask("session", "1", "--json", "--store", store, "--owner", "eve");
    Shell heads = damask("sessions", "--json", "--store", store, "--owner", "eve");
    String[] list = {"sessions", "--store", store, "--owner", "eve", "--processes"};
    Shell lines = damask(list);
    Shell children = damask(with(list, "--session=1", "--parent=1", "--json"));
    Shell targets = damask("sessions", "--wakeable", "--json", "--store", store, "--owner", "eve");
    Shell alone = damask("sessions", "--parent", "1", "--store", store, "--owner", "eve");

    assertThat(shown.out()).containsPattern("1:1 Request done valid at 20\\S+Z\n");
    assertThat(json.out())
        .contains("\"pid\": \"1:2\", \"parentPid\": \"1:1\", \"iterationStep\": 2")
        .contains("\"parentPid\": null", "\"ostcHash\": \"", "\"killedAt\": null")
        .containsPattern("\"step\": \"Decide\".*\"updated\": \"20\\S+Z\", \"nextWakeAt\": \"20");
    assertThat(heads.out())
        .startsWith("{\"sessions\": [{\"owner\": \"eve\", \"sessionId\": 1, \"ostcId\": \"order-")
        .contains("\"updated\": \"20");
    assertThat(lines.out())
        .matches("1:2 Decide waiting at \\S+ of order-approval\n1:1 Request done at .*\n");
    assertThat(children.out())
        .startsWith("{\"processes\": [{\"owner\": \"eve\", \"sessionId\": 1")
        .contains("\"pid\": \"1:2\"", "\"joinGroupId\": 0, \"joinFromGroupId\": 0")
        .doesNotContain("\"pid\": \"1:1\"");
    assertThat(targets.out())
        .contains("{\"name\": \"decision\", \"type\": \"string\"", "\"missing\": ");
    assertThat(alone.exit()).isEqualTo(Exit.INVALID);
    assertThat(alone.err()).contains("--session and --parent require --processes");
  }

  @Test
  void a_session_is_traced_recorded_and_replayed() throws Exception {
    Path graph =
        Files.writeString(
            folder.resolve("graph.json"),
            """
            {"id": "g", "structure": {
              "C": {"rule": "sum"}, "J": {"rule": "sum"}, "B": {"rule": "sum"},
              "A": {"rule": "arm", "onValid": {"spawns": ["B", "C"], "join": {"joinid": "J",
                    "mode": "all", "from": [{"node": "C"}, {"node": "B"}]}}}}}
            """);
    Path rules = Files.createDirectory(folder.resolve("rules"));
    Files.writeString(
        rules.resolve("arm.json"),
        """
        {"payload": {}, "onValid": {"payload": {"n": 1}, "waitSec": 1}}
        """);
    Files.writeString(
        rules.resolve("sum.json"),
        """
        {"payload": {"n": {"type": "int64"}}, "onValid": {"payload": {"n": "([n] + 1)"}}}
        """);
    Path recorded = folder.resolve("recording.json");
    String[] run = {"run", graph.toString(), "--rules", rules.toString(), "--entry", "A"};

    Shell traced = damask(with(run, "--trace", "min"));
    Shell waited = damask(with(run, "--trace-out", recorded.toString(), "--wait", "PT20S"));
    Shell replayed = damask("replay", recorded.toString());
    Files.writeString(recorded, Files.readString(recorded).replace("([n] + 1)", "([n] + 2)"));
    Shell changed = damask("replay", recorded.toString());

    assertThat(traced.exit()).as(traced.err()).isEqualTo(Exit.WAITING);
    assertThat(traced.err()).contains("evaluated  A").doesNotContain("STEP-GATE");
    assertThat(waited.exit()).as(waited.err()).isEqualTo(Exit.OK);
    assertThat(waited.out()).contains("result: {\"n\": 3}");
    assertThat(replayed.out()).as(replayed.err()).matches("same: \\d+ events\n");
    assertThat(changed.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(changed.out()).startsWith("diverged: ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --id x                         | --id requires a workflow document
          --events none.yaml             | --events requires a workflow document; use 'damask wake'
          --scheduler random:3           | --scheduler requires a workflow document
          --trace some                   | --trace must be none, min or full
          --wait -PT1S                   | --wait must not be negative
          --trace-out x --secret __secret1=env:HOME | a recording does not contain secrets
          """)
  void options_that_a_session_does_not_know_are_refused(String options, String sentence) {
    String[] run = {"run", GRAPH, "--rules", RULES, "--entry", "Request"};

    Shell refused = damask(with(run, options.split(" ")));

    assertThat(refused.exit()).isEqualTo(Exit.INVALID);
    assertThat(refused.err()).contains(sentence);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--rules x", "--owner eve", "--window 2"})
  void options_of_sessions_are_refused_for_a_workflow(String options) {
    String[] run = {"run", "../examples/documents/order.yaml"};

    Shell refused = damask(with(run, options.split(" ")));

    assertThat(refused.exit()).isEqualTo(Exit.INVALID);
    assertThat(refused.err()).contains(" requires --entry and a graph document");
  }

  @Test
  void a_graph_needs_a_first_step_and_a_workflow_has_none() {
    Shell without = damask("run", GRAPH);
    Shell workflow = damask("run", "../examples/documents/order.yaml", "--entry", "A");
    Shell missing = damask("run", "none.json", "--entry", "A");

    assertThat(without.err()).contains("a graph document; name its first step with --entry");
    assertThat(workflow.err()).contains("not a graph document; --entry requires one");
    assertThat(missing.err()).contains("none.json: the file does not exist");
  }

  @Test
  void the_registry_is_filled_and_listed() {
    String store = folder.resolve("store").toString();

    Shell put = damask("graphs", "put", GRAPH, "--store", store, "--owner", "eve");
    Shell rules = damask("rules", "put", RULES + "/ship.json", "--store", store, "--owner", "eve");
    Shell listed = damask("graphs", "list", "--store", store);
    Shell foreign = damask("graphs", "put", GRAPH, "--store", store, "--owner", "mallory");

    assertThat(put.exit()).as(put.err()).isZero();
    assertThat(rules.out()).startsWith("ship version 1 hash ");
    assertThat(listed.out()).startsWith("order-approval version 1 hash ").contains("owner eve");
    assertThat(foreign.exit()).isEqualTo(Exit.INVALID);
    assertThat(foreign.err()).contains("only the owner");
  }

  @Test
  void what_may_be_woken_is_listed_and_a_secret_is_named_but_not_given() throws Exception {
    Path graph = folder.resolve("graph.json");
    Path rules = Files.createDirectory(folder.resolve("rules"));
    Files.writeString(
        graph,
        """
        {"id": "g", "structure": {"Arm": {"rule": "arm", "onValid": {"spawns": ["Doc"]}},
                                  "Doc": {"rule": "doc"}}}
        """);
    Files.writeString(
        rules.resolve("arm.json"),
        """
        {"payload": {}, "rules": ["[__secret1] == 'canary-7'"], "onValid": {"waitSec": 600}}
        """);
    Files.writeString(
        rules.resolve("doc.json"),
        """
        {"payload": {"Hash": {"type": "string"}}}
        """);
    Path secret = Files.writeString(folder.resolve("token"), "canary-7\n");
    String store = folder.resolve("store").toString();
    String[] run = {
      "run",
      graph.toString(),
      "--rules",
      rules.toString(),
      "--entry",
      "Arm",
      "--store",
      store,
      "--owner",
      "eve",
      "--window",
      "1",
      "--secret"
    };

    Shell given = damask(with(run, "__secret1=file:" + secret));
    Shell plain = damask(with(run, "__secret1=canary-7"));
    Shell missing = damask(with(run, "__secret1=env:DAMASK_NO_SUCH_VARIABLE"));
    Shell listed = damask("sessions", "--wakeable", "--store", store, "--owner", "eve");
    Shell log = damask("session", "1", "--log", "--store", store, "--owner", "eve");

    assertThat(given.exit()).as(given.out() + given.err()).isEqualTo(Exit.WAITING);
    assertThat(given.out() + given.err() + log.out()).doesNotContain("canary-7");
    assertThat(log.out()).contains("\"valid\":true");
    assertThat(plain.exit()).isEqualTo(Exit.INVALID);
    assertThat(plain.err())
        .contains("must not appear on the command line")
        .doesNotContain("canary-7");
    assertThat(missing.err())
        .contains("the environment variable DAMASK_NO_SUCH_VARIABLE is not set");
    assertThat(listed.out()).startsWith("eve 1:2 Doc until ").endsWith(" needs Hash:string\n");
  }

  private static String[] with(String[] words, String... more) {
    return Stream.concat(Arrays.stream(words), Arrays.stream(more)).toArray(String[]::new);
  }

  @Test
  void strict_takes_warnings_for_errors() throws Exception {
    Path graph =
        Files.writeString(
            folder.resolve("graph.json"),
            """
            {"id": "g", "structure": {"A": {"rule": "a", "onInvalid": {"spawns": ["A"]}}}}
            """);

    Shell smooth = damask("check", graph.toString());
    Shell strict = damask("check", "--strict", graph.toString());

    assertThat(smooth.exit()).isNotEqualTo(Exit.INVALID);
    assertThat(smooth.err()).contains("warning: ").contains("SELF_SPAWN_RETRY_LOOP");
    assertThat(strict.exit()).isEqualTo(Exit.INVALID);
  }

  private Shell check(String structure, String... more) throws Exception {
    Path graph = folder.resolve("graph.json");
    Files.writeString(graph, "{\"id\": \"g\", \"structure\": {" + structure + "}}");
    String[] words = {"check", graph.toString(), "--seconds", "60", "--entry"};
    Shell shell = damask(with(words, "A"));
    assertThat(more).allSatisfy(text -> assertThat(shell.out()).contains(text));
    return shell;
  }

  private static final String JOINED =
      """
      "A": {"rule": "a", "onValid": {"spawns": ["B", "C"], "join": {"joinid": "J", "mode": "all",
            "waitonjoin": "REST", "from": [{"node": "B", "when": "valid"}, {"node": "C"}]}}},
      "B": {"rule": "b", "onInvalid": {"spawns": ["L"]}}, "C": {"rule": "b"}, "J": {"rule": "b"},
      "L": {"rule": "l", "onValid": {"spawns": ["L"]}, "onInvalid": {"spawns": ["L"]}}
      """;

  @Test
  void a_session_that_can_run_for_ever_is_found_by_a_search_and_told_step_by_step()
      throws Exception {
    Shell checked =
        check(
            JOINED.replace("REST", "drain"),
            "no livelock' at " + folder.resolve("graph.json") + ":4:6: step L: the case can run",
            "it begins at A",
            "step A runs (line 1)",
            "step A is valid, spawns J (which waits for its join), spawns B, spawns C",
            "step B is invalid, spawns L",
            "J is aborted: its join cannot be fulfilled",
            "then again from step 8, without an end");

    assertThat(checked.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(checked.out()).doesNotContain("do.steps", "task ");
    Shell json = damask("check", folder.resolve("graph.json").toString(), "--entry=A", "--json");
    assertThat(json.out())
        .contains("graph.json:4:6: step L\"", "\"path\": \"structure.A\", \"line\": 1")
        .doesNotContain("do.steps");
  }

  @Test
  void a_step_that_a_join_always_stops_is_dead() throws Exception {
    // With kill, whoever comes to L finds the join of its group given up.
    Shell checked = check(JOINED.replace("REST", "kill"), "step L can never run");

    assertThat(checked.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(checked.out()).doesNotContain("livelock");
  }

  @Test
  void the_rules_say_which_outcomes_there_are() throws Exception {
    Shell feed =
        damask(
            "check",
            "../examples/price-feed/graph.json",
            "--rules",
            "../examples/price-feed/rules",
            "--entry",
            "Tick");
    Shell order = damask("check", GRAPH, "--rules", RULES, "--entry", "Ship");

    assertThat(feed.exit()).as(feed.out() + feed.err()).isZero();
    assertThat(order.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(order.out()).contains("step Request can never run");
  }
}
