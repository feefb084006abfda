package dev.damask.drawing;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.call;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.definition;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.graph;
import static dev.damask.term.Flow.node;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.otherwise;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.set;
import static dev.damask.term.Flow.to;
import static dev.damask.term.Flow.toAll;
import static dev.damask.term.Flow.when;
import static dev.damask.term.Flow.workflow;
import static dev.damask.term.Flow.xor;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.drawing.Marks.State;
import dev.damask.task.EffectFunction;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.OnExhausted;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.Node;
import dev.damask.term.Schedule;
import dev.damask.term.Schedule.CatchUp;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.EffectSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class DrawingTest {
  private static final EffectFunction SAME = context -> context;

  private static WorkflowDefinition order() {
    return workflow(
        "order",
        par(effect("charge", SAME).undo(SAME), effect("reserve", SAME).undo(SAME)),
        defer(
            on("approved", effect("ship")),
            on("rejected", fail("rejected")),
            after(Duration.ofDays(2), fail("no decision"))));
  }

  @Test
  void the_order_example_shows_its_tasks_events_and_undos() {
    Svg svg = Svg.parse(Drawing.svg(order()));

    assertThat(svg.words())
        .contains("order", "charge", "undo charge", "reserve", "approved", "rejected")
        .contains("after 2d", "ship", "fail: no decision");
    assertThat(svg.group("do.do[0].par[1]").getAttribute("class")).isEqualTo("task effect");
  }

  @Test
  void a_picture_needs_nothing_from_outside_and_runs_nothing() {
    String svg = Drawing.svg(order());

    assertThat(svg).doesNotContain("href", "url(", "@import", "script", "foreignObject", "<!");
    assertThat(svg.replace("http://www.w3.org/2000/svg", "")).doesNotContain("http");
  }

  @Test
  void guards_and_assignments_are_written_where_they_work() {
    Term choice =
        xor(
            when(Guard.named("n > 10", context -> true), set("k", expression("n + 1"))),
            otherwise(effect("B")));

    Svg svg = Svg.parse(Drawing.svg(workflow("w", choice)));

    assertThat(svg.words()).contains("n > 10", "k := n + 1", "else");
  }

  @Test
  void markup_in_names_and_texts_stays_text() {
    String nasty = "</text><script>\"&'x\u0000\u0001\u001b\ud800\uffff\u202e";
    WorkflowDefinition workflow =
        workflow(
            "a<b&c\"d'",
            effect("<b>&amp;"),
            repeatWhile(Guard.named(nasty, context -> true), effect("B")));

    Svg svg = Svg.parse(Drawing.svg(workflow, Marks.NONE.withNote("do[0]", nasty)));

    assertThat(svg.elements("script")).isEmpty();
    assertThat(svg.words()).contains("a<b&c\"d'", "<b>&amp;", "</text><script>\"&'x");
  }

  @Test
  void a_long_text_is_shortened_and_kept_whole_in_a_tooltip() {
    String text = "x".repeat(10_000);
    Term loop = repeatWhile(Guard.named(text, context -> true), effect("B"));

    Svg svg = Svg.parse(Drawing.svg(workflow("w", loop)));

    assertThat(svg.elements("title")).anyMatch(t -> t.getTextContent().endsWith(text));
    assertThat(svg.view().width()).isLessThan(700);
  }

  @Test
  void marks_are_laid_over_the_terms_they_belong_to() {
    Marks marks =
        Marks.NONE
            .withTokens("do.do[0].par[0]", 7)
            .withState("do.do[0].par[0]", State.RUNNING)
            .withState("do.do[0].par[1]", State.FAILED)
            .withNote("do.do[0].par[1]", "out of stock")
            .withStep("do.do[0].par[1]")
            .withStep("do.do[1]");

    Svg svg = Svg.parse(Drawing.svg(order(), marks));

    assertThat(svg.group("do.do[0].par[0]").getAttribute("class")).isEqualTo("task effect running");
    assertThat(svg.group("do.do[0].par[0]").getTextContent()).contains("7");
    assertThat(svg.group("do.do[0].par[1]").getAttribute("class"))
        .isEqualTo("task effect failed way");
    assertThat(svg.group("do.do[1]").getAttribute("class")).isEqualTo("defer way");
    assertThat(svg.words()).contains("out of stock");
  }

  @Test
  void marks_change_nothing_for_workflows_without_such_paths() {
    Marks marks = Marks.NONE.withTokens("do[9]", 1).withStep("do.nowhere");

    assertThat(Drawing.svg(order(), marks)).isEqualTo(Drawing.svg(order()));
  }

  @Test
  void a_schedule_is_a_clock_at_the_start_and_a_line_below() {
    WorkflowDefinition workflow = workflow("w", effect("A"));
    Schedule nightly =
        Schedule.cron("0 2 * * *", "Europe/Berlin")
            .overlap(Schedule.Overlap.QUEUE)
            .catchUp(CatchUp.within(Duration.ofHours(6)));
    Schedule hourly = Schedule.every(Duration.ofHours(1)).catchUp(CatchUp.none());

    String plain = Drawing.svg(workflow);
    String scheduled = Drawing.svg(workflow, Marks.NONE, Theme.AUTO, nightly);

    assertThat(Svg.parse(scheduled).words())
        .contains("schedule: cron 0 2 * * * in Europe/Berlin, overlap queue, catch up within 6h");
    assertThat(scheduled).contains(Glyphs.CLOCK);
    assertThat(plain).doesNotContain(Glyphs.CLOCK, "schedule");
    assertThat(Svg.parse(Drawing.svg(workflow, Marks.NONE, Theme.AUTO, hourly)).words())
        .contains("schedule: every 1h, no catch-up");
  }

  @Test
  void a_task_shows_how_it_is_attempted_and_where_its_result_goes() {
    TaskOptions options =
        TaskOptions.DEFAULT
            .withRetry(
                new Retry(5, Duration.ZERO, 1, 0, Retry.On.ANY, List.of("refused", "closed")))
            .withTimeout(Duration.ofSeconds(30))
            .withOnExhausted(OnExhausted.PARK)
            .withKey(expression("order.id"))
            .withResult("payment");
    Term.Work work = new Term.Work.Effect(_ -> EffectSpec.of("charge"), null);

    Svg svg = Svg.parse(Drawing.svg(workflow("w", new Term.Task("charge", work, options, null))));

    assertThat(svg.words())
        .contains("up to 5 tries · not after refused, closed · timeout 30s · parks")
        .contains("key order.id · result payment");
  }

  @Test
  void definitions_are_drawn_below_with_paths_of_their_own() {
    WorkflowDefinition workflow =
        workflow("w", call("F")).withDefinitions(definition("F", effect("inside")));

    Svg svg = Svg.parse(Drawing.svg(workflow));

    assertThat(svg.group("definitions.F").getTextContent()).contains("inside");
  }

  @Test
  void a_graph_with_a_target_that_does_not_exist_says_so() {
    Term graph = graph(to("p"), node("p", effect("A"), to("q")));

    assertThat(Svg.parse(Drawing.svg(workflow("w", graph))).words()).contains("no node q");
  }

  @Test
  void nodes_are_drawn_in_the_direction_of_the_flow() {
    Term graph =
        graph(
            toAll("p", "q"),
            node("j", new Node.Join.Or(List.of("p", "q"), false), effect("D"), to("end")),
            node("q", effect("B"), to("j")),
            node("p", effect("A"), to("j")));

    Svg svg = Svg.parse(Drawing.svg(workflow("w", graph)));

    assertThat(left(svg, "D")).isGreaterThan(left(svg, "A")).isGreaterThan(left(svg, "B"));
  }

  @Test
  @Timeout(10)
  void terms_nested_very_deep_are_cut_off_and_the_picture_says_so() {
    Term term = effect("innermost");
    for (int i = 0; i < 50_000; i++) {
      term =
          switch (i % 4) {
            case 0 -> repeatWhile(Guard.named("g", context -> true), term);
            case 1 -> par(term, effect("side"));
            case 2 -> new Term.Seq(List.of(effect("first"), term));
            default -> scope("s", term);
          };
    }

    Svg svg = Svg.parse(Drawing.svg(workflow("deep", term), Marks.NONE));

    assertThat(svg.words()).contains("nested too deep to draw").doesNotContain("innermost");
    assertThat(svg.view().width()).isLessThan(3_000);
  }

  @Test
  @Timeout(10)
  void sequences_nested_very_deep_are_cut_off_as_well() {
    Term term = effect("innermost");
    for (int i = 0; i < 50_000; i++) {
      term = new Term.Seq(List.of(effect("t"), term));
    }

    assertThat(Drawing.svg(workflow("deep", term))).contains("nested too deep to draw");
  }

  @Test
  @Timeout(2)
  void two_thousand_tasks_are_drawn_in_time_and_on_a_page_one_can_scroll() {
    List<Term> tasks = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      tasks.add(effect("task " + i));
    }

    Svg svg = Svg.parse(Drawing.svg(workflow("long", new Term.Seq(tasks))));

    assertThat(svg.view().width()).isLessThan(2_000);
    assertThat(svg.words()).contains("task 1999");
  }

  @Test
  @Timeout(5)
  void a_graph_of_two_thousand_nodes_with_far_edges_is_drawn_in_time() {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      String next = i == 1_999 ? "end" : "n" + (i + 1);
      Split split = new Split.And(List.of(next, i % 3 == 0 ? "n0" : "end"));
      nodes.add(node("n" + i, effect("t" + i), split));
    }

    String svg = Drawing.svg(workflow("net", graph(to("n0"), nodes.toArray(Node[]::new))));

    assertThat(svg).contains("t1999");
  }

  private static int left(Svg svg, String text) {
    return svg.texts().stream()
        .filter(area -> area.what().equals("text " + text))
        .findFirst()
        .orElseThrow()
        .x();
  }

  private static Expression expression(String text) {
    return Expression.named(text, context -> 1);
  }
}
