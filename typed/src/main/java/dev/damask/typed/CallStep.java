package dev.damask.typed;

import dev.damask.event.Failure;
import dev.damask.task.Expression;
import dev.damask.task.TaskFunction;
import dev.damask.term.Flow;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.Key;
import dev.damask.value.TaskResult;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A step that runs a definition with a value of its own and receives its result.
///
/// @param <R> the result of the definition
public final class CallStep<R> implements Step {
  private final Routine<?, R> routine;
  private final String argument;
  private final Expression value;
  private final @Nullable BoundKey<?> result; // null drops it

  private CallStep(
      Routine<?, R> routine, String argument, Expression value, @Nullable BoundKey<?> result) {
    this.routine = routine;
    this.argument = argument;
    this.value = value;
    this.result = result;
  }

  static <A, R> CallStep<R> of(Routine<A, R> routine, Key<? extends A> key) {
    BoundKey<? extends A> from = BoundKey.of(key);
    BoundKey<A> to = BoundKey.toWrite(routine.input());
    Expression value =
        new TypedExpression(
            "argument of " + routine.name(),
            List.of(from),
            context -> to.encode(from.read(context)));
    return new CallStep<>(routine, to.entry(), value, null);
  }

  /// Writes the result to a key. No other key of the definition reaches its caller.
  public CallStep<R> as(Key<? super R> key) {
    return new CallStep<>(routine, argument, value, BoundKey.toWrite(key));
  }

  @Override
  public Term term() {
    String whole = result == null ? "result of " + routine.name() : result.entry();
    Term call =
        Flow.call(routine.name()).with(new TreeMap<>(Map.of(argument, value))).result(whole);
    List<BoundKey<?>> writes = result == null ? List.of() : List.of(result);
    return Flow.seq(
        call, new Taken(routine.name(), BoundKey.of(routine.output()), whole, writes).term());
  }

  /// The body of a definition with a result, which every path must have written at its end.
  static Term body(Routine<?, ?> routine, Term body) {
    return Flow.seq(body, new Returned(routine.name(), BoundKey.of(routine.output())).term());
  }

  /// The calls among some tasks whose definition does not declare the result that they take.
  static List<String> problems(Collection<? extends TaskFunction> functions) {
    List<String> problems = new ArrayList<>();
    for (TaskFunction each : functions) {
      if (each instanceof Taken taken
          && functions.stream()
              .noneMatch(other -> other instanceof Returned returned && returned.isFor(taken))) {
        problems.add(
            ("call %s: the definition does not declare the result '%s'; write it with"
                    + " definition(Routine, …) and the same routine")
                .formatted(taken.routine, taken.output.key().name()));
      }
    }
    return problems;
  }

  /// An unnamed task at the end of a definition: it reads the result, so that the check of keys
  /// finds a path that does not write it.
  private record Returned(String routine, BoundKey<?> output) implements TaskFunction, Access {
    Term term() {
      return task(this, "typed return " + output.key().name());
    }

    boolean isFor(Taken taken) {
      return routine.equals(taken.routine) && output.key().equals(taken.output.key());
    }

    @Override
    public TaskResult run(Context context) {
      return context;
    }

    @Override
    public List<String> writtenKeys() {
      return List.of();
    }

    @Override
    public String label() {
      return "result of " + routine;
    }

    @Override
    public List<BoundKey<?>> reads() {
      return List.of(output);
    }

    @Override
    public List<BoundKey<?>> writes() {
      return List.of();
    }
  }

  /// An unnamed task after a call: it takes the result out of the last context of the definition.
  ///
  /// @param whole the key that has this context
  /// @param writes the key of the result; empty drops it
  private record Taken(String routine, BoundKey<?> output, String whole, List<BoundKey<?>> writes)
      implements TaskFunction, Access {
    Term term() {
      return task(this, "typed take " + output.key().name() + " of " + whole);
    }

    @Override
    public TaskResult run(Context context) {
      if (writes.isEmpty()) {
        return context.without(whole);
      }
      try {
        Context end = Context.from(asMap(context.get(whole)));
        return context.with(whole, writes.getFirst().encode(output.read(end)));
      } catch (ValueException e) {
        return new TaskResult.Failed(Failure.EXPRESSION, String.valueOf(e.getMessage()));
      }
    }

    @SuppressWarnings("unchecked") // a call writes the whole context of its definition
    private static Map<String, @Nullable Object> asMap(@Nullable Object end) {
      return end instanceof Map<?, ?> map ? (Map<String, @Nullable Object>) map : Map.of();
    }

    @Override
    public List<String> writtenKeys() {
      return List.of(whole);
    }

    @Override
    public String label() {
      return "call " + routine;
    }

    @Override
    public List<BoundKey<?>> reads() {
      return List.of();
    }
  }

  private static Term task(TaskFunction function, String text) {
    return new Term.Task("", new Term.Work.Pure(function, text), Written.here(), null);
  }
}
