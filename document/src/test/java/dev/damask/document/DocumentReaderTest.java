package dev.damask.document;

import static dev.damask.term.Flow.breakOut;
import static dev.damask.term.Flow.during;
import static dev.damask.term.Flow.emit;
import static dev.damask.term.Flow.milestone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.json.JsonLimits;
import dev.damask.json.Position;
import dev.damask.task.Delivery;
import dev.damask.task.Retry;
import dev.damask.task.Secrets;
import dev.damask.term.Alternative;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class DocumentReaderTest {
  private static WorkflowDocument read(String text) {
    return new DocumentReader().read("", text);
  }

  /// The body of a workflow that consists of this term.
  private static Term term(String text) {
    return read("workflow: w\ndo: " + text).workflow().body();
  }

  private static Term.Task task(String text) {
    return (Term.Task) term(text);
  }

  @Test
  void a_whole_document_becomes_a_workflow() {
    WorkflowDocument document =
        read(
            """
            workflow: order
            version: "3"
            description: Sells things.
            mode: explicit
            context: {n: 0, price: 1.5, big: 123456789012345678901234567890}
            places:
              approved: {external: true, lifetime: transient}
              mutex: {init: 1}
            definitions:
              F: {task: A}
              G: {places: {p: {init: 2}}, do: [{take: p}]}
            limits: {callDepth: 5, steps: 1000, quantum: 50, time: PT1H}
            assert:
              - neverBefore: [B, A]
              - atMostOnce: A
              - leadsTo: [A, B]
              - neverTogether: [A, B]
              - mayEnd: [failed]
            do:
              - task: A
              - call: F
            """);

    assertThat(document.workflow().name()).isEqualTo("order");
    assertThat(document.workflow().version()).isEqualTo("3");
    assertThat(document.workflow().mode()).isEqualTo(Mode.EXPLICIT);
    assertThat(document.workflow().context().get("big"))
        .isEqualTo(new BigDecimal("123456789012345678901234567890"));
    assertThat(document.workflow().places())
        .containsExactly(Place.trigger("approved"), Place.mutex("mutex"));
    assertThat(document.workflow().definitions().getLast().places())
        .containsExactly(new Place("p", false, Place.Lifetime.PERSISTENT, 2));
    assertThat(document.workflow().limits().callDepth()).isEqualTo(5);
    assertThat(document.workflow().limits().steps()).isEqualTo(1_000L);
    assertThat(document.runLimits()).isEqualTo(new RunLimits(50, Duration.ofHours(1)));
    assertThat(document.assertions())
        .containsExactly(
            new DocumentAssertion.NeverBefore("B", "A"),
            new DocumentAssertion.AtMostOnce("A"),
            new DocumentAssertion.LeadsTo("A", "B"),
            new DocumentAssertion.NeverTogether("A", "B"),
            new DocumentAssertion.MayEnd(List.of("failed")));
    assertThat(document.positions())
        .containsEntry("do[1]", new Position(21, 5))
        .containsEntry("definitions.F", new Position(10, 6));
  }

  @Test
  void every_term_has_a_position_under_the_path_the_kernel_gives_it() {
    Map<Path, WorkflowDocument> workflows = ScenarioWorkflows.all();

    assertThat(workflows).hasSizeGreaterThan(200);
    workflows.forEach((file, document) ->
        dev.damask.term.TermWalker.walk(
            dev.damask.term.TermPath.BODY,
            document.workflow().body(),
            (path, term) ->
                assertThat(document.positionOf(path)).as("%s in %s", path, file).isPresent()));
  }

  @Test
  void a_task_keeps_everything_said_about_it() {
    Term.Task task =
        task(
            """
            {task: pay, key: order, delivery: atMostOnce, timeout: 1.5, result: receipt, cost: 2.50,
              retry: {max: 3, delay: PT1S, backoff: 3, jitter: 0.5, on: notSent},
              description: Pays., undo: {task: refund}}
            """);

    assertThat(task.options().delivery()).isEqualTo(Delivery.AT_MOST_ONCE);
    assertThat(task.options().timeout()).isEqualTo(Duration.ofMillis(1_500));
    assertThat(task.options().retry())
        .isEqualTo(new Retry(3, Duration.ofSeconds(1), 3, 0.5).onNotSent());
    assertThat(task.options().result()).isEqualTo("receipt");
    assertThat(task.options().cost()).isEqualByComparingTo("2.5");
    assertThat(task.undo()).isInstanceOf(Term.Task.class);
  }

  @Test
  void an_effect_in_the_transaction_of_its_case_is_delivered_exactly_once() {
    Term.Task task = task("{task: pay, delivery: exactlyOnce}");

    assertThat(task.options().delivery()).isEqualTo(Delivery.EXACTLY_ONCE);
  }

  @Test
  void a_payload_is_filled_from_the_context_and_keeps_types_and_secrets() {
    Term.Task task =
        task(
            """
            {task: call, effect: {type: http, with: {url: "https://x/${id}/${a + 1}", n: "${a + 1}",
              auth: "Bearer ${secret.TOKEN}", deep: [{k: "${list}"}], t: "${list}!"}}}
            """);
    Context context = Context.of("id", "7${secret.TOKEN}", "a", 1).with("list", List.of("x", 2));

    EffectSpec spec = ((Term.Work.Effect) task.work()).template().specFor(context);

    assertThat(spec.type()).isEqualTo("http");
    assertThat(spec.with().get("url")).isEqualTo("https://x/7${{secret.TOKEN}/2");
    assertThat(spec.with().get("n")).isEqualTo(2L);
    assertThat(spec.with().get("auth")).isEqualTo("Bearer ${secret.TOKEN}");
    assertThat(spec.with().get("deep")).isEqualTo(List.of(Map.of("k", List.of("x", 2L))));
    assertThat(spec.with().get("t")).isEqualTo("[\"x\",2]!");
    assertThat(Secrets.fill(spec.with().get("auth"), name -> name.equals("TOKEN") ? "s3" : "?"))
        .isEqualTo("Bearer s3");
    assertThat(Secrets.fill(spec.with().get("url"), name -> "stolen"))
        .isEqualTo("https://x/7${secret.TOKEN}/2");
  }

  @Test
  void data_cannot_complete_a_marker_that_a_template_begins() {
    Term.Task task = task("{task: a, effect: {with: {t: \"cost $${amount}\"}}}");

    EffectSpec spec =
        ((Term.Work.Effect) task.work()).template().specFor(Context.of("amount", "{secret.X}"));

    assertThat(Secrets.fill(spec.with().get("t"), name -> "stolen")).isEqualTo("cost ${secret.X}");
  }

  @Test
  void a_pure_task_computes_all_its_keys_from_the_same_context() {
    Term.Task task = task("{task: swap, set: {b: a, a: b, c: 1}}");
    Term.Work.Pure work = (Term.Work.Pure) task.work();

    assertThat(work.text()).isEqualTo("a:=b;b:=a;c:=1");
    assertThat(work.function().run(Context.of("a", 1, "b", 2)))
        .isEqualTo(Context.of("a", 2, "b", 1).with("c", 1));
  }

  @Test
  void a_registered_function_runs_in_the_machine() {
    DocumentReader reader =
        new DocumentReader(JsonLimits.DEFAULT, Map.of("double", context -> context.with("x", 2)));

    Term.Task task =
        (Term.Task) reader.read("", "{workflow: w, do: {task: double}}").workflow().body();

    assertThat(task.work()).isInstanceOf(Term.Work.Pure.class);
    assertThatThrownBy(() -> reader.read("", "{workflow: w, do: {task: double, retry: {max: 2}}}"))
        .hasMessage("line 1:41: do.retry: 'retry' is allowed only in an effect; this task is pure");
  }

  @Test
  void joins_take_parameters_or_the_name_of_a_policy() {
    String branches = ", branches: [{task: A}, {when: a == 1, do: {task: B}}, {else: {task: C}}]}";

    assertThat(((Term.Join) term("{join: {need: sync}" + branches)).policy())
        .isEqualTo(JoinPolicy.syncMerge());
    assertThat(((Term.Join) term("{join: {policy: {n_of_m: [2, 3]}}" + branches)).policy())
        .isEqualTo(JoinPolicy.firstN(2));
    assertThat(((Term.Join) term("{join: {policy: first_complete}" + branches)).policy())
        .isEqualTo(JoinPolicy.firstComplete());
    assertThat(((Term.Join) term("{join: {need: 1, short: shrink}" + branches)).policy())
        .isEqualTo(
            new JoinPolicy(
                new JoinPolicy.Need.Count(1),
                JoinPolicy.Rest.DRAIN,
                JoinPolicy.Shortage.SHRINK,
                dev.damask.term.Merge.Standard.LAST));
    assertThatThrownBy(() -> term("{join: {policy: {n_of_m: [2, 4]}}" + branches))
        .hasMessage(
            "line 2:30: do.join.policy.n_of_m: expected [n, m], where m is the number of"
                + " branches, 3, found [2, 4]");
  }

  @Test
  void waits_take_places_times_and_the_end_of_hope() {
    Term.Defer defer =
        (Term.Defer)
            term(
                "{defer: [{take: [p, q], do: {task: A}}, {test: r, do: {task: B}},"
                    + " {after: 0.5, do: {task: C}}, {expired: {skip: true}}]}");

    assertThat(defer.alternatives().get(0)).isInstanceOf(Alternative.Take.class);
    assertThat(((Alternative.Take) defer.alternatives().get(0)).places()).containsExactly("p", "q");
    assertThat(((Alternative.After) defer.alternatives().get(2)).duration())
        .isEqualTo(Duration.ofMillis(500));
    assertThat(defer.alternatives().get(3)).isInstanceOf(Alternative.Expired.class);
  }

  @Test
  void the_need_of_instances_is_all_a_number_or_a_condition() {
    String rest = ", count: 3, do: {task: A}}";

    assertThat(need("{mi: m, need: all" + rest)).isInstanceOf(InstancePolicy.Need.All.class);
    assertThat(need("{mi: m, need: 2" + rest)).isInstanceOf(InstancePolicy.Need.Count.class);
    assertThat(need("{mi: m, need: n - 1" + rest)).isInstanceOf(InstancePolicy.Need.Count.class);
    assertThat(need("{mi: m, need: done >= 2" + rest)).isInstanceOf(InstancePolicy.Need.When.class);
    assertThat(need("{mi: m, need: done >= n" + rest)).isInstanceOf(InstancePolicy.Need.When.class);
  }

  @Test
  void milestones_gates_and_breaks_are_short_for_kernel_forms() {
    assertThat(term("{milestone: m, do: {emit: p}}")).isEqualTo(milestone("m", emit("p")));
    assertThat(term("{during: m, do: {emit: p}, else: {emit: q}}"))
        .isEqualTo(during("m", emit("p"), emit("q")));
    assertThat(((Term.Defer) term("{during: m, do: {emit: p}}")).alternatives()).hasSize(2);
    assertThat(term("{break: R}")).isEqualTo(breakOut("R"));
    assertThat(((Term.Mi) term("{mi: m, count: 0, open: untilClosed, do: {emit: p}}")).policy())
        .returns(InstancePolicy.Open.UNTIL_CLOSED, InstancePolicy::open);
    assertThat(term("{par: [{emit: p}, {emit: q}], merge: {collect: [a, b]}}"))
        .isEqualTo(new Term.Par(List.of(emit("p"), emit("q")), Merge.collect("a", "b")));
  }

  private static InstancePolicy.Need need(String text) {
    return ((Term.Mi) term(text)).policy().need();
  }

  @Test
  void graphs_have_all_splits_and_joins() {
    Term.Graph graph =
        (Term.Graph)
            term(
                """
                {graph: {mode: explicit, merge: overlay, start: {and: [a, b]}, nodes: {
                  a: {do: {task: A}, then: {xor: [{when: x == 1, to: c}, {else: end}]}},
                  b: {then: {copies: 3, to: c}},
                  c: {join: {and: {a: 1, b: 2}, short: abort}, then: {or: [{when: y, to: d}]}},
                  d: {join: {kof: 2, from: [a, b], block: true}, then: e},
                  e: {join: {kof: 1, from: [a, b], cancel: [d]}, then: f},
                  f: {join: {or: [a, e]}, then: end}}}}
                """);

    assertThat(graph.start()).isEqualTo(new Split.And(List.of("a", "b")));
    assertThat(graph.nodes().get(1).then()).isEqualTo(new Split.Copies(3, "c"));
    assertThat(graph.nodes().get(2).join())
        .isEqualTo(new Node.Join.And(Map.of("a", 1, "b", 2), true));
    assertThat(graph.nodes().get(3).join())
        .isEqualTo(new Node.Join.Blocking(2, List.of("a", "b"), false));
    assertThat(graph.nodes().get(4).join())
        .isEqualTo(new Node.Join.Cancelling(1, List.of("a", "b"), List.of("d"), false));
    assertThat(graph.nodes().get(5).join()).isEqualTo(new Node.Join.Or(List.of("a", "e"), false));
  }

  @Test
  void yaml_and_json_give_the_same_tree() {
    JsonLimits limits = JsonLimits.DEFAULT;
    String yaml = "a: [1, 1.5, yes, null, ~, true, '2', 0x1F, -3, 1e3]\nb:\n  c: |\n    x\n    y\n";
    String json =
        "{\"a\": [1, 1.5, \"yes\", null, null, true, \"2\", 31, -3, 1e3], \"b\": {\"c\":"
            + " \"x\\ny\\n\"}}";

    assertThat(FieldReader.value(DocumentTree.read("", yaml, limits)))
        .isEqualTo(FieldReader.value(DocumentTree.read("", json, limits)));
  }

  @Test
  void the_input_schema_says_what_is_wrong_with_a_start() {
    WorkflowDocument document =
        read(
            "{workflow: w, do: {skip: true}, input: {type: object, required: [n], properties:"
                + " {n: {type: integer, minimum: 1}, s: {pattern: '^(a+)+$'}}}}");

    assertThat(document.input().problems(Context.of("n", 1))).isEmpty();
    assertThat(document.input().problems(Context.of("n", 0)))
        .containsExactly("/n: must have a minimum value of 1");
    assertThat(document.input().problems(Context.empty()))
        .containsExactly("the context: required property 'n' not found");
    assertThat(document.input().problems(Context.of("n", 1, "s", "a".repeat(50_000) + "b")))
        .hasSize(1);
    assertThatThrownBy(() -> read("{workflow: w, do: {skip: true}, input: {type: 5}}"))
        .isInstanceOf(DocumentProblem.class)
        .hasMessageStartingWith("line 1:40: input: not a valid JSON Schema: /type: ");
  }

  @Test
  void schemas_of_payloads_and_results_say_what_is_wrong_with_data_from_outside() {
    WorkflowDocument document =
        read(
            "{workflow: w, places: {answered: {external: true, input: {type: object, required:"
                + " [grade], properties: {grade: {type: integer}}}}}, do: [{take: answered}, {task:"
                + " rate, output: {properties: {score: {type: number}}}}, {task: tell}]}");

    var payload = Objects.requireNonNull(document.workflow().declared().payloads().get("answered"));
    assertThat(payload.apply(Context.of("grade", 1))).isEmpty();
    assertThat(payload.apply(Context.empty()))
        .containsExactly("the payload: required property 'grade' not found");
    assertThat(document.results()).containsOnlyKeys("rate");
    InputSchema result = Objects.requireNonNull(document.results().get("rate"));
    assertThat(result.problems(Context.of("score", "many")))
        .containsExactly("/score: string found, number expected");
  }

  @Test
  void a_schema_of_a_result_is_not_a_part_of_the_program() {
    String plain = "{workflow: w, do: {task: rate}}";
    String checked = "{workflow: w, do: {task: rate, output: {required: [score]}}}";

    assertThat(LoadedDocument.compile("w", read(checked)).hash())
        .isEqualTo(LoadedDocument.compile("w", read(plain)).hash());
  }

  @Test
  void schemas_that_cannot_hold_are_refused_at_their_place() {
    assertThatThrownBy(
            () -> read("{workflow: w, places: {p: {input: {type: object}}}, do: {take: p}}"))
        .isInstanceOf(DocumentProblem.class)
        .hasMessageContaining("'input' is allowed only on an external place");
    assertThatThrownBy(() -> read("{workflow: w, do: {task: a, output: {type: 5}}}"))
        .isInstanceOf(DocumentProblem.class)
        .hasMessageContaining("not a valid JSON Schema");
    assertThatThrownBy(() -> read("{workflow: w, do: {task: a, set: {}, output: {}}}"))
        .isInstanceOf(DocumentProblem.class)
        .hasMessageContaining("'output' is allowed only in an effect");
  }
}
