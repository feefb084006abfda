package dev.damask.family;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectHandler;
import dev.damask.task.ChildTemplate;
import dev.damask.task.EffectFunction;
import dev.damask.task.TaskOptions;
import dev.damask.term.Term;
import dev.damask.term.Workflow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What a task does that runs another workflow as a child case and waits for its result. No handler
/// is called: the engine starts the child in the commit that starts the task, and the end of the
/// child completes the task.
///
/// The id of the child is derived from the parent's id and the task's execution, so the child is
/// started once, whatever crashes. The child is cancelled with the task. The workflow becomes known
/// to an engine together with the parent's.
///
/// @param input the context that the child starts with, from the parent's
/// @param result what the task writes, from the context that the child completed with; of a
///   detached child, from a context with its id under [ChildTemplate#ID]
/// @param id the id of the child, from the parent's context; null if the engine derives one
/// @param isDetached whether the task completes as soon as the child is started
public record ChildCase(
    Workflow<?, ?> workflow,
    Function<Context, Context> input,
    Function<Context, Context> result,
    @Nullable Function<Context, String> id,
    boolean isDetached)
    implements EffectHandler, EffectFunction {
  /// The reason of a task whose child failed, was cancelled or is stuck.
  public static final String REASON = "child";

  /// The reason of a task whose child has a given id that another case has.
  public static final String ID_TAKEN = "id_taken";

  /// Creates a child with a derived id whose task waits for it.
  public ChildCase(
      Workflow<?, ?> workflow,
      Function<Context, Context> input,
      Function<Context, Context> result) {
    this(workflow, input, result, null, false);
  }

  /// Returns a task for workflows that are written with `Flow`: the child starts with the context
  /// of the task, and the task writes the entries of the context that the child completed with.
  public static Term.Task task(String name, WorkflowDefinition workflow) {
    ChildCase child = new ChildCase(workflow, Function.identity(), Function.identity());
    Term.Work work = new Term.Work.Effect(new OfContext(workflow.name()), child);
    return new Term.Task(name, work, TaskOptions.DEFAULT, null);
  }

  /// The request of a task without its own payload.
  private record OfContext(String workflow) implements ChildTemplate {
    @Override
    public EffectSpec specFor(Context context) {
      return new EffectSpec(TYPE, Context.of(WORKFLOW, workflow), null);
    }

    @Override
    public String text() {
      return "child " + workflow;
    }
  }

  /// Never called by the engine.
  @Override
  public @Nullable Object call(Context context) {
    throw new IllegalStateException("a child case is started by an engine");
  }

  /// Never called by the engine.
  @Override
  public @Nullable Object call(EffectCall call) {
    throw new IllegalStateException("a child case is started by an engine");
  }
}
