package dev.damask.drawing;

import static dev.damask.term.Flow.arc;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.graph;
import static dev.damask.term.Flow.node;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.otherwise;
import static dev.damask.term.Flow.otherwiseTo;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.to;
import static dev.damask.term.Flow.toFirst;
import static dev.damask.term.Flow.when;
import static dev.damask.term.Flow.workflow;
import static dev.damask.term.Flow.xor;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.drawing.Marks.State;
import dev.damask.task.Guard;
import dev.damask.term.Node;
import dev.damask.term.WorkflowDefinition;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

/// What is laid over a picture: where it stands, and that it hides nothing.
final class MarksTest {
  private static final WorkflowDefinition ORDER =
      workflow(
          "order",
          par(effect("charge"), effect("reserve")),
          defer(on("approved", effect("ship")), on("rejected", effect("tell"))));

  @Test
  void numbers_are_those_that_are_given_and_steps_without_one_are_highlighted() {
    Marks marks = Marks.NONE.withStep("do[0].par[0]", 0).withStep("do[0].par[1]", 12);

    Svg svg = Svg.parse(Drawing.svg(ORDER, marks));

    assertThat(svg.group("do[0].par[0]").getAttribute("class")).endsWith("way");
    assertThat(svg.group("do[0].par[1]").getTextContent()).contains("12");
    assertThat(svg.elements("text"))
        .filteredOn(text -> text.getAttribute("class").equals("step-text"))
        .hasSize(1);
  }

  @Test
  void a_long_note_is_broken_into_lines_and_never_cut() {
    String note = "the case is cancelled because a join gets fewer branches than it needs here";

    Svg svg = Svg.parse(Drawing.svg(ORDER, Marks.NONE.withNote("do[0].par[0]", note)));

    assertThat(
            svg.elements("text").stream()
                .filter(text -> text.getAttribute("class").equals("note"))
                .map(Element::getTextContent)
                .toList())
        .hasSizeGreaterThan(1)
        .satisfies(lines -> assertThat(String.join(" ", lines)).isEqualTo(note));
  }

  private static WorkflowDefinition graphed() {
    return workflow(
        "g",
        graph(
            toFirst(arc(Guard.named("x == 1", c -> true), "p"), otherwiseTo("q")),
            node("p", effect("P"), to("j")),
            node("q", effect("quite a long name"), to("j")),
            node("j", new Node.Join.And(Map.of("p", 1, "q", 1), false), effect("J"), to("end"))));
  }

  private static final Marks DEADLOCK =
      Marks.NONE
          .withStep("do.graph.start", 1)
          .withArc("do", "start", "p")
          .withStep("do.graph.nodes.p.do", 2)
          .withStep("do.graph.nodes.p.do", 3)
          .withArc("do", "p", "j")
          .withTokens("do.graph.nodes.j", 1)
          .withState("do.graph.nodes.j", State.FAILED)
          .withNote("do.graph.nodes.j", "the case stands still for good");

  @Test
  void taken_arcs_are_highlighted_and_a_stuck_join_is_marked_at_its_bar() {
    Svg plain = Svg.parse(Drawing.svg(graphed()));
    Svg svg = Svg.parse(Drawing.svg(graphed(), DEADLOCK));

    assertThat(plain.elements("path")).noneMatch(path -> isOf(path, "taken"));
    // Two arcs, each with the stub at its split or join.
    assertThat(svg.elements("path")).filteredOn(path -> isOf(path, "taken")).hasSize(4);
    Svg.Area bar =
        svg.areas().stream()
            .filter(area -> area.what().equals("bar stuck"))
            .findFirst()
            .orElseThrow();
    Svg.Area token =
        svg.areas().stream().filter(area -> area.what().equals("token")).findFirst().orElseThrow();
    assertThat(Math.abs(token.x() - bar.x())).isLessThan(40);
    assertThat(token.y() + token.height()).isLessThanOrEqualTo(bar.y());
  }

  private static boolean isOf(Element element, String style) {
    return element.getAttribute("class").equals(style);
  }

  private static final String LONG = "combine_everything_that_has_arrived";

  private static WorkflowDefinition longJoin() {
    Node.Join join = new Node.Join.And(Map.of("p", 1, "q", 1), false);
    return workflow(
        "g",
        graph(
            toFirst(arc(Guard.named("x == 1", c -> true), "p"), otherwiseTo("q")),
            node("p", effect("P"), to(LONG)),
            node("q", effect("Q"), to(LONG)),
            node(LONG, join, effect("ship"), to("end"))));
  }

  private static final Marks LONG_DEADLOCK =
      Marks.NONE
          .withTokens("do.graph.nodes." + LONG, 1)
          .withState("do.graph.nodes." + LONG, State.FAILED);

  @Test
  void the_way_has_no_gaps() {
    WorkflowDefinition workflow =
        workflow(
            "w",
            scope("R", xor(when(Guard.named("x", c -> true), effect("A")), otherwise(effect("B")))),
            effect("C"));
    Marks marks =
        Marks.NONE
            .withStep("do[0].do", 1)
            .withStep("do[0].do.xor[0]", 2)
            .withNote("do[0].do.xor[0]", "a note that is wider than the task")
            .withStep("do[1]", 3);

    Svg svg = Svg.parse(Drawing.svg(workflow, marks));

    // The ways into and out of the other branch, and the way to the end.
    assertThat(svg.elements("path")).filteredOn(path -> isOf(path, "rail")).hasSize(3);
  }

  @Test
  void runs_of_numbers_are_ranges() {
    Marks marks = Marks.NONE;
    for (int number : new int[] {1, 2, 3, 4, 6, 7, 9}) {
      marks = marks.withStep("do[0].par[0]", number);
    }

    Svg svg = Svg.parse(Drawing.svg(ORDER, marks));

    assertThat(svg.group("do[0].par[0]").getTextContent()).contains("1–4,6,7,9");
  }

  @Test
  void badges_cover_no_label() {
    Marks nested =
        Marks.NONE
            .withStep("do[0].par[0]", 1)
            .withTokens("do[0].par[0]", 3)
            .withState("do[0].par[0]", State.WAITING)
            .withStep("do[0]", 2)
            .withStep("do[1]", 3)
            .withStep("do", 4);
    for (Svg svg :
        new Svg[] {
          Svg.parse(Drawing.svg(graphed(), DEADLOCK)),
          Svg.parse(Drawing.svg(longJoin(), LONG_DEADLOCK)),
          Svg.parse(Drawing.svg(ORDER, nested))
        }) {
      for (Svg.Area badge : svg.areas()) {
        boolean isBadge =
            badge.what().equals("token")
                || badge.what().equals("step")
                || badge.what().startsWith("state ");
        for (Svg.Area text : isBadge ? svg.texts() : List.<Svg.Area>of()) {
          boolean isOwn = text.what().matches("text [0-9,–…]+");
          assertThat(badge.overlaps(text) && !isOwn).as(badge + " over " + text).isFalse();
        }
      }
    }
  }
}
