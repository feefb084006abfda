package dev.damask.cli;

import static dev.damask.cli.Shell.damask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cli.command.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `damask check` says about documents and nets, and how.
final class CheckCommandTest {
  private static final String ORDER = "../examples/documents/order.yaml";
  private static final String SOUND = "workflow: a\ndo:\n  - task: A\n  - task: B\n";
  private static final String STUCK = "workflow: a\ndo:\n  - task: A\n  - take: x\n";

  @TempDir Path folder;

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private static Map<?, ?> violation(Shell shell) {
    Object violations = Objects.requireNonNull(shell.json().getFirst().get("violations"));
    return (Map<?, ?>) ((List<?>) violations).getFirst();
  }

  private static String trace(Shell shell) {
    return String.valueOf(violation(shell).get("trace"));
  }

  private static String keys(Map<?, ?> object) {
    return List.copyOf(object.keySet()).toString();
  }

  @Test
  void a_sound_workflow_is_called_sound_and_says_how_much_that_covers() throws IOException {
    String document = file("a.yaml", SOUND);
    String guarded =
        file(
            "b.yaml",
            "workflow: b\ncontext: {n: 1}\ndo: {xor: [{when: n > 0, do: {task: A}},"
                + " {else: {task: B}}]}\n");

    Shell shell = damask("check", document, guarded, "--json");

    assertThat(shell.exit()).isZero();
    assertThat(shell.err()).isEmpty();
    Map<?, ?> verdict = shell.json().getFirst();
    assertThat(keys(verdict))
        .isEqualTo("[file, verdict, scope, violations, states, millis, mayEnd]");
    assertThat(verdict.get("file")).isEqualTo(document);
    assertThat(verdict.get("verdict")).isEqualTo("sound");
    assertThat(verdict.get("scope")).isEqualTo("full");
    assertThat(verdict.get("violations")).isEqualTo(List.of());
    assertThat((Long) verdict.get("states")).isPositive();
    assertThat(shell.json().getLast().get("scope")).isEqualTo("controlFlow");
    assertThat(damask("check", ORDER).exit()).isZero();
  }

  @Test
  void an_unsound_workflow_comes_with_a_way_into_it_in_its_own_words() throws IOException {
    String document = file("a.yaml", STUCK);

    Shell text = damask("check", document);
    Shell json = damask("check", document, "--json");

    assertThat(text.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(text.out())
        .contains(document + ": unsound")
        .contains("violates 'no deadlock' at " + document + ":4:5: do[1]")
        .contains("task A is done (line 3)")
        .contains("=>  the case is deadlocked");
    assertThat(json.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(keys(json.json().getFirst()))
        .isEqualTo("[file, verdict, violations, states, millis, mayEnd]");
    assertThat(keys(violation(json))).isEqualTo("[property, where, trace]");
    assertThat(violation(json).get("property")).isEqualTo("no deadlock");
    assertThat(trace(json))
        .contains("kind=done, text=task A is done, subject=A, path=do[0], line=3")
        .contains("text=the case is deadlocked");
  }

  @Test
  void a_bound_makes_the_verdict_unknown_with_a_reason() throws IOException {
    StringBuilder text = new StringBuilder("workflow: a\ndo:\n  par:\n");
    for (int i = 0; i < 12; i++) {
      text.append("    - [{task: t%d}, {emit: p%d}, {take: p%d}]\n".formatted(i, i, i));
    }
    String document = file("a.yaml", text.toString());

    Shell states = damask("check", document, "--bound", "50", "--json");

    assertThat(states.exit()).isEqualTo(Exit.UNKNOWN);
    Map<?, ?> verdict = states.json().getFirst();
    assertThat(keys(verdict)).isEqualTo("[file, verdict, why, violations, states, millis, mayEnd]");
    assertThat(verdict.get("verdict")).isEqualTo("unknown");
    assertThat(verdict.get("why")).isEqualTo("the limit of 50 states was reached");
    assertThat(damask("check", document, "--bound", "0").exit()).isEqualTo(Exit.INVALID);
    assertThat(damask("check", document, "--bound", "x").err().lines()).hasSize(1);
  }

  @Test
  void what_is_assumed_about_the_outside_can_be_restricted() throws IOException {
    String twice =
        file(
            "a.yaml",
            "workflow: a\nplaces: {go: {external: true}}\ndo: [{take: go}, {take: go}]\n");
    String handled =
        file("b.yaml", "workflow: b\ndo: {cancel: R, do: {task: A}, catch: {take: never}}\n");
    String timed =
        file(
            "c.yaml",
            "workflow: c\ndo: {defer: [{take: x, do: {task: A}}, {after: 5, do: {task: B}}]}\n");

    assertThat(damask("check", twice).exit()).isZero();
    assertThat(damask("check", twice, "--signal-once").exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(damask("check", twice, "--no-signals").exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(damask("check", handled).exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(damask("check", handled, "--no-failures").exit()).isZero();
    assertThat(damask("check", timed, "--no-timers").exit()).isEqualTo(Exit.DIFFERENT);
  }

  @Test
  void nets_are_known_by_their_name_or_their_first_letter() throws IOException {
    String net =
        "<pnml><net id='n'><place id='p'/>%s<transition id='t'><name><text>pay</text></name>"
            + "</transition><arc id='a' source='p' target='t'/>%s</net></pnml>";
    String rest = "<arc id='b' source='t' target='q'/>";
    String sound = file("a.pnml", net.formatted("<place id='q'/>", rest));
    String other = file("b.xml", "\uFEFF  " + net.formatted("", ""));

    assertThat(damask("check", sound).exit()).isZero();
    Shell shell = damask("check", other, "--json");
    assertThat(shell.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(trace(shell)).contains("text=pay fires");
  }

  @Test
  void bad_input_is_one_line_an_error_and_exit_code_two() throws IOException {
    String broken = file("a.pnml", "<pnml><net id='n'>");
    String bomb = file("b.pnml", "<!DOCTYPE x [<!ENTITY y 'z'>]><pnml>&y;</pnml>");
    String empty = file("c.yaml", "");

    for (String each : List.of(broken, bomb, empty, folder + "/none.yaml", folder + "/no.pnml")) {
      Shell shell = damask("check", each);
      assertThat(shell.exit()).isEqualTo(Exit.INVALID);
      assertThat(shell.out()).isEqualTo(each + ": invalid\n");
      assertThat(shell.err().lines()).hasSize(1);
      assertThat(shell.err()).startsWith("error: " + each);
      Map<?, ?> json = damask("check", each, "--json").json().getFirst();
      assertThat(json.get("verdict")).isEqualTo("unknown");
      assertThat(json.get("why")).isEqualTo("the document is invalid");
    }
  }

  @Test
  void mistakes_are_told_from_warnings_and_all_are_listed() throws IOException {
    String document = file("a.yaml", "workflow: a\ndo:\n  - take: x\n  - call: F\n");
    String grammar = file("b.yaml", "workflow: a\nmoed: implicit\ndo:\n  - tsk: A\n");

    Shell shell = damask("check", document, ORDER);
    Shell json = damask("check", document, "--json");
    Shell two = damask("check", grammar);

    assertThat(shell.exit()).isEqualTo(Exit.INVALID);
    assertThat(shell.err())
        .contains("error: " + document + ":4:5: do[1]: call: there is no definition 'F'")
        .contains("warning: " + document + ":3:5: do[0]: no term puts a token on place 'x'");
    assertThat(shell.out()).startsWith(document + ": invalid\n").contains(ORDER + ": sound");
    assertThat((List<?>) json.json().getFirst().get("violations")).hasSize(1);
    assertThat(two.err().lines()).hasSize(2).allMatch(line -> line.startsWith("error: "));
  }

  @Test
  void the_worst_verdict_of_several_files_decides() throws IOException {
    String sound = file("a.yaml", SOUND);
    String stuck = file("b.yaml", STUCK);
    String open =
        file("c.yaml", "workflow: c\ncontext: {n: 2}\ndo: {mi: m, count: n, do: {task: A}}\n");
    String invalid = file("d.yaml", "workflow: d\n");

    assertThat(damask("check", sound, open).exit()).isEqualTo(Exit.UNKNOWN);
    assertThat(damask("check", open, stuck, sound).exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(damask("check", sound, invalid, stuck, open).exit()).isEqualTo(Exit.INVALID);
    Shell all = damask("check", folder.toString(), "--json");
    assertThat(all.exit()).isEqualTo(Exit.INVALID);
    assertThat(all.json()).hasSize(4);
  }

  @Test
  void assertions_of_the_document_are_checked_and_their_names_must_exist() throws IOException {
    String text =
        "workflow: a\nassert: [{neverBefore: [ship, pay]}]\ndo: {par: [{task: pay}, {task: %s}]}\n";
    String bad = file("a.yaml", text.formatted("ship"));
    String unknown = file("b.yaml", text.formatted("shop"));

    Shell shell = damask("check", bad, "--json");
    Shell refused = damask("check", unknown);

    assertThat(shell.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(violation(shell).get("property")).isEqualTo("assertion");
    assertThat(trace(shell)).contains("violated: ship never happens before pay");
    assertThat(refused.exit()).isEqualTo(Exit.INVALID);
    assertThat(refused.err())
        .isEqualTo("error: " + unknown + ": assert[0]: no task 'ship'; did you mean 'shop'?\n");
  }

  @Test
  void a_counterexample_is_drawn_and_played_by_the_test_command() throws IOException {
    String document =
        file(
            "a.yaml",
            """
            workflow: review
            do:
              - task: draft
              - loop: {while: rounds < 3}
                do: {task: improve, retry: {max: 2, delay: 5}}
              - xor:
                  - when: verdict.grade == "good"
                    do: {task: publish}
                  - else: {take: decision}
            """);
    Path picture = folder.resolve("out.svg");
    Path scenario = folder.resolve("out.json");

    Shell check =
        damask("check", document, "--draw", picture.toString(), "--scenario", scenario.toString());
    Shell test = damask("test", scenario.toString());

    assertThat(check.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(check.err().lines()).allMatch(line -> line.startsWith("warning: "));
    assertThat(picture).content().contains("<svg").contains("the case is deadlocked");
    assertThat(test.exit()).as(test.out()).isZero();
    assertThat(scenario)
        .content()
        .contains("\"end\": {\"status\": \"deadlocked\"}")
        .contains("\"workflow\": \"a.yaml\"");
  }

  @Test
  void failures_timers_and_signals_of_a_counterexample_are_played_too() throws IOException {
    String document =
        file(
            "a.yaml",
            """
            workflow: late
            places: {go: {external: true}}
            do:
              - take: go
              - cancel: R
                timeout: 60
                onTimeout: {task: remind}
                do: {task: work, retry: {max: 3, delay: 10}}
                catch:
                  - defer:
                      - {after: 30, do: {take: help}}
            """);
    Path scenario = folder.resolve("out.json");

    Shell check = damask("check", document, "--scenario", scenario.toString());
    Shell test = damask("test", scenario.toString());

    assertThat(check.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(test.exit()).as(check.out() + check.err() + test.out()).isZero();
    assertThat(scenario).content().contains("\"signal\": \"go\"", "\"fail\"", "\"advance\"");
  }

  @Test
  void a_net_is_drawn_with_the_way_to_what_is_wrong() throws IOException {
    String net =
        file(
            "a.pnml",
            """
            <pnml><net id='n'><name><text>lost parcel</text></name>
            <place id='p'><initialMarking><text>1</text></initialMarking></place>
            <place id='q'/><place id='end'/><place id='never'/>
            <transition id='pack'><name><text>pack it</text></name></transition>
            <transition id='send'/>
            <arc id='1' source='p' target='pack'/><arc id='2' source='pack' target='q'/>
            <arc id='3' source='q' target='send'/><arc id='4' source='never' target='send'/>
            <arc id='5' source='send' target='end'/></net></pnml>
            """);
    Path picture = folder.resolve("net.svg");
    Path drawn = folder.resolve("plain.svg");

    Shell check =
        damask("check", net, "--draw", picture.toString(), "--scenario", folder + "/s.json");

    assertThat(check.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(check.err()).contains("nets and graphs do not support scenarios");
    assertThat(picture).content().contains("lost parcel", "pack it", "send", "place never");
    assertThat(damask("draw", net, "-o", drawn.toString()).exit()).isZero();
    assertThat(Files.readString(picture)).isNotEqualTo(Files.readString(drawn));
    assertThat(damask("draw", file("b.pnml", "<pnml>")).exit()).isEqualTo(Exit.INVALID);
  }

  @Test
  void what_cannot_be_written_is_said() throws IOException {
    String sound = file("a.yaml", SOUND);
    String stuck = file("b.yaml", STUCK);

    assertThat(damask("check", sound, "--draw", folder + "/x.svg").err())
        .isEqualTo("damask: nothing was written: there is no counterexample\n");
    assertThat(damask("check", sound, stuck, "--draw", folder + "/x.svg").exit())
        .isEqualTo(Exit.INVALID);
    Shell refused = damask("check", stuck, "--draw", folder.toString());
    assertThat(refused.exit()).isEqualTo(Exit.INVALID);
    assertThat(refused.err()).contains("cannot be written: it is a directory");
  }

  @Test
  void ends_other_than_completed_are_errors_warnings_or_declared() throws IOException {
    String timed = "workflow: a\n%sdo: {cancel: R, timeout: 5, do: {task: A}}\n";
    String open = "workflow: a\n%sdo: {xor: [{when: n > 0, do: {task: A}}]}\n";
    String declared = "assert: [{mayEnd: [failed]}]\n";

    Shell error = damask("check", file("a.yaml", timed.formatted("")));
    Shell allowed = damask("check", file("b.yaml", timed.formatted(declared)));
    Shell warned = damask("check", file("c.yaml", open.formatted("")));
    Shell json = damask("check", "--json", file("c.yaml", open.formatted("")));
    Shell wrong = damask("check", file("d.yaml", timed.formatted("assert: [{mayEnd: [done]}]\n")));

    assertThat(error.exit()).isEqualTo(Exit.DIFFERENT);
    assertThat(error.out())
        .contains("violates 'proper completion'", "timeout", "assert: [{mayEnd: [failed]}]");
    assertThat(allowed.exit()).isZero();
    assertThat(allowed.out()).contains("may end failed with timeout");
    assertThat(warned.exit()).isZero();
    assertThat(warned.err()).contains("warning: ", "c.yaml:2", "no_branch", "'n > 0'");
    assertThat(String.valueOf(json.json().getFirst().get("warnings")))
        .contains("cause=no_branch", "'n > 0'");
    assertThat(String.valueOf(json.json().getFirst().get("mayEnd")))
        .contains("status=failed, cause=effect, subject=A");
    assertThat(wrong.exit()).isEqualTo(Exit.INVALID);
  }

  @Test
  void payloads_and_types_of_effects_are_checked() throws IOException {
    String task = "{workflow: a, do: {task: t, effect: %s}}";
    for (String[] each :
        new String[][] {
          {"{type: payment}", "unknown effect type 'payment'"},
          {"{type: http, with: {ulr: x}}", "http: unknown key 'ulr'; did you mean 'url'?"},
          {"{type: http, with: {}}", "http: the key 'url' is missing"},
          {"{type: http, with: {url: x, method: FETCH}}", "'method' must be one of"},
          {"{type: http, with: {url: x, expect: [20]}}", "'expect' must be a list of statuses"},
          {"{type: sleep, with: {for: soon}}", "'for' is a duration"},
          {"{type: log, with: {mesage: a}}", "did you mean 'message'?"},
          {"{type: log, with: {message: a, level: loud}}", "'level' must be one of"},
          {"{type: approval, with: {onTimeout: default}}", "'onTimeout' requires 'within'"},
          {"{type: approval, with: {aprovers: [a]}}", "did you mean 'approvers'?"}
        }) {
      Shell shell = damask("check", file("a.yaml", task.formatted(each[0])));

      assertThat(shell.exit()).as(each[0]).isEqualTo(Exit.INVALID);
      assertThat(shell.err()).contains("a.yaml:1:19: do: ", each[1]);
    }
    String custom = file("b.yaml", task.formatted("{type: payment, with: {any: 1}}"));
    String filled = file("c.yaml", task.formatted("{type: sleep, with: {for: '${n}'}}"));
    String plain = file("d.yaml", "{workflow: a, do: [{task: sleep}, {task: payment}]}");

    assertThat(damask("check", custom, "--effect", "payment").exit()).isZero();
    assertThat(damask("check", filled).exit()).isZero();
    assertThat(damask("check", plain).exit()).isZero();
  }

  @Test
  void a_name_that_nothing_writes_is_an_error_where_the_input_is_declared() throws IOException {
    String input = "input: {type: object, properties: {amount: {type: number}}}\n";
    String typo = "do: {xor: [{when: amuont > 3, do: {task: A}}, {else: {task: B}}]}\n";
    String later =
        "do: [{task: T}, {xor: [{when: amuont > 3, do: {task: A}}, {else: {task: B}}]}]\n";

    Shell error = damask("check", file("a.yaml", "workflow: a\n" + input + typo));
    Shell open = damask("check", file("b.yaml", "workflow: a\n" + input + later));
    Shell undeclared = damask("check", file("c.yaml", "workflow: a\n" + typo));

    assertThat(error.exit()).isEqualTo(Exit.INVALID);
    assertThat(error.err())
        .contains("error: ", "a.yaml:3:5", "'amuont > 3' reads 'amuont'", "did you mean 'amount'?");
    assertThat(open.exit()).isZero();
    assertThat(open.err()).contains("warning: ", "did you mean 'amount'?");
    assertThat(undeclared.exit()).isZero();
    assertThat(undeclared.err()).contains("warning: ", "'amuont'", "declare it under input");
  }

  @Test
  void numbers_in_the_diagram_are_those_in_the_text() throws IOException {
    String document =
        file(
            "a.yaml",
            """
            workflow: a
            do:
              graph:
                start: {xor: [{to: p}, {to: q}]}
                nodes:
                  p: {do: {task: P}, then: j}
                  q: {do: {task: Q}, then: j}
                  j: {join: {and: [p, q]}, do: {task: J}, then: end}
            """);
    Path picture = folder.resolve("a.svg");

    Shell shell = damask("check", document, "--draw", picture.toString());

    assertThat(shell.out())
        .contains("1  the start goes to p", "2  task P starts", "3  task P is done")
        .contains("do.graph.nodes.j");
    assertThat(Files.readString(picture))
        .containsPattern("step-text[^>]*>1<")
        .containsPattern("step-text[^>]*>2,3<")
        .doesNotContainPattern("step-text[^>]*>[4-9]")
        .contains("class=\"taken\"", "class=\"bar stuck\"");
  }
}
