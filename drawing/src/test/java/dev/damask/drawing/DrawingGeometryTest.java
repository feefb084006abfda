package dev.damask.drawing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.drawing.Svg.Area;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.term.WorkflowDefinition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What holds for every picture, looked at in generated workflows; the seed is the test's name.
final class DrawingGeometryTest {
  private static final int PER_TEST = 25;

  static LongStream seeds() {
    return LongStream.range(0, 16).map(i -> i * PER_TEST);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void no_two_boxes_overlap(long first) {
    for (long seed = first; seed < first + PER_TEST; seed++) {
      Svg svg = Svg.parse(Drawing.svg(RandomWorkflows.of(seed)));

      assertThat(overlaps(svg.solids())).as("seed %d", seed).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void no_two_texts_overlap(long first) {
    for (long seed = first; seed < first + PER_TEST; seed++) {
      Svg svg = Svg.parse(Drawing.svg(RandomWorkflows.of(seed)));

      assertThat(overlaps(svg.texts())).as("seed %d", seed).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void everything_lies_inside_the_picture(long first) {
    for (long seed = first; seed < first + PER_TEST; seed++) {
      Svg svg = Svg.parse(Drawing.svg(RandomWorkflows.of(seed)));

      assertThat(svg.areas().stream().filter(area -> !area.isInside(svg.view())))
          .as("seed %d", seed)
          .isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void every_term_is_drawn_once_and_every_task_is_named(long first) {
    for (long seed = first; seed < first + PER_TEST; seed++) {
      WorkflowDefinition workflow = RandomWorkflows.of(seed);
      List<String> paths = new ArrayList<>();
      TreeSet<String> names = new TreeSet<>();
      TermWalker.walk(
          TermPath.BODY,
          workflow.body(),
          (path, term) -> {
            paths.add(path.toString());
            if (term instanceof Term.Task task) {
              names.add(task.name());
            }
          });

      Svg svg = Svg.parse(Drawing.svg(workflow));

      assertThat(svg.paths().stream().filter(path -> path.startsWith("do")))
          .as("seed %d", seed)
          .containsExactlyInAnyOrderElementsOf(paths);
      assertThat(names).as("seed %d", seed).allMatch(svg.words()::contains);
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void the_same_workflow_gives_the_same_bytes(long first) {
    for (long seed = first; seed < first + PER_TEST; seed++) {
      String once = Drawing.svg(RandomWorkflows.of(seed));
      String again = Drawing.svg(RandomWorkflows.of(seed));

      assertThat(again).as("seed %d", seed).isEqualTo(once);
    }
  }

  private static List<String> overlaps(List<Area> areas) {
    List<Area> sorted = new ArrayList<>(areas);
    sorted.sort(Comparator.comparingInt(Area::x));
    List<String> found = new ArrayList<>();
    for (int i = 0; i < sorted.size(); i++) {
      Area area = sorted.get(i);
      int end = area.x() + area.width();
      for (int j = i + 1; j < sorted.size() && sorted.get(j).x() < end; j++) {
        if (area.overlaps(sorted.get(j)) && !isWithin(area, sorted.get(j))) {
          found.add(area + " and " + sorted.get(j));
        }
      }
    }
    return found;
  }

  /// The two rings of a race, and an event that sits on the lower edge of a task, belong together.
  private static boolean isWithin(Area one, Area other) {
    boolean areRings = one.isInside(other) || other.isInside(one);
    boolean isAttached = isSmall(one) != isSmall(other);
    return areRings || isAttached;
  }

  private static boolean isSmall(Area area) {
    return area.what().equals("event") && area.width() == 20;
  }
}
