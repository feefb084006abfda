package dev.damask.check;

import static dev.damask.term.Flow.breakOut;
import static dev.damask.term.Flow.call;
import static dev.damask.term.Flow.definition;
import static dev.damask.term.Flow.during;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.emit;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.milestone;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.term.Definition;
import dev.damask.term.InstancePolicy;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What the check finds in breaks, milestones and open sets of instances.
final class NewerFormsCheckTest {
  private static final Term.Task A = effect("A");

  private static List<String> check(WorkflowDefinition workflow) {
    return TermCheck.check(workflow).stream()
        .map(
            diagnostic -> diagnostic.severity() + " " + diagnostic.code() + " " + diagnostic.path())
        .toList();
  }

  private static List<String> check(Term... parts) {
    return check(workflow("w", parts));
  }

  private static WorkflowDefinition with(List<Definition> definitions, Term... parts) {
    WorkflowDefinition plain = workflow("w", parts);
    return new WorkflowDefinition(
        plain.name(),
        plain.version(),
        plain.description(),
        plain.mode(),
        plain.context(),
        plain.places(),
        definitions,
        plain.limits(),
        plain.body());
  }

  @Test
  void a_break_inside_its_scope_its_set_or_anywhere_in_the_case_is_sound() {
    assertThat(check(scope("R", par(A, breakOut("R"))))).isEmpty();
    assertThat(check(instances("m", InstancePolicy.fixed(2), A, breakOut("m")))).isEmpty();
    assertThat(check(A, breakOut("case"))).isEmpty();
  }

  @Test
  void a_break_beside_its_scope_is_an_error() {
    assertThat(check(par(scope("R", A), breakOut("R"))))
        .containsExactly("ERROR BREAK_OUTSIDE do.par[1]");
  }

  @Test
  void a_break_of_a_scope_that_does_not_exist_is_one_error() {
    assertThat(check(scope("Region", A, breakOut("Regoin"))))
        .containsExactly("ERROR UNKNOWN_SCOPE do.do[1]");
  }

  @Test
  void a_handler_and_an_undo_term_stand_outside_of_the_scope_that_ends() {
    Term caught = scope("R", ScopeOptions.catching(breakOut("R")), A);
    Term undone = scope("R", ScopeOptions.undoing(), A.undo(breakOut("R")));

    assertThat(check(caught)).contains("ERROR BREAK_OUTSIDE do.catch");
    assertThat(check(undone)).contains("ERROR BREAK_OUTSIDE do.do.undo");
  }

  @Test
  void a_break_in_a_definition_needs_the_scope_around_every_call() {
    List<Definition> definitions =
        List.of(definition("F", A, call("G")), definition("G", A, breakOut("R")));

    assertThat(check(with(definitions, scope("R", call("F"), call("G"))))).isEmpty();
    assertThat(check(with(definitions, seq(scope("R", call("F")), call("G")))))
        .contains("ERROR BREAK_OUTSIDE definitions.G[1]");
  }

  @Test
  void an_addition_to_a_set_that_is_not_open_is_found() {
    InstancePolicy two = InstancePolicy.fixed(2);

    assertThat(check(instances("m", two, A, emit("m.add"), emit("m.close"))))
        .containsExactly("WARNING NOT_OPEN do.do[1]", "WARNING NOT_OPEN do.do[2]");
    assertThat(check(instances("m", two.openUntilClosed(), A, emit("m.add"), emit("m.close"))))
        .isEmpty();
  }

  @Test
  void a_milestone_marks_its_place_for_a_test_and_not_for_a_take() {
    assertThat(check(par(milestone("m", A), during("m", A)))).isEmpty();
    assertThat(check(par(milestone("m", A), take("m"))))
        .containsExactly("WARNING NEVER_MARKED do.par[1]");
    assertThat(check(during("m", A))).containsExactly("WARNING NEVER_MARKED do");
  }
}
