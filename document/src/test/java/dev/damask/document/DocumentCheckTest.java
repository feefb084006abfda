package dev.damask.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.check.Finding;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Which names are known where, and which findings are errors.
final class DocumentCheckTest {
  private static final String INPUT = "input: {properties: {n: {}, flag: {}}}\n";

  private static List<String> findings(String rest) {
    WorkflowDocument document = new DocumentReader().read("w.yaml", "workflow: w\n" + rest);
    return DocumentCheck.check(document, Set.of()).stream()
        .map(each -> each.severity() + " " + each.place() + " " + unknown(each))
        .toList();
  }

  private static String unknown(Finding finding) {
    String sentence = finding.sentence();
    int at = sentence.indexOf("reads '");
    return at < 0 ? sentence : sentence.substring(at + 7, sentence.indexOf("', which"));
  }

  @Test
  void what_stands_before_can_have_written_a_name() {
    assertThat(findings(INPUT + "do: [{set: {a: n}}, {set: {b: a + n}}]\n")).isEmpty();
    assertThat(findings(INPUT + "do: [{set: {b: a}}, {set: {a: n}}]\n"))
        .containsExactly("ERROR do[0] a");
    assertThat(findings(INPUT + "do: {loop: {while: flag}, do: [{set: {b: a}}, {set: {a: n}}]}\n"))
        .isEmpty();
    assertThat(findings(INPUT + "do: {par: [{set: {a: 1}}, {set: {b: a}}]}\n"))
        .containsExactly("ERROR do.par[1] a");
    assertThat(findings(INPUT + "do: [{set: {b: a}}, {task: T}]\n"))
        .containsExactly("ERROR do[0] a");
    assertThat(findings(INPUT + "do: [{task: T}, {set: {b: a}}]\n"))
        .containsExactly("WARNING do[1] a");
    assertThat(findings(INPUT + "do: [{task: T, result: a}, {set: {b: a.x}}]\n")).isEmpty();
    assertThat(findings(INPUT + "do: [{task: T, result: c}, {set: {b: a}}]\n"))
        .containsExactly("ERROR do[1] a");
  }

  @Test
  void signals_payloads_instances_handlers_and_calls_bring_names() {
    assertThat(findings(INPUT + "places: {p: {external: true}}\ndo: [{take: p}, {set: {b: a}}]\n"))
        .containsExactly("WARNING do[1] a");
    assertThat(findings(INPUT + "do: [{emit: p, with: {a: n}}, {take: p}, {set: {b: a, c: d}}]\n"))
        .containsExactly("ERROR do[2] d");
    assertThat(
            findings(
                INPUT
                    + "do: [{mi: m, count: n, collect: r, need: done >= total,"
                    + " do: {set: {r: item + index}}}, {set: {s: r_all}}, {set: {t: r}}]\n"))
        .containsExactly("ERROR do[2] r");
    assertThat(
            findings(
                INPUT
                    + "do: {cancel: R, do: {set: {a: error}}, catch: {set: {b: error.reason}}}\n"))
        .containsExactly("ERROR do.do error");
    assertThat(
            findings(
                INPUT
                    + "definitions: {F: [{set: {r: a + x}}]}\n"
                    + "do: [{set: {a: n}}, {call: F}, {set: {b: r}}]\n"))
        .containsExactly("ERROR definitions.F[0] x");
    assertThat(findings(INPUT + "do: {set: {b: \"has(ctx.a) ? ctx.a : 1\"}}\n")).isEmpty();
  }

  @Test
  void graphs_are_followed_along_their_arcs() {
    String graph =
        "do: {graph: {start: a, nodes: {a: {do: {set: {x: n}}, then: {xor: [{when: x > y, to: b},"
            + " {else: end}]}}, b: {do: {set: {y: x}}, then: a}}}}\n";

    assertThat(findings(INPUT + graph)).isEmpty();
    assertThat(findings(INPUT + graph.replace("then: a}", "then: end}")))
        .containsExactly("ERROR do.graph.nodes.a.do y");
  }

  @Test
  void an_input_that_is_open_or_missing_only_warns() {
    assertThat(findings("do: {set: {b: a}}\n")).containsExactly("WARNING do a");
    assertThat(findings("input: true\ndo: {set: {b: a}}\n")).containsExactly("WARNING do a");
    assertThat(
            findings(
                "input: {properties: {n: {}}, additionalProperties: true}\ndo: {set: {b: a}}\n"))
        .containsExactly("WARNING do a");
    assertThat(findings("context: {a: 1}\ndo: {set: {b: a}}\n")).isEmpty();
  }

  @Test
  void texts_of_payloads_and_keys_are_read_too() {
    assertThat(
            findings(
                INPUT
                    + "do: {task: A, key: k, effect: {type: log, with: {message: \"${m} ${n}"
                    + " ${secret.S}\"}}}\n"))
        .containsExactly("ERROR do k", "ERROR do m");
  }

  @Test
  void no_scenario_of_the_project_has_an_error() {
    Map<Path, WorkflowDocument> workflows = ScenarioWorkflows.all();

    assertThat(workflows).hasSizeGreaterThan(200);
    workflows.forEach((file, document) ->
        assertThat(DocumentCheck.check(document, Set.of()))
            .as("%s", file)
            .noneMatch(Finding::isError));
  }

  @Test
  void an_input_without_properties_can_still_name_its_keys() {
    String read = "do: {set: {b: foo}}\n";
    assertThat(findings("input: {additionalProperties: false}\n" + read))
        .containsExactly("ERROR do foo");
    assertThat(findings("input: {required: [foo], properties: {n: {}}}\n" + read)).isEmpty();
    assertThat(findings("input: {type: object}\n" + read)).containsExactly("WARNING do foo");
  }

  @Test
  void a_url_that_cannot_be_called_is_an_error() {
    for (String url : List.of("ftp://x/", "not a url", "/orders", "5")) {
      assertThat(findings("do: {task: h, effect: {type: http, with: {url: \"" + url + "\"}}}\n"))
          .hasSize(1)
          .first()
          .asString()
          .startsWith("ERROR do http: 'url' must be a string such as");
    }
    assertThat(
            findings(INPUT + "do: {task: h, effect: {type: http, with: {url: \"${n}/orders\"}}}\n"))
        .isEmpty();
  }
}
