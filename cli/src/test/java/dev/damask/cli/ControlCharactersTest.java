package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whatever a document, an argument or an event says, no command prints a control character.
final class ControlCharactersTest {
  /// Escape, bell, backspace, a C1 control sequence, an override of the reading direction.
  private static final String HOSTILE = "a\u001b[31m\u0007\b\u009b2J\u202eb\u2066c\u061c\u0085\r!";

  @TempDir Path folder;

  private String document() throws IOException {
    String text =
        """
        {"workflow": "w", "context": {"k": TEXT, KEY: 1}, "places": {"p": {"external": true}},
          "do": [
          {"task": "say", "effect": {"type": "log", "with": {"message": TEXT}}},
          {"task": "A"}, {"fail": "no TEXTUAL"}]}
        """
            .replace("TEXTUAL", json().substring(1, json().length() - 1))
            .replace("TEXT", json())
            .replace("KEY", json());
    return Files.writeString(folder.resolve("w.json"), text).toString();
  }

  private static String json() {
    StringBuilder out = new StringBuilder("\"");
    HOSTILE.chars().forEach(c -> out.append("\\u%04x".formatted(c)));
    return out.append('"').toString();
  }

  private static void isClean(Shell shell) {
    assertThat(shell.out() + shell.err()).isNotBlank();
    isQuietOrClean(shell);
  }

  /// As above, for a command that may have nothing to print.
  private static void isQuietOrClean(Shell shell) {
    String all = shell.out() + shell.err();
    for (int i = 0; i < all.length(); i++) {
      char c = all.charAt(i);
      boolean isControl = Character.isISOControl(c) && c != '\n' && c != '\t';
      boolean turns = HOSTILE.indexOf(c) >= 0 && Character.getType(c) == Character.FORMAT;
      assertThat(isControl || turns)
          .as("a raw \\u%04x in %s", (int) c, all.substring(Math.max(0, i - 40), i))
          .isFalse();
    }
  }

  @Test
  void no_command_prints_one_raw() throws IOException {
    String document = document();
    String store = folder.resolve("store").toString();
    String events =
        Files.writeString(
                folder.resolve("e.json"), "[{\"done\": \"A\", \"set\": {\"x\": " + json() + "}}]")
            .toString();

    isClean(damask("check", document));
    isClean(damask("check", document, "--json"));
    isClean(damask("compile", document));
    isClean(damask("compile", document, "--raw"));
    isClean(damask("draw", document));
    isClean(damask("run", document, "--events", events, "--trace", "full"));
    isClean(damask("run", document, "--events", events, "--json"));
    isClean(damask("run", document, "--store", store, "--id", "c1", "--wait", "0"));
    isClean(damask("show", store, "c1"));
    isClean(damask("show", store, "c1", "--json"));
    isClean(damask("cases", store));
    isClean(damask("signal", store, "c1", HOSTILE));
    isClean(damask("fail", store, "c1", "A", "--reason", HOSTILE));
    isClean(damask("show", store, "c1"));
    isClean(damask(HOSTILE));
    isClean(damask("run", HOSTILE));
    isClean(damask("run", document, "--" + HOSTILE));
    isClean(damask("test", folder.resolve("no" + HOSTILE).toString()));
  }

  private String write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private static Shell run(String[] on, String... words) {
    return damask(Stream.of(words, on).flatMap(Stream::of).toArray(String[]::new));
  }

  /// A store with a schedule, a case that waits, and one with an incident; all say the text.
  private String operated() throws IOException {
    String store = folder.resolve("operated").toString();
    String document =
        write(
            "parked.json",
            """
            {"workflow": "parked", "context": {"k": TEXT, "n": 1},
              "attributes": {"said": "k"}, "places": {"p": {"external": true}},
              "do": [{"task": "A", "onExhausted": "park"}, {"take": "p"}]}
            """
                .replace("TEXT", json()));
    for (String id : List.of("one", "two")) {
      damask("run", document, "--id", id, "--store", store);
    }
    damask("fail", "one", "A", "--reason", HOSTILE, "--store", store);
    String nightly =
        write(
            "nightly.json",
            """
            {"workflow": "nightly",
              "schedule": {"cron": "0 2 1 1 *", "zone": "Europe/Berlin", "with": {"n": TEXT}},
              "do": {"skip": true}}
            """
                .replace("TEXT", json()));
    isClean(damask("run", nightly, "--id", "first", "--store", store));
    return store;
  }

  /// The commands of operators; each has a text that a case, a schedule or a user says.
  private static final List<List<String>> OPERATING =
      List.of(
          List.of("cases"),
          List.of("cases", "--json"),
          List.of("cases", "--where", "said = '" + HOSTILE + "'"),
          List.of("cases", "--where", HOSTILE),
          List.of("show", "one"),
          List.of("show", "one", "--json"),
          List.of("show", HOSTILE),
          List.of("incidents", "list"),
          List.of("incidents", "list", "one", "--json"),
          List.of("incidents", "retry", "--workflow", HOSTILE),
          List.of("incidents", "retry", "--reason", HOSTILE),
          List.of("incidents", HOSTILE),
          List.of("fail", "one", "A", "--reason", HOSTILE),
          List.of("incidents", "fail", "one", "--as", HOSTILE),
          List.of("schedules"),
          List.of("schedules", "pause", HOSTILE),
          List.of("schedules", "trigger", "nightly"),
          List.of("schedules", HOSTILE, HOSTILE),
          List.of("pause", "two", "--reason", HOSTILE),
          List.of("signal", "two", "p", "--data", "{" + json() + ": 1}"),
          List.of("show", "two"),
          List.of("resume", "two"),
          List.of("change", "two", "--set", HOSTILE + "=1", "--reason", HOSTILE),
          List.of("change", "two", "--set", "k=" + json(), "--reason", HOSTILE),
          List.of("complete", "two", "A", "--data", "{\"x\": " + json() + "}"),
          List.of("complete", "two", HOSTILE),
          List.of("restart", "two", HOSTILE),
          List.of("restart", "two", "--new-id", HOSTILE),
          List.of("cancel", "two", "--reason", HOSTILE),
          List.of("retry", HOSTILE),
          List.of("delete", HOSTILE),
          List.of("migrate", "one", HOSTILE),
          List.of("receipt", HOSTILE),
          List.of("receipt", "two#0"),
          List.of("show", "two"));

  @Test
  void no_command_of_an_operator_prints_one_raw() throws IOException {
    String store = operated();

    for (List<String> words : OPERATING) {
      isClean(run(new String[] {"--store", store}, words.toArray(String[]::new)));
    }
    isClean(damask("verify", store));
    isClean(damask("verify", store + HOSTILE));
    isClean(damask("backup", store, folder.resolve("no" + HOSTILE) + "/x\0"));
    isClean(damask("backup", store, HOSTILE, HOSTILE));
    isClean(damask("nodes", "jdbc:postgresql://127.0.0.1:1/" + HOSTILE));
    isClean(damask("nodes", HOSTILE));
    isClean(damask("store", HOSTILE));
    isClean(damask("store", "init", folder.resolve("new" + HOSTILE).toString()));
    isClean(damask("store", "copy", store, folder.resolve("copy" + HOSTILE).toString()));
    isClean(damask("serve", "--store", store, "--" + HOSTILE));
    isClean(damask("serve", "--store", store, "--port", HOSTILE));
    isClean(damask("replay", HOSTILE));
    isClean(damask("replay", write("recording", "{" + HOSTILE)));
  }

  @Test
  void no_command_prints_one_raw_that_a_server_sends() throws IOException {
    String item =
        """
        {"case": TEXT, "id": TEXT, "workflow": TEXT, "status": TEXT, "name": TEXT, "text": TEXT,
         "reason": TEXT, "task": TEXT, "owner": TEXT, "number": 1, "revision": 1, "message": TEXT,
         TEXT: TEXT}
        """;
    String all =
        """
        {"error": ITEM, "code": TEXT, "message": TEXT, "detail": TEXT, "items": [ITEM],
         "cases": [ITEM], "incidents": [ITEM], "schedules": [ITEM], "sessions": [ITEM],
         "outcome": TEXT, "status": TEXT, "next": null, "context": {TEXT: TEXT}, TEXT: [TEXT]}
        """
            .replace("ITEM", item)
            .replace("TEXT", json());
    for (String status : List.of("200 OK", "400 Bad Request", "409 Conflict", "500 Oops")) {
      for (String body : List.of(all, "[" + all + "]", HOSTILE.replaceAll("[^\\x00-\\x7f]", ""))) {
        try (StubServer stub = new StubServer(seen -> true, status, body)) {
          String[] at = {"--server", "http://" + stub.place(), "--token", "dmk_abc"};
          for (List<String> words : OPERATING) {
            isClean(run(at, words.toArray(String[]::new)));
          }
          isClean(run(at, "sessions", "--owner", HOSTILE));
          isClean(run(at, "session", "1", "--owner", HOSTILE));
          isClean(run(at, "wake", "1", "--step", HOSTILE, "--owner", "eve"));
        }
      }
    }
    isClean(damask("cases", "--server", HOSTILE));
    isClean(damask("cases", "--server", "http://" + HOSTILE));
    isClean(damask("cases", "--server", "http://127.0.0.1:1/", "--token", HOSTILE));
  }

  /// The commands on sessions of eve; each has a text that a session, a document or a user says.
  private static final List<List<String>> ON_SESSIONS =
      List.of(
          List.of("session", "1"),
          List.of("session", "1", "--json"),
          List.of("session", "1", "--log"),
          List.of("session", "1", "--log", "--step", HOSTILE),
          List.of("session", HOSTILE),
          List.of("sessions"),
          List.of("sessions", "--json"),
          List.of("sessions", "--processes"),
          List.of("sessions", "--processes", "--session", HOSTILE),
          List.of("sessions", "--wakeable", "--last", HOSTILE),
          List.of("pause", "1"),
          List.of("pause", HOSTILE),
          List.of("resume", "1"),
          List.of("resume", HOSTILE),
          List.of("wake", "1", "--step", HOSTILE),
          List.of("wake", "1", "--process", HOSTILE),
          List.of("wake", "1", "--step", "Say", "--payload", HOSTILE),
          List.of("wake", "1", "--step", "Say", "--payload", "{" + json() + ": " + json() + "}"),
          List.of("wake", "1", "--step", "Say", "--as", HOSTILE),
          List.of("wake", HOSTILE, "--step", "Say"),
          List.of("graphs", "list"),
          List.of("graphs", "put", HOSTILE),
          List.of("graphs", HOSTILE),
          List.of("rules", "list"),
          List.of("rules", "put", HOSTILE),
          List.of("rules", HOSTILE),
          List.of("session", "1", "--log"),
          List.of("kill", HOSTILE),
          List.of("kill", "1"),
          List.of("session", "1"));

  @Test
  void no_command_on_sessions_prints_one_raw() throws IOException {
    String store = folder.resolve("sessions").toString();
    String rules = Files.createDirectories(folder.resolve("rules")).toString();
    String badRules = Files.createDirectories(folder.resolve("bad-rules")).toString();
    String hear =
        """
        {"payload": {"said": {"type": "string"}},
          "onValid": {"payload": {"said": "[said]"}, "waitSec": 600}}
        """;
    write("rules/hear.json", hear);
    write("bad-rules/hear.json", hear);
    write(
        "rules/say.json",
        """
        {"payload": {"said": {"type": "string"}}, "rules": ["[said] == 'no'"],
          "onInvalid": {"payload": {"why": "[said]"}}}
        """);
    write("bad-rules/say.json", "{\"payload\": {" + json() + ": {\"type\": " + json() + "}}}");
    String graph =
        write(
            "graph.json",
            """
            {"id": "g", "structure": {
              "Hear": {"rule": "hear", "onValid": {"spawns": ["Say"]}}, "Say": {"rule": "say"}}}
            """);
    String[] start = {"run", graph, "--entry", "Hear", "--store", store, "--context"};
    String said = "{\"said\": " + json() + "}";

    Shell started = run(new String[] {said, "--rules", rules, "--owner", "eve"}, start);
    assertThat(started.exit()).as(started.err()).isEqualTo(Exit.WAITING);
    isClean(started);
    isClean(run(new String[] {said, "--rules", rules, "--owner", "eve", "--json"}, start));
    isClean(run(new String[] {said, "--rules", rules, "--owner", HOSTILE}, start));
    isClean(run(new String[] {"{" + json() + ": 1}", "--rules", rules, "--owner", "eve"}, start));
    isClean(run(new String[] {said, "--rules", badRules, "--owner", "eve"}, start));
    isClean(run(new String[] {said, "--rules", HOSTILE, "--owner", "eve"}, start));
    StringBuilder printed = new StringBuilder();
    for (String owner : List.of("eve", HOSTILE)) {
      for (List<String> words : ON_SESSIONS) {
        String[] on = {"--store", store, "--owner", owner};
        Shell shell = run(on, words.toArray(String[]::new));
        isQuietOrClean(shell);
        printed.append(shell.out()).append(shell.err());
      }
    }
    assertThat(printed.toString()).contains("a\\u001b[31m\\u0007");
  }

  @Test
  void no_command_on_graphs_rules_bundles_and_plans_prints_one_raw() throws IOException {
    Path published = Path.of("..", "orchestration", "src", "test", "resources", "published");
    String store = folder.resolve("graphs").toString();
    String text = json().substring(1, json().length() - 1);
    List<String> parts =
        List.of(
            "about ", "Await", "shop_v1", "shop_order", "[parcel]", "uint256", "courier", "0x0");
    for (int i = 0; i < parts.size(); i++) {
      String bundles = Files.readString(published.resolve("shop-bundles.json"));
      String file = write("bundles" + i + ".json", bundles.replace(parts.get(i), text));
      isClean(damask("check", file));
      isClean(damask("check", file, "--json"));
      isClean(damask("check", file, "--bundle", HOSTILE));
      isClean(damask("draw", file));
      isClean(damask("compile", file));
      isClean(damask("run", file, "--entry", "Arm", "--owner", "rider", "--context", "{}"));
      isQuietOrClean(damask("graphs", "put", file, "--store", store, "--owner", "eve"));
      isQuietOrClean(damask("rules", "put", file, "--store", store, "--owner", "eve"));
      isQuietOrClean(damask("graphs", "list", "--store", store, "--owner", "eve"));
      isQuietOrClean(damask("rules", "list", "--store", store, "--owner", "eve"));
    }
    for (String part : List.of("plan ", "tp_meter", "meters", "level", "rate", "step")) {
      String plans = Files.readString(published.resolve("meter-plans.json")).replace(part, text);
      isClean(damask("test", write("plans.json", plans)));
    }
    for (String part : List.of("shop", "Await", "title", "expect", "step")) {
      String scenario = Files.readString(published.resolve("shop-scenario.json"));
      isClean(damask("test", write("scenario.json", scenario.replace(part, text))));
    }
  }

  @Test
  void json_output_keeps_the_characters_as_escapes() throws IOException {
    String plain =
        Files.writeString(
                folder.resolve("v.json"),
                "{\"workflow\": \"v\", \"context\": {\"k\": "
                    + json()
                    + "}, \"do\": {\"skip\": true}}")
            .toString();

    Shell run = damask("run", plain, "--json");

    assertThat(run.json().getFirst().get("context")).isEqualTo(Map.of("k", HOSTILE));
  }
}
