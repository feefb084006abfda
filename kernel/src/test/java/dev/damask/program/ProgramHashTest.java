package dev.damask.program;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.always;
import static dev.damask.term.Flow.complete;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.emit;
import static dev.damask.term.Flow.holding;
import static dev.damask.term.Flow.instances;
import static dev.damask.term.Flow.join;
import static dev.damask.term.Flow.kill;
import static dev.damask.term.Flow.otherwise;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.taking;
import static dev.damask.term.Flow.testing;
import static dev.damask.term.Flow.when;
import static dev.damask.term.Flow.workflow;
import static dev.damask.term.Flow.xor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.compile.Compiler;
import dev.damask.task.Delivery;
import dev.damask.task.Guard;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Limits;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class ProgramHashTest {
  private static ProgramHash hash(WorkflowDefinition workflow) {
    return Compiler.compile(workflow).hash();
  }

  private static Guard guard(String text) {
    return Guard.named(text, context -> true);
  }

  private static Term policy(JoinPolicy.Need need, JoinPolicy.Rest rest, Merge merge) {
    JoinPolicy policy = new JoinPolicy(need, rest, JoinPolicy.Shortage.ABORT, merge);
    return join(policy, effect("A"), effect("B"));
  }

  private static ScopeOptions options(boolean undo, List<String> allow) {
    return new ScopeOptions(Duration.ofSeconds(1), null, skip(), undo, allow);
  }

  @Test
  void differs_wherever_anything_that_matters_differs() {
    TaskOptions plain = TaskOptions.DEFAULT;
    List<Term> terms =
        List.of(
            effect("A"),
            effect("B"),
            effect("A").timeout(Duration.ofSeconds(1)),
            effect("A").retry(Retry.exponential(3)),
            effect("A").retry(Retry.exponential(4)),
            effect("A").result("k"),
            effect("A").key(dev.damask.task.Expression.constant(1)),
            effect("A").with(plain.withDelivery(Delivery.READ)),
            effect("A").with(plain.withCost(BigDecimal.ONE)),
            seq(effect("A"), effect("B")),
            seq(effect("B"), effect("A")),
            par(effect("A"), effect("B")),
            policy(new JoinPolicy.Need.All(), JoinPolicy.Rest.CANCEL, Merge.Standard.LAST),
            policy(new JoinPolicy.Need.Count(1), JoinPolicy.Rest.CANCEL, Merge.Standard.LAST),
            policy(new JoinPolicy.Need.Count(1), JoinPolicy.Rest.DRAIN, Merge.Standard.LAST),
            policy(new JoinPolicy.Need.Count(2), JoinPolicy.Rest.DRAIN, Merge.Standard.LAST),
            policy(new JoinPolicy.Need.Count(2), JoinPolicy.Rest.DRAIN, Merge.Standard.FIRST),
            policy(new JoinPolicy.Need.Sync(), JoinPolicy.Rest.DRAIN, Merge.Standard.LAST),
            join(JoinPolicy.partial(1), always(effect("A")), otherwise(effect("B"))),
            xor(when(guard("g"), effect("A")), otherwise(effect("B"))),
            xor(when(guard("h"), effect("A")), otherwise(effect("B"))),
            repeat(1, effect("A")),
            repeat(2, effect("A")),
            scope("r", effect("A")),
            scope("s", effect("A")),
            scope("s", options(false, List.of("x")), effect("A")),
            scope("s", options(true, List.of("x")), effect("A")),
            scope("s", options(true, List.of("y")), effect("A")),
            holding("s", "p", effect("A")),
            instances("m", InstancePolicy.fixed(2), effect("A")),
            instances("m", InstancePolicy.fixed(2).opened(), effect("A")),
            instances("m", InstancePolicy.fixed(2).need(1), effect("A")),
            instances("m", InstancePolicy.fixed(2).collect("k"), effect("A")),
            instances("m", InstancePolicy.fixed(2).between(1, 4), effect("A")),
            instances("m", InstancePolicy.fixed(2).rest(JoinPolicy.Rest.CANCEL), effect("A")),
            defer(taking("p", effect("A"))),
            defer(testing("p", effect("A"))),
            defer(after(Duration.ofSeconds(1), effect("A"))),
            defer(after(Duration.ofSeconds(2), effect("A"))),
            emit("p"),
            emit("q"),
            kill("case"),
            complete("case"));
    TreeMap<String, Term> seen = new TreeMap<>();

    for (Term term : terms) {
      Term before = seen.put(hash(workflow("w", term)).toString(), term);
      assertThat(before).as("the same hash as %s", term).isNull();
    }
  }

  @Test
  void counts_name_mode_context_limits_and_places() {
    WorkflowDefinition plain = workflow("w", effect("A"));

    assertThat(hash(plain))
        .isEqualTo(hash(workflow("w", effect("A"))))
        .isNotEqualTo(hash(workflow("v", effect("A"))))
        .isNotEqualTo(hash(plain.withMode(Mode.EXPLICIT)))
        .isNotEqualTo(hash(plain.withContext(Context.of("k", 1))))
        .isNotEqualTo(hash(plain.withLimits(Limits.DEFAULT.withSteps(5))))
        .isNotEqualTo(hash(plain.withPlaces(Place.external("p"))));
  }

  @Test
  void functions_and_guards_of_java_count_by_name_alone() {
    Guard one = Guard.named("paid", context -> true);
    Guard other = Guard.named("paid", context -> context.has("paid"));

    assertThat(hash(workflow("w", xor(when(one, effect("A")), otherwise(skip())))))
        .isEqualTo(hash(workflow("w", xor(when(other, effect("A")), otherwise(skip())))));
    assertThat(hash(workflow("w", dev.damask.term.Flow.task("t", context -> context))))
        .isEqualTo(hash(workflow("w", dev.damask.term.Flow.task("t", c -> c.with("k", 1)))));
  }

  @Test
  void a_task_named_like_another_with_its_options_had_the_same_hash() {
    assertThat(hash(workflow("w", effect("A timeout=PT1S"))))
        .isNotEqualTo(hash(workflow("w", effect("A").timeout(Duration.ofSeconds(1)))));
  }

  @Test
  void is_written_in_32_hex_digits_and_read_back() {
    ProgramHash hash = hash(workflow("w", effect("A")));

    assertThat(hash.toString()).matches("[0-9a-f]{32}");
    assertThat(ProgramHash.parse(hash.toString())).isEqualTo(hash);
    assertThatThrownBy(() -> ProgramHash.parse("ab"))
        .hasMessage("a program hash has 32 hex digits, got ab");
  }
}
