package dev.damask.typed;

import dev.damask.script.ScriptFunction;
import dev.damask.script.ScriptRun;
import dev.damask.script.ScriptUndo;
import dev.damask.task.TaskOptions;
import dev.damask.term.Place;
import dev.damask.term.Signal;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// A task that is ordinary Java code with recorded steps. It has no retry: its steps have.
///
/// @param <R> the result of the code
public final class TypedScript<R> implements Step {
  /// Keeps the signals that scripts await and that the workflow declares nowhere else.
  static final Place MAILBOX = Place.external(ScriptFunction.MAILBOX);

  private final String name;
  private final List<BoundKey<?>> reads;
  private final Body body;
  private final @Nullable BoundKey<?> result;
  private final TaskOptions options;
  private final Limits limits;

  /// Reads the values of a script and runs it.
  @FunctionalInterface
  interface Body {
    @Nullable Object run(Context context, Script script) throws Exception;
  }

  /// Reads the values of a script that returns nothing and runs it.
  @FunctionalInterface
  interface ActionBody {
    void run(Context context, Script script) throws Exception;
  }

  /// What a run of the script may take.
  ///
  /// @param patience how long it stays in memory while it waits
  /// @param steps how many steps it may have
  /// @param signals those that it declares to await
  record Limits(Duration patience, int steps, List<Signal<?>> signals) {
    static final Limits DEFAULT =
        new Limits(ScriptFunction.PATIENCE, ScriptFunction.STEPS_MAX, List.of());

    Limits withPatience(Duration value) {
      return new Limits(value, steps, signals);
    }

    Limits withSteps(int value) {
      return new Limits(patience, value, signals);
    }

    Limits withSignals(List<Signal<?>> value) {
      return new Limits(patience, steps, value);
    }
  }

  private TypedScript(
      String name,
      List<BoundKey<?>> reads,
      Body body,
      @Nullable BoundKey<?> result,
      TaskOptions options,
      Limits limits) {
    if (name.isBlank() || name.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "script '%s': a name must not be blank or contain '/'; it is part of its steps"
              .formatted(name));
    }
    this.name = name;
    this.reads = List.copyOf(reads);
    this.body = body;
    this.result = result;
    this.options = options;
    this.limits = limits;
  }

  static <R> TypedScript<R> of(String name, List<BoundKey<?>> reads, Body body) {
    return new TypedScript<>(name, reads, body, null, Written.here(), Limits.DEFAULT);
  }

  static TypedScript<Void> action(String name, List<BoundKey<?>> reads, ActionBody body) {
    return of(
        name,
        reads,
        (context, script) -> {
          body.run(context, script);
          return null;
        });
  }

  /// Whether a term contains a script.
  static boolean isIn(Term body) {
    boolean[] found = {false};
    TermWalker.walk(
        TermPath.BODY,
        body,
        (_, term) ->
            found[0] |=
                term instanceof Term.Task task
                    && task.work() instanceof Term.Work.Pure(ScriptFunction _, _));
    return found[0];
  }

  /// Writes the result to a key.
  public TypedScript<R> as(Key<? super R> key) {
    return new TypedScript<>(name, reads, body, BoundKey.toWrite(key), options, limits);
  }

  /// Fails the task after a time, also while the script is out of memory.
  public TypedScript<R> timeout(Duration timeout) {
    return new TypedScript<>(name, reads, body, result, options.withTimeout(timeout), limits);
  }

  /// Changes how long the script stays in memory while it waits; 10 seconds by default. When it
  /// continues after that, it runs again from its beginning.
  public TypedScript<R> inMemoryFor(Duration time) {
    if (time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException(
          "script %s: the time in memory must be positive, got %s".formatted(name, time));
    }
    return new TypedScript<>(name, reads, body, result, options, limits.withPatience(time));
  }

  /// Changes how many steps and recorded values one execution of the script may have; 10,000 by
  /// default. Each resumption repeats them, so a higher limit makes resumptions slower.
  public TypedScript<R> stepsMax(int steps) {
    if (steps < 1) {
      throw new IllegalArgumentException(
          "script %s: the limit of steps must be at least 1, got %d".formatted(name, steps));
    }
    return new TypedScript<>(name, reads, body, result, options, limits.withSteps(steps));
  }

  /// Declares signals that the script awaits. Their payloads are checked whenever they come in.
  /// Without this, they are checked while the script awaits them and this process has seen one of
  /// its executions do so.
  public TypedScript<R> awaits(Signal<?>... signals) {
    List<Signal<?>> typed = Arrays.stream(signals).filter(each -> !each.isEmpty()).toList();
    return new TypedScript<>(name, reads, body, result, options, limits.withSignals(typed));
  }

  @Override
  public Term term() {
    List<BoundKey<?>> writes = result == null ? List.of() : List.of(result);
    Scripting function = new Scripting(name, reads, writes, body, limits, new AwaitedSignals());
    String text = name + " " + Access.text("typed script", reads, writes);
    String undoName = "undo " + name;
    Term undo =
        new Term.Task(
            undoName,
            new Term.Work.Pure(new ScriptUndo(name, function), undoName + " typed script"),
            TaskOptions.DEFAULT.withLine(options.line()),
            null);
    return new Term.Task(name, new Term.Work.Pure(function, text), options, undo);
  }

  /// The signals with a payload that executions of a script have awaited in this process.
  ///
  /// Thread-safe.
  static final class AwaitedSignals {
    private final Map<String, Set<Signal<?>>> byName = new ConcurrentHashMap<>();

    void add(Signal<?> signal) {
      if (!signal.isEmpty()) {
        byName.computeIfAbsent(signal.name(), _ -> ConcurrentHashMap.newKeySet()).add(signal);
      }
    }

    List<Signal<?>> of(String name) {
      return List.copyOf(byName.getOrDefault(name, Set.of()));
    }
  }

  /// The script as the engine runs it.
  record Scripting(
      String label,
      List<BoundKey<?>> reads,
      List<BoundKey<?>> writes,
      Body body,
      Limits limits,
      AwaitedSignals awaited)
      implements ScriptFunction, Access {
    @Override
    public List<String> problems(String signal, Context payload) {
      List<BoundKey<?>> keys = new ArrayList<>();
      for (Signal<?> each : awaited.of(signal)) {
        keys.add(BoundKey.toWrite(each.payload()));
      }
      return BoundKey.problems(keys, payload);
    }

    @Override
    public Duration patience() {
      return limits.patience();
    }

    @Override
    public int stepsMax() {
      return limits.steps();
    }

    @Override
    public Context run(ScriptRun run, Context context) throws Exception {
      Object value = body.run(context, new Script(run, awaited));
      if (writes.isEmpty()) {
        return context;
      }
      BoundKey<?> result = writes.getFirst();
      return context.with(result.entry(), result.encode(value));
    }

    @Override
    public List<String> writtenKeys() {
      return writes.isEmpty() ? List.of() : List.of(writes.getFirst().entry());
    }
  }
}
