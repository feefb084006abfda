package dev.damask.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.check.Diagnostic;
import dev.damask.check.TermCheck;
import dev.damask.compile.Compiler;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.TraceEvent;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.expression.Expressions;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.task.Expression;
import dev.damask.task.ExpressionFailure;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Constant expressions in the optimised image are computed in advance without a visible change.
final class ConstantFoldingTest {
  private static final int DOCUMENTS = 300;

  private final SplittableRandom random = new SplittableRandom(14);

  /// A number as text, mostly from constants; some divide by zero.
  private String number(int depth) {
    if (depth == 0 || random.nextInt(4) == 0) {
      return random.nextInt(5) == 0 ? "n" : String.valueOf(random.nextInt(4));
    }
    String operator = List.of("+", "*", "-", "/").get(random.nextInt(4));
    return "(" + number(depth - 1) + " " + operator + " " + number(depth - 1) + ")";
  }

  private String document() {
    return """
    workflow: w
    context: {n: 2}
    places: {p: {}}
    do:
      - set: {a: "%s", b: "%s > %s ? 'x' : 'y'"}
      - loop: {count: "%s"}
        do: {set: {n: "n + 1"}}
      - mi: m
        count: "%s"
        do: {set: {c: "%s"}}
      - emit: p
        with: {v: "%s"}
      - take: p
      - task: T
        effect: {type: t, with: {text: "v ${%s}", fixed: "${1 + 2}"}}
    """
        .formatted(
            number(3), number(1), number(1), number(2), number(2), number(2), number(2), number(2));
  }

  /// Everything that can be observed of a run: trace, requests, result.
  private static List<String> observed(Program program, boolean raw) {
    List<String> seen = new ArrayList<>();
    Machine machine =
        new Machine(
            program,
            new Machine.Options(
                InOrder.INSTANCE,
                program.limits(),
                raw,
                event -> {
                  if (event.kind() != TraceEvent.Kind.STEP) {
                    seen.add(shown(event));
                  }
                }));
    ExecState state = machine.start(Context.empty(), 0);
    machine.run(state, Integer.MAX_VALUE);
    for (EffectRequest request : state.pendingEffects()) {
      seen.add(payload(request));
      machine.apply(state, new Input.TaskDone(request.token(), Context.of("done", true)));
      machine.run(state, Integer.MAX_VALUE);
    }
    seen.add(state.steps() + " " + state.status() + " " + state.context() + " " + state.failure());
    return seen;
  }

  /// What is requested, or that the payload cannot be computed.
  private static String payload(EffectRequest request) {
    try {
      return request.spec().toString();
    } catch (ExpressionFailure e) {
      return String.valueOf(e.getMessage());
    }
  }

  /// An event without addresses, which differ by administrative instructions.
  private static String shown(TraceEvent event) {
    return "%d %s %s t%d %s[%s] %s"
        .formatted(
            event.step(),
            event.kind(),
            event.rule(),
            event.token(),
            event.subject(),
            event.label(),
            event.detail());
  }

  @Test
  void observation_of_random_documents_is_the_same_in_both_images() {
    int completed = 0;
    for (int i = 0; i < DOCUMENTS; i++) {
      String text = document();
      // Counts that are never numbers are refused in new workflows, but stored ones run on.
      var workflow = new DocumentReader().read("w.yaml", text).workflow();
      Program program =
          Compiler.compile(workflow, TermCheck.check(workflow), Diagnostic::isErrorInStore);
      List<String> raw = observed(program, true);

      assertThat(observed(program, false)).as(text).isEqualTo(raw);
      completed += raw.getLast().contains("COMPLETED") ? 1 : 0;
    }
    assertThat(completed).isBetween(DOCUMENTS / 10, DOCUMENTS - 1);
  }

  @Test
  void only_expressions_that_read_nothing_and_cannot_fail_are_folded() {
    for (String text : List.of("1 + 2", "'a' + 'b'", "true ? 1 : 2", "-(3)")) {
      Expression expression = Expressions.expression(text);
      assertThat(expression.folded()).as(text).isNotSameAs(expression);
      assertThat(expression.folded().value(Context.empty()))
          .isEqualTo(expression.value(Context.empty()));
      assertThat(expression.folded().text()).isEqualTo(text);
    }
    for (String text : List.of("n", "1 + n", "1 / 0", "size([n])")) {
      Expression expression = Expressions.expression(text);
      assertThat(expression.folded()).as(text).isSameAs(expression);
    }
  }

  @Test
  void folding_changes_neither_the_raw_image_nor_the_hash() {
    Program program =
        Compiler.compile(
            new DocumentReader()
                .read("w.yaml", "{workflow: w, do: {set: {a: '1 + 2'}}}")
                .workflow());

    assertThat(program.fast().pools().tasks()[0].function())
        .isNotSameAs(program.raw().pools().tasks()[0].function());
    assertThat(program.fast().pools().tasks()[0].text())
        .isEqualTo(program.raw().pools().tasks()[0].text());
  }
}
