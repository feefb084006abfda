package dev.damask.typed;

import dev.damask.event.Failure;
import dev.damask.task.TaskFunction;
import dev.damask.task.TaskOptions;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.Key;
import dev.damask.value.TaskResult;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A pure function that runs inside the machine.
///
/// @param <R> the result of the function
public final class TypedCompute<R> implements Step {
  private final Parts parts;
  private final @Nullable BoundKey<?> result;
  private final boolean isSlow;

  private record Parts(
      String name,
      List<BoundKey<?>> reads,
      Function<Context, @Nullable Object> function,
      TaskOptions options) {
    Parts {
      if (name.isBlank()) {
        throw new IllegalArgumentException(
            "a function needs a name; without one, a changed function would change cases"
                + " unnoticed");
      }
      reads = List.copyOf(reads);
    }
  }

  private TypedCompute(Parts parts, @Nullable BoundKey<?> result, boolean isSlow) {
    this.parts = parts;
    this.result = result;
    this.isSlow = isSlow;
  }

  static <R> TypedCompute<R> of(
      String name, List<BoundKey<?>> reads, Function<Context, @Nullable Object> function) {
    return new TypedCompute<>(new Parts(name, reads, function, Written.here()), null, false);
  }

  /// Writes the result to a key, also if the key has the same value already.
  public TypedCompute<R> as(Key<? super R> key) {
    return new TypedCompute<>(parts, BoundKey.toWrite(key), isSlow);
  }

  /// Declares that the function may take long: it runs on its own thread.
  public TypedCompute<R> slow() {
    return new TypedCompute<>(parts, result, true);
  }

  @Override
  public Term term() {
    List<BoundKey<?>> writes = result == null ? List.of() : List.of(result);
    Computing computing = new Computing(parts.name, parts.reads, writes, parts.function, isSlow);
    String text = parts.name + " " + Access.text("typed", parts.reads, writes);
    return new Term.Task(parts.name, new Term.Work.Pure(computing, text), parts.options, null);
  }

  /// The function as the machine runs it.
  record Computing(
      String label,
      List<BoundKey<?>> reads,
      List<BoundKey<?>> writes,
      Function<Context, @Nullable Object> function,
      boolean isSlow)
      implements TaskFunction, Access {
    @Override
    public TaskResult run(Context context) {
      Object value = function.apply(context);
      if (writes.isEmpty()) {
        return context;
      }
      BoundKey<?> result = writes.getFirst();
      try {
        return context.with(result.entry(), result.encode(value));
      } catch (ValueException e) {
        return new TaskResult.Failed(Failure.EXPRESSION, String.valueOf(e.getMessage()));
      }
    }

    @Override
    public List<String> writtenKeys() {
      return writes.isEmpty() ? List.of() : List.of(writes.getFirst().entry());
    }
  }
}
