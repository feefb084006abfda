package dev.damask.benchmarks;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.par;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.workflow;

import dev.damask.compile.Compiler;
import dev.damask.event.Input;
import dev.damask.event.Outcome;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.task.TaskFunction;
import dev.damask.term.Limits;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The workloads of the kernel's figures. The baseline of a sequence is the same task functions
/// called one after another on the same kind of context.
final class KernelWorkloads {
  static final int LOOP_ROUNDS = 100_000;

  private static final Context INPUT = Context.of("in", 7);
  private static final Limits LIMITS =
      new Limits(1_000_000, 1_000_000, 50, 10_000, 1_000_000, 1_000, 256 * 1_024, Long.MAX_VALUE);

  private final TaskFunction[] five = {
    context -> context.with("a", 1),
    context -> context.with("b", 2),
    context -> context.with("c", 3),
    context -> context.with("d", 4),
    context -> context.with("e", 5)
  };

  private final TaskFunction[] megamorphic = {
    context -> context,
    context -> context.isEmpty() ? context.with("z", 1) : context,
    context -> context.size() > 100 ? context.with("z", 2) : context,
    context -> context.size() > 200 ? context.with("z", 3) : context
  };

  private final Machine seq5 = machine(sequence(5), null);
  private final Machine seq1000 = machine(sequence(1_000), null);
  private final Machine seq10000 = machine(sequence(10_000), null);
  private final Machine par10 = machine(parallel(10), null);
  private final Machine par1000 = machine(parallel(1_000), null);
  private final Machine loop =
      machine(workflow("loop", repeat(LOOP_ROUNDS, task("same", context -> context))), null);

  static Machine machine(WorkflowDefinition workflow, @Nullable Tracer tracer) {
    Program program = Compiler.compile(workflow.withLimits(LIMITS));
    return new Machine(program, new Machine.Options(InOrder.INSTANCE, LIMITS, false, tracer));
  }

  WorkflowDefinition sequence(int count) {
    Term[] tasks = new Term[count];
    Arrays.setAll(tasks, i -> task("t" + i % 5, five[i % 5]));
    return workflow("seq" + count, tasks);
  }

  private static WorkflowDefinition parallel(int count) {
    Term[] branches = new Term[count];
    Arrays.fill(branches, task("same", context -> context));
    return workflow("par" + count, par(branches));
  }

  Context baseline5() {
    Context context = INPUT;
    for (TaskFunction function : five) {
      context = (Context) function.run(context);
    }
    return context;
  }

  Context machine5() {
    return toEnd(seq5);
  }

  Context steps1000() {
    return toEnd(seq1000);
  }

  Context steps10000() {
    return toEnd(seq10000);
  }

  Context branches10() {
    return toEnd(par10);
  }

  Context branches1000() {
    return toEnd(par1000);
  }

  Context rounds() {
    return toEnd(loop);
  }

  /// As many interface calls as the loop has reductions: the check and the task of every round.
  Context calls() {
    Context context = INPUT;
    for (int i = 0; i < 2 * LOOP_ROUNDS; i++) {
      context = (Context) megamorphic[i & 3].run(context);
    }
    return context;
  }

  Program compile(WorkflowDefinition workflow) {
    return Compiler.compile(workflow.withLimits(LIMITS));
  }

  static Context toEnd(Machine machine) {
    ExecState state = machine.start(INPUT, 0);
    Outcome outcome = machine.run(state, Integer.MAX_VALUE);
    if (!(outcome instanceof Outcome.Done(var context))) {
      throw new IllegalStateException("expected the workflow to complete, got " + outcome);
    }
    return context;
  }

  /// A case with a scope of 1,000 waiting tasks beside many others, ready to be cancelled.
  static final class Cancelling {
    private final Machine machine;
    private final byte[] waiting;
    private ExecState state;

    Cancelling(int others) {
      machine =
          machine(
              workflow(
                  "cancel",
                  dev.damask.term.Flow.join(
                      dev.damask.term.JoinPolicy.syncMerge(),
                      scope("R", par(effects(1_000))),
                      par(effects(Math.max(2, others))))),
              null);
      state = machine.start(Context.empty(), 0);
      machine.run(state, Integer.MAX_VALUE);
      waiting = StateCodec.encode(state);
    }

    private static Term[] effects(int count) {
      Term[] terms = new Term[count];
      Arrays.fill(terms, effect("wait"));
      return terms;
    }

    void prepare() {
      state = StateCodec.decode(machine, waiting);
    }

    int cancel() {
      machine.apply(state, new Input.Kill("R", false));
      return state.tokens();
    }
  }
}
