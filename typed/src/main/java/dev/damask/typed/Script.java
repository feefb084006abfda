package dev.damask.typed;

import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.event.Failure;
import dev.damask.family.ChildCase;
import dev.damask.script.ScriptItems;
import dev.damask.script.ScriptRun;
import dev.damask.script.ScriptStep;
import dev.damask.script.StepFailedException;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.Key;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The recorded steps of a script, the task of a workflow that is written as ordinary Java code.
///
/// Each step is an effect or a wait of the case, with an intent and a receipt. After a crash or a
/// long wait the script runs again from its beginning; a step that has a receipt returns it and is
/// not called. So everything a script decides must come from its parameters and its steps: the time
/// from [#now], chance from [#random] and [#uuid].
///
/// A step is recognised by its path, name and occurrence. If the code asks for other steps than the
/// recorded ones, the case is an incident that shows both lists. Guard a change of code with
/// [#version].
///
/// Only the script's own thread, and the work of [#all], may use it; everything else gets an
/// `IllegalStateException`. A step that fails after its retries throws [StepFailedException].
public final class Script {
  private static final String VALUE = ScriptStep.VALUE;
  private static final String PAYLOAD = "payload";
  private static final String TYPE = ScriptStep.TYPE;

  private final ScriptRun run;
  private final TypedScript.AwaitedSignals awaited;

  Script(ScriptRun run, TypedScript.AwaitedSignals awaited) {
    this.run = run;
    this.awaited = awaited;
  }

  /// The function of a step. It runs on its own thread and must not use the script.
  @FunctionalInterface
  public interface Call<R> {
    /// Performs the step and returns its result.
    R of(dev.damask.effect.EffectCall call) throws Exception;
  }

  /// The function of a step without a result.
  @FunctionalInterface
  public interface Action {
    /// Performs the step.
    void of(dev.damask.effect.EffectCall call) throws Exception;
  }

  /// Calls a function once its intent is durable and returns its result.
  public <R> R call(String name, Class<R> type, Call<? extends R> function) {
    return call(name, Key.of(VALUE, type), null, StepOptions.standard(), function);
  }

  /// Calls a function with a payload, which is recorded and compared when the script runs again.
  public <R> R call(String name, Class<R> type, Object payload, Call<? extends R> function) {
    return call(name, Key.of(VALUE, type), payload, StepOptions.standard(), function);
  }

  /// Calls a function with options: delivery, retry, timeout, undo.
  public <R> R call(
      String name, Class<R> type, StepOptions<R> options, Call<? extends R> function) {
    return call(name, Key.of(VALUE, type), null, options, function);
  }

  /// Calls a function with a payload and options.
  public <R> R call(
      String name,
      Class<R> type,
      Object payload,
      StepOptions<R> options,
      Call<? extends R> function) {
    return call(name, Key.of(VALUE, type), payload, options, function);
  }

  /// Calls a function whose result has the type of a key, such as a list.
  ///
  /// @param payload null for none
  public <R> R call(
      String name,
      Key<R> type,
      @Nullable Object payload,
      StepOptions<R> options,
      Call<? extends R> function) {
    BoundKey<R> key = BoundKey.toWrite(Key.of(VALUE, type.type()));
    EffectHandler handler = call -> encoded(name, key, function.of(call));
    Context result = step(name, key, payload, options, handler);
    return decode(name, key, result.get(VALUE));
  }

  /// Calls a function without a result.
  public void run(String name, Action function) {
    run(name, null, StepOptions.standard(), function);
  }

  /// Calls a function without a result, with options.
  ///
  /// @param payload recorded and compared; null for none
  public void run(
      String name, @Nullable Object payload, StepOptions<Void> options, Action function) {
    Context with = with("void", payload);
    EffectHandler handler =
        call -> {
          function.of(call);
          return Context.empty();
        };
    var _ =
        run.step(
            ScriptStep.call(
                name,
                with,
                options.options(),
                options.excepting(handler),
                options.undo(_ -> null)));
  }

  private <R> Context step(
      String name,
      BoundKey<R> key,
      @Nullable Object payload,
      StepOptions<R> options,
      EffectHandler handler) {
    Context with = with(key.type().toString(), payload);
    return run.step(
        ScriptStep.call(
            name,
            with,
            options.options(),
            options.excepting(handler),
            options.undo(result -> decode(name, key, result.get(VALUE)))));
  }

  private static Context with(String type, @Nullable Object payload) {
    Context with = Context.of(TYPE, type);
    return payload == null ? with : with.with(PAYLOAD, payload(payload));
  }

  private static @Nullable Object payload(Object payload) {
    try {
      return Codecs.stored(payload);
    } catch (ValueException e) {
      throw e.in(PAYLOAD);
    }
  }

  /// The result as it is read back: the first run must not see more than a later one. A value that
  /// cannot be stored fails for good: the function has been called, and a further call would not
  /// help.
  private static Context encoded(String name, BoundKey<?> key, @Nullable Object value)
      throws EffectException {
    try {
      Encoder out = new Encoder();
      out.context(Context.of(VALUE, key.encode(value)));
      return new Decoder(out.toBytes()).context();
    } catch (ValueException e) {
      throw new EffectException(
          Failure.EXPRESSION,
          "the result of step " + name + " cannot be stored: " + e.getMessage());
    }
  }

  private static <R> R decode(String name, BoundKey<R> key, @Nullable Object stored) {
    try {
      return key.decode(stored);
    } catch (ValueException e) {
      throw new IllegalStateException(
          "the result of step " + name + " is not readable: " + e.getMessage(), e);
    }
  }

  /// Waits. The case keeps the time; beyond a limit the script leaves memory meanwhile.
  public void sleep(Duration time) {
    var _ = run.step(ScriptStep.sleep(time));
  }

  /// Waits for a signal and returns its payload. A signal without a payload returns null.
  public <T> T await(Signal<T> signal) {
    Context result = received(signal, ScriptStep.await(signal.name(), null));
    return payload(signal, result);
  }

  /// Waits for a signal at most for a time; empty if none came.
  public <T> Optional<T> await(Signal<T> signal, Duration time) {
    if (signal.isEmpty()) {
      throw new IllegalArgumentException(
          "await %s: the signal has no payload to return; use received(signal, time)"
              .formatted(signal.name()));
    }
    Context result = received(signal, ScriptStep.await(signal.name(), time));
    return result.has(ScriptStep.SIGNAL) ? Optional.of(payload(signal, result)) : Optional.empty();
  }

  /// Waits for a signal at most for a time and returns whether it came.
  public boolean received(Signal<?> signal, Duration time) {
    return received(signal, ScriptStep.await(signal.name(), time)).has(ScriptStep.SIGNAL);
  }

  /// From now on the payload is checked when the signal comes in.
  private Context received(Signal<?> signal, ScriptStep step) {
    awaited.add(signal);
    return run.step(step);
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // Void has no other value
  private static <T> T payload(Signal<T> signal, Context result) {
    if (signal.isEmpty()) {
      return null;
    }
    Map<?, ?> sent = (Map<?, ?>) result.get(ScriptStep.SIGNAL);
    BoundKey<T> key = BoundKey.toWrite(signal.payload());
    return decode("await " + signal.name(), key, sent == null ? null : sent.get(key.entry()));
  }

  /// Runs another workflow as a child case and returns its result. The child is cancelled with the
  /// script.
  public <A, R> R child(String name, Workflow<A, R> workflow, A input) {
    Context start = workflow.encode(input);
    ChildCase child = new ChildCase(workflow, _ -> start, Function.identity());
    Context payload = Context.of(PAYLOAD, start.toMap());
    Context result = run.step(ScriptStep.child(name, workflow.name(), payload, child));
    Context end = Context.empty();
    for (Map.Entry<?, ?> each :
        ((Map<?, ?>) java.util.Objects.requireNonNull(result.get(VALUE))).entrySet()) {
      end = end.with(String.valueOf(each.getKey()), each.getValue());
    }
    return workflow.decode(end);
  }

  /// Performs the work of every item, at most a number of them at once, and returns the results in
  /// the order of the list. The first failure cancels the others and is thrown.
  public <T, R> List<R> all(List<T> items, int limit, ScriptItems.Work<? super T, ? extends R> work)
      throws Exception {
    return run.all(items, limit, work);
  }

  /// The current time, recorded.
  public Instant now() {
    return Instant.ofEpochMilli(run.now());
  }

  /// A random number from 0, inclusive, to 1, exclusive, recorded.
  public double random() {
    return run.random();
  }

  /// A random UUID, recorded.
  public UUID uuid() {
    return run.uuid();
  }

  /// The version of a part of the code that this case runs: `current` for a case that has not come
  /// this far before, what it recorded then for one that has, and 0 for a case that had passed this
  /// point before the mark was added.
  public int version(String name, int current) {
    if (current < 1) {
      throw new IllegalArgumentException(
          "version " + name + ": current is at least 1, got " + current);
    }
    return run.version(name, current);
  }
}
