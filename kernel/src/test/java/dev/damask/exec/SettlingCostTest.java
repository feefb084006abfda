package dev.damask.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.Input;
import dev.damask.event.Status;
import dev.damask.event.TokenId;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.term.Flow;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Limits;
import dev.damask.term.Mode;
import dev.damask.term.Node;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What it costs to decide what can still come, counted in arcs and instructions looked at.
final class SettlingCostTest {
  /// A chain of nodes that leads to a join, and a short way to the same join.
  private static Term graph(int length, Node.Join join) {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      String next = i + 1 < length ? "n" + (i + 1) : "j";
      nodes.add(Flow.node("n" + i, Flow.effect("A"), Flow.to(next)));
    }
    nodes.add(Flow.node("q", Flow.skip(), Flow.to("j")));
    nodes.add(Flow.node("j", join, Flow.skip(), Flow.to("end")));
    return Flow.graph(new Split.And(List.of("n0", "q")), nodes.toArray(Node[]::new));
  }

  /// Completes the waiting tasks one after another and counts the analysis per event.
  private static double workPerEvent(Term term) {
    Program program = Compiler.compile(Flow.workflow("settle", term));
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    ExecState state = machine.start(Context.empty(), 0);
    machine.run(state, Integer.MAX_VALUE);
    int events = 0;
    while (!state.pendingEffects().isEmpty()) {
      TokenId token = state.pendingEffects().getFirst().token();
      machine.apply(state, new Input.TaskDone(token, Context.empty()));
      machine.run(state, Integer.MAX_VALUE);
      events++;
    }
    assertThat(state.status()).isEqualTo(Status.COMPLETED);
    return (double) state.analysed / events;
  }

  @Test
  void with_one_waiting_or_join_the_work_per_event_grows_linearly_with_the_graph() {
    Node.Join small = new Node.Join.Or(List.of("n99", "q"), false);
    Node.Join large = new Node.Join.Or(List.of("n999", "q"), false);

    double at100 = workPerEvent(graph(100, small));
    double at1000 = workPerEvent(graph(1_000, large));

    assertThat(at100).isPositive();
    assertThat(at1000 / at100).isLessThan(11.0);
  }

  @Test
  void without_a_join_that_must_look_ahead_settling_does_no_graph_work_at_all() {
    Map<String, Integer> both = new LinkedHashMap<>();
    both.put("n99", 1);
    both.put("q", 1);

    double work = workPerEvent(graph(100, new Node.Join.And(both, false)));

    assertThat(work).isZero();
  }

  /// A join that waits while one place after the other can be marked: whoever takes one marks the
  /// next.
  private static Term places(int length) {
    List<Node> nodes = new ArrayList<>();
    List<String> starts = new ArrayList<>();
    nodes.add(Flow.node("first", Flow.seq(Flow.effect("A"), Flow.emit("p0")), Flow.to("end")));
    for (int i = length - 1; i >= 0; i--) {
      Term pass = Flow.seq(Flow.take("p" + i), Flow.emit("p" + (i + 1)));
      nodes.add(Flow.node("n" + i, pass, Flow.to("end")));
    }
    nodes.add(Flow.node("last", Flow.take("p" + length), Flow.to("j")));
    nodes.add(Flow.node("q", Flow.skip(), Flow.to("j")));
    nodes.forEach(node -> starts.add(node.id()));
    Node.Join join = new Node.Join.Or(List.of("last", "q"), false);
    nodes.add(Flow.node("j", join, Flow.skip(), Flow.to("end")));
    return Flow.graph(new Split.And(starts), nodes.toArray(Node[]::new));
  }

  @Test
  void a_chain_of_places_that_mark_each_other_is_followed_once() {
    double at50 = workPerEvent(places(50));
    double at500 = workPerEvent(places(500));

    assertThat(at50).isPositive();
    assertThat(at500 / at50).isLessThan(11.0);
  }

  /// A join that waits while branches are stuck in nested scopes, which kills can end, each from
  /// behind the one before.
  private static Term scopes(int count) {
    List<Node> nodes = new ArrayList<>();
    List<String> starts = new ArrayList<>();
    nodes.add(Flow.node("first", Flow.seq(Flow.effect("A"), Flow.complete("r0")), Flow.to("end")));
    for (int i = count - 1; i >= 0; i--) {
      Term stuck = Flow.scope("r" + i, Flow.scope("s" + i, Flow.take("nowhere")));
      Term pass = i + 1 < count ? Flow.seq(stuck, Flow.complete("r" + (i + 1))) : stuck;
      nodes.add(Flow.node("n" + i, pass, Flow.to(i + 1 < count ? "end" : "j")));
    }
    nodes.add(Flow.node("q", Flow.skip(), Flow.to("j")));
    nodes.forEach(node -> starts.add(node.id()));
    Node.Join join = new Node.Join.Or(List.of("n" + (count - 1), "q"), false);
    nodes.add(Flow.node("j", join, Flow.skip(), Flow.to("end")));
    return Flow.graph(new Split.And(starts), nodes.toArray(Node[]::new));
  }

  @Test
  void a_chain_of_kills_that_free_each_other_is_followed_once() {
    double at50 = workPerEvent(scopes(50));
    double at500 = workPerEvent(scopes(500));

    assertThat(at50).isPositive();
    assertThat(at500 / at50).isLessThan(11.0);
  }

  @Test
  void waits_that_nothing_is_decided_about_do_no_graph_work() {
    Map<String, Integer> both = new LinkedHashMap<>();
    both.put("n0", 1);
    both.put("q", 1);
    Term waits =
        Flow.join(
            JoinPolicy.firstComplete(),
            Flow.seq(Flow.effect("B"), Flow.emit("p")),
            Flow.scope("r", Flow.take("p")),
            new Term.Defer(List.of(Flow.takingAll(List.of("p", "e"), Flow.skip()))));
    Term graph =
        Flow.graph(
            new Split.And(List.of("n0", "q")),
            Flow.node("n0", waits, Flow.to("j")),
            Flow.node("q", Flow.skip(), Flow.to("j")),
            Flow.node("j", new Node.Join.And(both, false), Flow.skip(), Flow.to("end")));

    assertThat(workPerEvent(graph)).isZero();
  }

  /// A definition that calls itself so often, and an OR-join that waits for it.
  private static WorkflowDefinition recursive(int depth, Term level, Term bottom) {
    Guard more = Guard.named("n < " + depth, context -> n(context) < depth);
    Expression next = Expression.named("n + 1", context -> n(context) + 1);
    Term body =
        Flow.seq(Flow.set("n", next), Flow.xor(Flow.when(more, level), Flow.otherwise(bottom)));
    Limits usual = Limits.DEFAULT;
    Limits deep =
        new Limits(
            usual.nodes(),
            usual.branches(),
            depth + 1,
            usual.instances(),
            usual.openEffects(),
            usual.placeTokens(),
            usual.contextBytes(),
            usual.steps());
    return new WorkflowDefinition(
        "deep",
        "",
        "",
        Mode.IMPLICIT,
        Context.of("n", 0L),
        List.of(),
        List.of(Flow.definition("d", body)),
        deep,
        waiting(Flow.call("d")));
  }

  private static long n(Context context) {
    return context.get("n") instanceof Long number ? number : 0;
  }

  private static Term waiting(Term awaited) {
    return Flow.graph(
        new Split.And(List.of("n", "q")),
        Flow.node("n", awaited, Flow.to("j")),
        Flow.node("q", Flow.skip(), Flow.to("j")),
        Flow.node("j", new Node.Join.Or(List.of("n", "q"), false), Flow.skip(), Flow.to("end")));
  }

  /// What the first settling costs.
  private static long firstWork(WorkflowDefinition workflow) {
    Program program = Compiler.compile(workflow);
    Machine machine =
        new Machine(program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
    ExecState state = machine.start(Context.empty(), 0);
    machine.run(state, Integer.MAX_VALUE);
    assertThat(state.pendingEffects()).hasSize(1);
    return state.analysed;
  }

  @Test
  void scopes_of_nested_calls_that_one_kill_can_end_are_found_in_linear_time() {
    Term level = Flow.par(Flow.scope("r", Flow.take("nowhere")), Flow.call("d"));
    Term bottom = Flow.seq(Flow.effect("A"), Flow.kill("r"));

    long at40 = firstWork(recursive(40, level, bottom));
    long at400 = firstWork(recursive(400, level, bottom));

    assertThat(at40).isPositive();
    assertThat((double) at400 / at40).isLessThan(11.0);
  }

  @Test
  void nested_nets_with_a_waiting_join_each_look_at_every_frame_once() {
    Term level = waiting(Flow.call("d"));

    long at40 = firstWork(recursive(40, level, Flow.effect("A")));
    long at400 = firstWork(recursive(400, level, Flow.effect("A")));

    assertThat(at40).isPositive();
    assertThat((double) at400 / at40).isLessThan(11.0);
  }
}
