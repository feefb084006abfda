package dev.damask.typed;

import dev.damask.term.Flow;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.Workflow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/// The words people write typed workflows with: `import static dev.damask.typed.Steps.*`. They are
/// never mixed with those of [Flow].
public final class Steps extends ScriptForms {
  private Steps() {}

  /// A workflow whose parts run in order, with a typed input and a typed result. Throws
  /// `IllegalArgumentException` with one sentence per mistake: a key that is read where it may be
  /// missing, that two parallel branches write, or that is used with two types.
  public static <I, O> TypedWorkflow<I, O> workflow(
      String name, Key<I> input, Key<O> output, Step... parts) {
    return TypedWorkflow.of(definition(name, body(parts)), input, output);
  }

  /// A workflow with a typed input whose result is its context.
  public static <I> TypedWorkflow<I, Context> workflow(String name, Key<I> input, Step... parts) {
    return TypedWorkflow.of(definition(name, body(parts)), input);
  }

  private static WorkflowDefinition definition(String name, Term body) {
    WorkflowDefinition made =
        Flow.workflow(name, body).withPlaces(EachStep.slots(body).toArray(new Place[0]));
    return TypedScript.isIn(body) ? made.withPlaces(TypedScript.MAILBOX) : made;
  }

  /// The key of a call for a limit, from the value of a key:
  /// `EffectLimit.atOnce(50).withPerKey(limitKey(ORDER, Order::customer), 1)`. A call whose case
  /// has no such value, or another one, fails with a sentence that names the path.
  public static <T> Function<Context, String> limitKey(
      Key<T> key, Function<? super T, String> function) {
    BoundKey<T> from = BoundKey.of(key);
    return context -> function.apply(from.read(context));
  }

  /// The priority of a call for a limit, from the value of a key:
  /// `EffectLimit.atOnce(50).withPriority(limitPriority(ORDER, Order::level))`.
  public static <T> ToIntFunction<Context> limitPriority(
      Key<T> key, ToIntFunction<? super T> function) {
    BoundKey<T> from = BoundKey.of(key);
    return context -> function.applyAsInt(from.read(context));
  }

  /// Runs another workflow as a child case, with the value of a key as its input, and waits for its
  /// result. The child fails and is cancelled with this step.
  public static <A, R> ChildStep<R> child(String name, Workflow<A, R> workflow, Key<A> input) {
    BoundKey<A> from = BoundKey.of(input);
    return ChildStep.of(name, workflow, from, "", context -> workflow.encode(from.read(context)));
  }

  /// Runs another workflow as a child case, with an input that a function makes of the value of a
  /// key, and waits for its result. The child fails and is cancelled with this step.
  ///
  /// @param function the name of the function; it is part of the program
  public static <A, I, R> ChildStep<R> child(
      String name,
      Workflow<I, R> workflow,
      String function,
      Key<A> key,
      Function<? super A, ? extends I> input) {
    ChildStep.requireNamed(name, function);
    BoundKey<A> from = BoundKey.of(key);
    return ChildStep.of(
        name,
        workflow,
        from,
        function,
        context -> workflow.encode(input.apply(from.read(context))));
  }
}
