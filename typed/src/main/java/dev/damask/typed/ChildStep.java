package dev.damask.typed;

import dev.damask.family.ChildCase;
import dev.damask.task.ChildTemplate;
import dev.damask.task.OnExhausted;
import dev.damask.task.ResultCheck;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.Term;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A task that runs another workflow as a child case.
///
/// @param <R> the result of the child
public final class ChildStep<R> implements Step {
  private final Parts parts;
  private final Function<Context, R> decode;
  private final @Nullable BoundKey<?> result;

  /// Everything but the result.
  ///
  /// @param word stands for the task in the program's identity
  /// @param id returns the id of the child; null if the engine derives one
  private record Parts(
      String word,
      String name,
      Workflow<?, ?> workflow,
      List<BoundKey<?>> reads,
      Function<Context, Context> input,
      @Nullable Function<Context, String> id,
      boolean isDetached,
      TaskOptions options) {
    private Parts {
      if (name.isBlank()) {
        throw new IllegalArgumentException("a child needs a name; it is part of its cases");
      }
      reads = List.copyOf(reads);
      if (id != null && options.retry().max() > 1) {
        throw new IllegalArgumentException(
            "child %s: retry starts a further case, so it requires derived ids; leave id(…) out"
                .formatted(name));
      }
    }

    Parts with(TaskOptions changed) {
      return new Parts(word, name, workflow, reads, input, id, isDetached, changed);
    }
  }

  private ChildStep(Parts parts, Function<Context, R> decode, @Nullable BoundKey<?> result) {
    this.parts = parts;
    this.decode = decode;
    this.result = result;
  }

  static <R> ChildStep<R> of(
      String name,
      Workflow<?, R> workflow,
      BoundKey<?> from,
      String function,
      Function<Context, Context> input) {
    String word = "typed child " + workflow.name() + (function.isEmpty() ? "" : " by " + function);
    Parts parts =
        new Parts(word, name, workflow, List.of(from), input, null, false, Written.here());
    return new ChildStep<>(parts, workflow::decode, null);
  }

  /// Refuses a function without a name: changing it would change cases unnoticed.
  static void requireNamed(String child, String function) {
    if (function.isBlank()) {
      throw new IllegalArgumentException(
          "child " + child + ": a function needs a name; it is part of the program");
    }
  }

  /// Writes the child's result to a key. The result of a detached child is its case id.
  public ChildStep<R> as(Key<? super R> key) {
    return new ChildStep<>(parts, decode, BoundKey.toWrite(key));
  }

  /// Gives the child up, and cancels it, after a time.
  public ChildStep<R> timeout(Duration timeout) {
    return with(parts.options.withTimeout(timeout));
  }

  /// Starts a further child, with an id of its own, after one that failed, was cancelled or is
  /// stuck. Requires ids that the engine derives.
  public ChildStep<R> retry(Retry retry) {
    return with(parts.options.withRetry(retry));
  }

  /// Sets what happens when the attempts are used up; `park()` makes the task an incident, whose
  /// retry starts a further child.
  public ChildStep<R> onExhausted(OnExhausted value) {
    return with(parts.options.withOnExhausted(value));
  }

  private ChildStep<R> with(TaskOptions options) {
    return new ChildStep<>(parts.with(options), decode, result);
  }

  /// Gives the child the id that a key holds. If another case has this id, the task fails with
  /// `id_taken`. Without this, the engine derives an id that no other case has.
  public ChildStep<R> id(Key<String> key) {
    BoundKey<String> from = BoundKey.of(key);
    return withId(" id", from, from::read);
  }

  /// Gives the child the id that a function returns; see [#id(Key)].
  ///
  /// @param function the name of the function; it is part of the program
  public <A> ChildStep<R> id(String function, Key<A> key, Function<? super A, String> id) {
    requireNamed(parts.name, function);
    BoundKey<A> from = BoundKey.of(key);
    return withId(" id " + function, from, context -> id.apply(from.read(context)));
  }

  private ChildStep<R> withId(String word, BoundKey<?> from, Function<Context, String> id) {
    List<BoundKey<?>> reads = new ArrayList<>(parts.reads);
    reads.add(from);
    Parts changed =
        new Parts(
            parts.word + word,
            parts.name,
            parts.workflow,
            reads,
            parts.input,
            id,
            parts.isDetached,
            parts.options);
    return new ChildStep<>(changed, decode, result);
  }

  /// Starts the child without waiting for it. The task completes when the child is started; the
  /// child is neither cancelled nor failed with the case. The result is the child's case id.
  public ChildStep<String> detached() {
    if (result != null) {
      throw new IllegalArgumentException(
          "child " + parts.name + ": write detached() before as(); the result is the case id");
    }
    Parts changed =
        new Parts(
            parts.word + " detached",
            parts.name,
            parts.workflow,
            parts.reads,
            parts.input,
            parts.id,
            true,
            parts.options);
    return new ChildStep<>(changed, end -> String.valueOf(end.get(ChildTemplate.ID)), null);
  }

  @Override
  public Term term() {
    List<BoundKey<?>> writes = result == null ? List.of() : List.of(result);
    ChildCase handler =
        new ChildCase(parts.workflow, parts.input, this::written, parts.id, parts.isDetached);
    Template template =
        new Template(parts.word, parts.name, parts.workflow.name(), parts.reads, writes);
    return new Term.Task(parts.name, new Term.Work.Effect(template, handler), parts.options, null);
  }

  /// The request of a child: the workflow's name.
  private record Template(
      String word, String label, String workflow, List<BoundKey<?>> reads, List<BoundKey<?>> writes)
      implements ChildTemplate, ResultCheck, Access {
    @Override
    public EffectSpec specFor(Context context) {
      return new EffectSpec(TYPE, Context.of(WORKFLOW, workflow), null);
    }

    @Override
    public String text() {
      return Access.text(word, reads, writes);
    }

    @Override
    public String signature() {
      return Access.signature(reads, writes);
    }

    @Override
    public List<String> problems(Context given) {
      return writes.isEmpty() ? List.of() : writes.getFirst().problems(given);
    }
  }

  private Context written(Context end) {
    return result == null
        ? Context.empty()
        : Context.of(result.entry(), result.encode(decode.apply(end)));
  }
}
