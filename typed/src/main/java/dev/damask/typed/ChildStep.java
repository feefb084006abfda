package dev.damask.typed;

import dev.damask.cases.ChildCase;
import dev.damask.task.TaskOptions;
import dev.damask.term.Term;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A task that runs another workflow as a case of its own.
///
/// @param <R> the result of the child
public final class ChildStep<R> implements Step {
  private final String name;
  private final Workflow<?, R> workflow;
  private final BoundKey<?> from;
  private final Function<Context, Context> input;
  private final @Nullable BoundKey<?> result;
  private final TaskOptions options;

  private ChildStep(
      String name,
      Workflow<?, R> workflow,
      BoundKey<?> from,
      Function<Context, Context> input,
      @Nullable BoundKey<?> result,
      TaskOptions options) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("a child needs a name; it is part of its cases");
    }
    this.name = name;
    this.workflow = workflow;
    this.from = from;
    this.input = input;
    this.result = result;
    this.options = options;
  }

  static <R> ChildStep<R> of(
      String name, Workflow<?, R> workflow, BoundKey<?> from, Function<Context, Context> input) {
    return new ChildStep<>(name, workflow, from, input, null, TaskOptions.DEFAULT);
  }

  /// Writes the child's result to a key.
  public ChildStep<R> as(Key<? super R> key) {
    return new ChildStep<>(name, workflow, from, input, BoundKey.toWrite(key), options);
  }

  /// Gives the child up, and cancels it, after a time.
  public ChildStep<R> timeout(Duration timeout) {
    return new ChildStep<>(name, workflow, from, input, result, options.withTimeout(timeout));
  }

  @Override
  public Term term() {
    List<BoundKey<?>> writes = result == null ? List.of() : List.of(result);
    String word = "typed child " + workflow.name();
    ChildCase handler = new ChildCase(workflow, input, this::written);
    Term.Work work =
        new Term.Work.Effect(new TypedLeaf.Template(word, name, List.of(from), writes), handler);
    return new Term.Task(name, work, options, null);
  }

  private Context written(Context end) {
    return result == null
        ? Context.empty()
        : Context.of(result.entry(), result.encode(workflow.decode(end)));
  }
}
