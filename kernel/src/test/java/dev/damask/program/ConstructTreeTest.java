package dev.damask.program;

import static dev.damask.term.Flow.call;
import static dev.damask.term.Flow.definition;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.compile.Compiler;
import dev.damask.program.ConstructTree.Construct;
import dev.damask.program.ConstructTree.Place;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class ConstructTreeTest {
  private final Program program =
      Compiler.compile(
          workflow(
                  "w",
                  effect("first"),
                  repeat(2, effect("round")),
                  scope("s", repeat(3, effect("inside"))),
                  par(effect("left"), effect("right")),
                  call("d"))
              .withDefinitions(definition("d", effect("called").undo(effect("revert")))));

  private final ConstructTree tree = program.constructs();

  private Construct task(String name) {
    for (int i = 0; i < program.pools().tasks().length; i++) {
      if (program.pools().tasks()[i].name().equals(name)) {
        return tree.task(i);
      }
    }
    throw new AssertionError("no task " + name);
  }

  @Test
  void every_task_has_its_kind_of_frame() {
    TreeMap<String, Place> places = new TreeMap<>();
    for (Pool.Task task : program.pools().tasks()) {
      places.put(task.name(), task(task.name()).home().place());
    }

    assertThat(places)
        .containsEntry("first", Place.CASE)
        .containsEntry("revert", Place.UNDO)
        .containsEntry("round", Place.CASE)
        .containsEntry("inside", Place.REGION)
        .containsEntry("left", Place.BRANCH)
        .containsEntry("right", Place.BRANCH)
        .containsEntry("called", Place.DEFINITION)
        .hasSize(7);
    assertThat(task("right").home().index()).isEqualTo(1);
    assertThat(task("revert").home().index()).isEqualTo(task("called").operand());
  }

  @Test
  void loops_that_count_are_counted() {
    assertThat(task("first").slots()).isZero();
    assertThat(task("round").slots()).isEqualTo(1);
    assertThat(task("inside").slots()).isEqualTo(1);
    assertThat(task("left").slots()).isZero();
  }

  @Test
  void every_instruction_has_the_construct_of_its_source() {
    int[] code = program.raw().code();
    for (int at = 0; at < code.length; at += Code.length(code[at])) {
      Construct construct = tree.at(at);

      assertThat(construct.path()).isSameAs(program.source().at(at));
      assertThat(construct.operation()).isEqualTo(code[construct.address()]);
    }
  }

  @Test
  void no_construct_begins_inside_an_instruction() {
    assertThatThrownBy(() -> tree.at(task("round").address() + 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no instruction begins at");
  }
}
