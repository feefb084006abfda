package dev.damask.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.check.Diagnostic;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Which names are known where, and which diagnostics are errors.
final class DocumentCheckTest {
  private static final String INPUT = "input: {properties: {n: {}, flag: {}}}\n";

  private static List<String> diagnostics(String rest) {
    WorkflowDocument document = new DocumentReader().read("w.yaml", "workflow: w\n" + rest);
    return DocumentCheck.check(document, Set.of()).stream()
        .map(each -> each.severity() + " " + each.path() + " " + unknown(each))
        .toList();
  }

  private static String unknown(Diagnostic diagnostic) {
    String sentence = diagnostic.sentence();
    int at = sentence.indexOf("reads '");
    return at < 0 ? sentence : sentence.substring(at + 7, sentence.indexOf("', which"));
  }

  @Test
  void a_built_in_effect_is_not_delivered_exactly_once() {
    assertThat(
            diagnostics(
                "do: {task: T, delivery: exactlyOnce, effect: {type: log, with: {message: a}}}\n"))
        .containsExactly("ERROR do an effect of the built-in type 'log' joins no transaction");
    assertThat(diagnostics("do: {task: T, delivery: exactlyOnce}\n")).isEmpty();
  }

  @Test
  void the_cases_of_a_schedule_fit_the_input() {
    String document =
        "input: {required: [region], properties: {region: {type: string}}}\n"
            + "do: {task: A}\nschedule: {every: PT1H";

    assertThat(diagnostics(document + ", with: {region: north}}\n")).isEmpty();
    assertThat(diagnostics("context: {region: north}\n" + document + "}\n")).isEmpty();
    assertThat(diagnostics(document + "}\n"))
        .singleElement()
        .asString()
        .startsWith("ERROR schedule a case of the schedule does not fit 'input': ")
        .contains("'region'");
    assertThat(diagnostics(document + ", with: {region: 5}}\n"))
        .singleElement()
        .asString()
        .startsWith("ERROR schedule a case of the schedule does not fit 'input': /region: ");
  }

  @Test
  void what_stands_before_can_have_written_a_name() {
    assertThat(diagnostics(INPUT + "do: [{set: {a: n}}, {set: {b: a + n}}]\n")).isEmpty();
    assertThat(diagnostics(INPUT + "do: [{set: {b: a}}, {set: {a: n}}]\n"))
        .containsExactly("ERROR do[0] a");
    assertThat(
            diagnostics(INPUT + "do: {loop: {while: flag}, do: [{set: {b: a}}, {set: {a: n}}]}\n"))
        .containsExactly("WARNING do.do[0] a");
    assertThat(diagnostics(INPUT + "do: {par: [{set: {a: 1}}, {set: {b: a}}]}\n"))
        .containsExactly("ERROR do.par[1] a");
    assertThat(diagnostics(INPUT + "do: [{set: {b: a}}, {task: T}]\n"))
        .containsExactly("ERROR do[0] a");
    assertThat(diagnostics(INPUT + "do: [{task: T}, {set: {b: a}}]\n"))
        .containsExactly("WARNING do[1] a");
    assertThat(diagnostics(INPUT + "do: [{task: T, result: a}, {set: {b: a.x}}]\n")).isEmpty();
    assertThat(diagnostics(INPUT + "do: [{task: T, result: c}, {set: {b: a}}]\n"))
        .containsExactly("ERROR do[1] a");
  }

  @Test
  void signals_payloads_instances_handlers_and_calls_bring_names() {
    assertThat(
            diagnostics(INPUT + "places: {p: {external: true}}\ndo: [{take: p}, {set: {b: a}}]\n"))
        .containsExactly("WARNING do[1] a");
    assertThat(
            diagnostics(INPUT + "do: [{emit: p, with: {a: n}}, {take: p}, {set: {b: a, c: d}}]\n"))
        .containsExactly("ERROR do[2] d");
    assertThat(
            diagnostics(
                INPUT
                    + "do: [{mi: m, count: n, collect: r, need: done >= total,"
                    + " do: {set: {r: item + index}}}, {set: {s: r_all}}, {set: {t: r}}]\n"))
        .containsExactly("ERROR do[2] r");
    assertThat(
            diagnostics(
                INPUT
                    + "do: {cancel: R, do: {set: {a: error}}, catch: {set: {b: error.reason}}}\n"))
        .containsExactly("ERROR do.do error");
    assertThat(
            diagnostics(
                INPUT
                    + "definitions: {F: [{set: {r: a + x}}]}\n"
                    + "do: [{set: {a: n}}, {call: F}, {set: {b: r}}]\n"))
        .containsExactly("ERROR definitions.F[0] x");
    assertThat(diagnostics(INPUT + "do: {set: {b: \"has(ctx.a) ? ctx.a : 1\"}}\n")).isEmpty();
  }

  @Test
  void graphs_are_followed_along_their_arcs() {
    String graph =
        "do: {graph: {start: a, nodes: {a: {do: {set: {x: n}}, then: {xor: [{when: x > y, to: b},"
            + " {else: end}]}}, b: {do: {set: {y: x}}, then: a}}}}\n";

    assertThat(diagnostics(INPUT + graph)).containsExactly("WARNING do.graph.nodes.a.do y");
    assertThat(diagnostics(INPUT + graph.replace("then: a}", "then: end}")))
        .containsExactly("ERROR do.graph.nodes.a.do y");
  }

  @Test
  void an_input_that_is_open_or_missing_only_warns() {
    assertThat(diagnostics("do: {set: {b: a}}\n")).containsExactly("WARNING do a");
    assertThat(diagnostics("input: true\ndo: {set: {b: a}}\n")).containsExactly("WARNING do a");
    assertThat(
            diagnostics(
                "input: {properties: {n: {}}, additionalProperties: true}\ndo: {set: {b: a}}\n"))
        .containsExactly("WARNING do a");
    assertThat(diagnostics("context: {a: 1}\ndo: {set: {b: a}}\n")).isEmpty();
  }

  @Test
  void texts_of_payloads_and_keys_are_read_too() {
    assertThat(
            diagnostics(
                INPUT
                    + "do: {task: A, key: k, effect: {type: log, with: {message: \"${m} ${n}"
                    + " ${secret.S}\"}}}\n"))
        .containsExactly("ERROR do k", "ERROR do m");
  }

  @Test
  void a_name_that_only_some_paths_write_is_a_warning() {
    String choice = "{xor: [{when: flag, do: {set: {a: 1}}}, {else: {set: {c: 1}}}]}";

    assertThat(diagnostics(INPUT + "do: [" + choice + ", {set: {b: a}}]\n"))
        .containsExactly("WARNING do[1] a");
    assertThat(diagnostics(INPUT + "do: [" + choice + ", {set: {b: \"has(ctx.a) ? a : 1\"}}]\n"))
        .isEmpty();
    assertThat(
            diagnostics(
                INPUT
                    + "do: ["
                    + choice
                    + ", {xor: [{when: has(ctx.a), do: {set: {b: a}}}, {else: {set: {b: c}}}]}]\n"))
        .containsExactly("WARNING do[1].xor[1] c");
    assertThat(
            diagnostics(
                INPUT
                    + "do: [{xor: [{when: flag, do: {set: {a: 1}}}, {else: {fail: no}}]},"
                    + " {set: {b: a}}]\n"))
        .isEmpty();
  }

  @Test
  void conditions_that_test_a_key_do_not_need_it() {
    for (String text :
        List.of(
            "has(ctx.a) && a > 1",
            "a > 1 && has(ctx.a)",
            "!has(ctx.a) || a > 1",
            "'a' in ctx && ctx.a > 1",
            "has(ctx.a) ? a > 1 : flag")) {
      assertThat(diagnostics(INPUT + "do: {loop: {while: \"" + text + "\"}, do: {skip: true}}\n"))
          .as(text)
          .isEmpty();
    }
    for (String text : List.of("has(ctx.a) || a > 1", "!has(ctx.a) && a > 1", "ctx.a > 1")) {
      assertThat(diagnostics(INPUT + "do: {loop: {while: \"" + text + "\"}, do: {skip: true}}\n"))
          .as(text)
          .containsExactly("ERROR do a");
    }
  }

  private static final String ORDER =
      """
      input:
        properties:
          order:
            type: object
            properties:
              customer: {type: string}
              lines: {type: array, items: {properties: {sku: {type: string}, n: {}}}}
              note: {}
              extra: {type: object, additionalProperties: true, properties: {a: {}}}
      """;

  private static List<String> told(String rest) {
    WorkflowDocument document = new DocumentReader().read("w.yaml", "workflow: w\n" + rest);
    return DocumentCheck.check(document, Set.of()).stream()
        .map(each -> each.severity() + " " + each.sentence() + "; " + each.remedy())
        .toList();
  }

  @Test
  void fields_that_the_input_does_not_declare_are_errors() {
    assertThat(told(ORDER + "do: {set: {a: order.customr}}\n"))
        .containsExactly(
            "ERROR 'order.customr' reads 'order.customr', which input does not declare; "
                + "did you mean 'customer'?");
    assertThat(told(ORDER + "do: {set: {a: \"order.lines[0].skuu\"}}\n"))
        .containsExactly(
            "ERROR 'order.lines[0].skuu' reads 'order.lines[].skuu', which input does not declare; "
                + "did you mean 'sku'?");
    assertThat(told(ORDER + "do: {set: {a: \"order.lines.all(l, l.skv == 'x')\"}}\n"))
        .hasSize(1)
        .first()
        .asString()
        .startsWith("ERROR")
        .endsWith("did you mean 'sku'?");
    assertThat(told(ORDER + "do: {set: {a: order.customer.first}}\n"))
        .containsExactly(
            "ERROR 'order.customer.first' reads 'order.customer.first', but input declares"
                + " 'order.customer' as a string; use 'order.customer' itself, or change its"
                + " schema");
    assertThat(
            told(ORDER + "do: {task: T, effect: {type: log, with: {message: \"${order.nte}\"}}}\n"))
        .hasSize(1)
        .first()
        .asString()
        .startsWith("ERROR");
    assertThat(told(ORDER + "do: [{task: T}, {set: {a: order.customr}}]\n"))
        .hasSize(1)
        .first()
        .asString()
        .startsWith("WARNING");
  }

  @Test
  void fields_that_may_exist_are_not_reported() {
    for (String text :
        List.of(
            "order.customer",
            "order['customer']",
            "ctx.order.customer",
            "order.note.any.thing",
            "order.extra.other",
            "order.lines[0].n.x",
            "has(order.note) ? order.note : 1")) {
      assertThat(told(ORDER + "do: {set: {a: \"" + text + "\"}}\n")).as(text).isEmpty();
    }
    assertThat(told(ORDER + "do: [{set: {order: 1}}, {set: {a: order.customr}}]\n")).isEmpty();
    assertThat(told(ORDER + "context: {order: {}}\ndo: {set: {a: order.customr}}\n")).isEmpty();
  }

  @Test
  void numbers_that_never_are_numbers_are_errors() {
    for (String loop : List.of("\"'a' + string(n)\"", "n > 1", "\"[n]\"", "double(n) * 2.0")) {
      assertThat(told(INPUT + "do: {loop: {count: " + loop + "}, do: {skip: true}}\n"))
          .as(loop)
          .hasSize(1)
          .first()
          .asString()
          .startsWith("ERROR count '")
          .endsWith("use a number");
    }
    assertThat(told(INPUT + "do: {mi: m, count: n > 1, need: \"'a'\", do: {skip: true}}\n"))
        .containsExactly("ERROR count 'n > 1' is always of type bool; use a number or a list");
    assertThat(told(INPUT + "do: {mi: m, count: \"[n, 2]\", need: n + 1, do: {skip: true}}\n"))
        .isEmpty();
  }

  @Test
  void no_scenario_of_the_project_has_an_error() {
    Map<Path, WorkflowDocument> workflows = ScenarioWorkflows.all();

    assertThat(workflows).hasSizeGreaterThan(200);
    workflows.forEach((file, document) ->
        assertThat(DocumentCheck.check(document, Set.of()))
            .as("%s", file)
            .noneMatch(Diagnostic::isError));
  }

  @Test
  void an_input_without_properties_can_still_name_its_keys() {
    String read = "do: {set: {b: foo}}\n";
    assertThat(diagnostics("input: {additionalProperties: false}\n" + read))
        .containsExactly("ERROR do foo");
    assertThat(diagnostics("input: {required: [foo], properties: {n: {}}}\n" + read)).isEmpty();
    assertThat(diagnostics("input: {type: object}\n" + read)).containsExactly("WARNING do foo");
  }

  @Test
  void a_url_that_cannot_be_called_is_an_error() {
    for (String url : List.of("ftp://x/", "not a url", "/orders", "5")) {
      assertThat(diagnostics("do: {task: h, effect: {type: http, with: {url: \"" + url + "\"}}}\n"))
          .hasSize(1)
          .first()
          .asString()
          .startsWith("ERROR do http: 'url' must be a string such as");
    }
    assertThat(
            diagnostics(
                INPUT + "do: {task: h, effect: {type: http, with: {url: \"${n}/orders\"}}}\n"))
        .isEmpty();
  }
}
