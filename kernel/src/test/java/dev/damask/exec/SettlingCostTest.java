package dev.damask.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.task.Context;
import dev.damask.term.Flow;
import dev.damask.term.Node;
import dev.damask.term.Split;
import dev.damask.term.Term;
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
}
