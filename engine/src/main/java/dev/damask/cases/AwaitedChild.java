package dev.damask.cases;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.family.ChildCase;
import dev.damask.intake.Replies;
import dev.damask.task.EffectFunction;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The handler of a script's step that runs another workflow as a case of its own and waits for its
/// result.
///
/// The id of the child is derived from the parent's id and the task's execution, so the child is
/// started once, whatever crashes. The child is cancelled with the step.
///
/// @param input the context that the child starts with, from the parent's
/// @param result what the task writes, from the context that the child completed with
public record AwaitedChild(
    Workflow<?, ?> workflow, Function<Context, Context> input, Function<Context, Context> result)
    implements EffectHandler, EffectFunction {
  private static final String SEPARATOR = ":";

  @Override
  public @Nullable Object call(Context context) {
    throw new IllegalStateException("a child case is started by an engine");
  }

  @Override
  public @Nullable Object call(EffectCall call) {
    throw new IllegalStateException("a child case is started by an engine");
  }

  /// The id of the case that an execution starts.
  public static String idOf(EffectCall call) {
    return call.caseId() + SEPARATOR + call.id();
  }

  /// The handler that starts children in an engine.
  EffectHandler in(Engine engine) {
    return new EffectHandler() {
      @Override
      public @Nullable Object call(EffectCall call) throws Exception {
        return run(engine, call);
      }

      @Override
      public void cancel(EffectCall call) {
        engine.cancel(idOf(call));
      }
    };
  }

  private Context run(Engine engine, EffectCall call) throws Exception {
    String id = idOf(call);
    if (id.length() > Replies.ID_MAX) { // also ends a child that starts itself without end
      throw new EffectException(
          ChildCase.REASON,
          "case %s is nested too deeply; its id would be too long".formatted(call.caseId()));
    }
    if (!engine.isLaunched) {
      throw new EffectException(
          ChildCase.REASON,
          "this engine runs no threads, so it starts no children; answer the task instead");
    }
    CaseOptions own =
        call.traceparent().map(CaseOptions.DEFAULT::withTraceparent).orElse(CaseOptions.DEFAULT);
    engine.start(workflow.definition(), id, input.apply(call.context()), own);
    return switch (engine.await(id)) {
      case CaseResult.Completed<Context>(var context) -> result.apply(context);
      case CaseResult.Failed<Context>(var error) ->
          throw new EffectException(ChildCase.REASON, "case " + id + " failed: " + error);
      case CaseResult.Cancelled<Context>(var scope, var reason) ->
          throw new EffectException(ChildCase.REASON, "case " + id + " was cancelled: " + reason);
      case CaseResult.Stuck<Context>(var report) ->
          throw new EffectException(ChildCase.REASON, "case " + id + " is stuck: " + report);
    };
  }
}
