package dev.damask.exec;

import static dev.damask.exec.Play.everywhere;
import static dev.damask.exec.Play.pure;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.emit;
import static dev.damask.term.Flow.expired;
import static dev.damask.term.Flow.holding;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.kill;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.taking;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.event.Status;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Limits;
import dev.damask.term.Merge;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// What once went wrong with scopes: killing, withdrawing, time-outs, undoing, holding.
final class ScopeRegressionTest {
  private static final ScopeOptions TIMED =
      new ScopeOptions(Duration.ofSeconds(5), pure("late"), pure("caught"), true, null);

  @Test
  void withdrawing_tasks_by_name_counted_a_token_twice_that_the_first_had_taken_along() {
    Term term = join(JoinPolicy.firstN(2), effect("A"), effect("A"));

    everywhere(
        term,
        play -> {
          assertThat(play.kill("A")).isEqualTo("A× join⊘ A×");

          assertThat(play.state.tokens()).isZero();
          assertThat(play.status()).isEqualTo(Status.CANCELLED);
        });
  }

  @Test
  void an_undo_that_killed_its_own_scope_started_again_for_ever() {
    Term undo = seq(pure("ua"), kill("r"), pure("rest"));
    ScopeOptions options = new ScopeOptions(null, null, pure("c"), true, null);
    Term term = scope("r", options, pure("a").undo(undo), effect("B"));
    WorkflowDefinition bounded = workflow("w", term).withLimits(Limits.DEFAULT.withSteps(1_000));

    everywhere(
        bounded,
        play -> {
          assertThat(play.fail("B", "boom")).isEqualTo("B! ua rest");
          assertThat(play.status()).isEqualTo(Status.CANCELLED);
        });
  }

  @Test
  void an_undo_that_killed_the_case_started_again_for_ever() {
    Term undo = seq(pure("ua"), kill("case"), pure("rest"));
    WorkflowDefinition bounded =
        workflow("w", pure("a").undo(undo), effect("B"))
            .withLimits(Limits.DEFAULT.withSteps(1_000));

    everywhere(
        bounded,
        play -> {
          assertThat(play.fail("B", "boom")).isEqualTo("B! ua rest");
          assertThat(play.status()).isEqualTo(Status.FAILED);
        });
  }

  @Test
  void a_time_out_during_the_undo_of_a_failed_scope_replaced_its_handler() {
    Term term = scope("r", TIMED, pure("a").undo(effect("U")), effect("B"));

    everywhere(
        term,
        play -> {
          assertThat(play.fail("B", "boom")).isEqualTo("B! U+");
          assertThat(play.advance(6_000)).isEmpty();
          assertThat(play.done("U")).isEqualTo("U- caught");
          assertThat(play.status()).isEqualTo(Status.COMPLETED);
        });
  }

  @Test
  void a_kill_during_the_undo_of_the_same_scope_withdrew_and_restarted_the_undo() {
    Term term = scope("r", TIMED, pure("a").undo(effect("U")), effect("B"));

    everywhere(
        term,
        play -> {
          assertThat(play.fail("B", "boom")).isEqualTo("B! U+");
          assertThat(play.kill("r")).isEmpty();
          assertThat(play.done("U")).isEqualTo("U-");
          assertThat(play.status()).isEqualTo(Status.CANCELLED);
        });
  }

  @Test
  void emptying_a_scope_that_had_delivered_undid_what_the_flow_went_on_with() {
    Term body = join(JoinPolicy.partial(1), pure("a").undo(pure("ua")), effect("B"));
    Term term = seq(scope("s", ScopeOptions.undoing(), body), effect("C"));

    everywhere(
        term,
        play -> {
          assertThat(play.see()).isEqualTo("a B+ C+");
          assertThat(play.kill("s")).isEqualTo("B×");
          assertThat(play.fail("C", "boom")).isEqualTo("C! ua");
        });
  }

  @Test
  void a_join_of_all_branches_with_rest_cancel_left_the_others_running_when_given_up() {
    JoinPolicy policy =
        new JoinPolicy(
            new JoinPolicy.Need.All(),
            JoinPolicy.Rest.CANCEL,
            JoinPolicy.Shortage.ABORT,
            Merge.Standard.LAST);

    everywhere(
        join(policy, scope("r", effect("A")), effect("B")),
        play -> {
          assertThat(play.kill("r")).isEqualTo("A× join⊘ B×");
          assertThat(play.status()).isEqualTo(Status.CANCELLED);
        });
  }

  @Test
  void a_wait_expired_although_the_time_out_of_a_scope_would_have_marked_its_place() {
    ScopeOptions options = new ScopeOptions(Duration.ofSeconds(5), emit("q"), null, false, null);
    Term term =
        par(
            scope("r", options, take("w")),
            defer(taking("q", pure("got")), expired(pure("expired"))));

    everywhere(
        term,
        play -> {
          assertThat(play.see()).isEmpty();
          assertThat(play.advance(6_000)).isEqualTo("got");
        });
  }

  @Test
  void a_transient_place_kept_the_token_that_a_scope_gave_back() {
    WorkflowDefinition held =
        workflow("w", holding("h", "t", effect("A")), effect("B")).withPlaces(Place.trigger("t"));

    everywhere(
        held,
        play -> {
          assertThat(play.signal("t")).isEqualTo("A+");
          assertThat(play.done("A")).isEqualTo("A- B+");
          assertThat(play.onPlace("t")).isZero();
        });
  }
}
