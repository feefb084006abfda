package dev.damask.script;

import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.task.TaskOptions;
import dev.damask.value.Context;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A step that a script asks for: an effect or a wait of its case.
///
/// @param kind what is done
/// @param name the name that the step is recognised by, together with its path and occurrence
/// @param type the effect type that policies and limits know
/// @param with the payload and the type of the result, which are compared when a script runs again
/// @param options delivery, retry, timeout and cost of a call
/// @param handler performs a call, or is the child case; null for a wait
/// @param within how long a wait lasts at most; null if it has no end
/// @param undo performs the undo of a call, from its result; null if there is none
public record ScriptStep(
    Kind kind,
    String name,
    String type,
    Context with,
    TaskOptions options,
    @Nullable EffectHandler handler,
    @Nullable Duration within,
    @Nullable Undo undo) {
  /// What a step does.
  public enum Kind {
    /// Calls a handler.
    CALL,
    /// Waits for a time.
    SLEEP,
    /// Waits for a signal; the entry `signal` of the payload names its place.
    AWAIT,
    /// Starts a child case and waits for its end.
    CHILD
  }

  /// The effect type of a wait for a time.
  public static final String SLEEP = "sleep";

  /// The effect type of a wait for a signal, and the key of its place and its payload.
  public static final String SIGNAL = "signal";

  /// The key of the type of a step's result.
  public static final String TYPE = "type";

  /// How the type of the result of a child begins; the name of its workflow follows.
  private static final String CHILD_OF = "child ";

  /// The key of the result of a step.
  public static final String VALUE = "value";

  /// Undoes a step that has completed.
  @FunctionalInterface
  public interface Undo {
    /// Returns the handler that undoes a step with this result.
    EffectHandler of(Context result);
  }

  public ScriptStep {
    requireName(name);
  }

  static String requireName(String name) {
    if (name.isBlank() || name.chars().anyMatch(c -> c == '/' || c == '#' || c == '[')) {
      throw new IllegalArgumentException(
          "step '%s': a name must not be blank or contain '/', '#' or '['".formatted(name));
    }
    return name;
  }

  /// A call of a handler.
  public static ScriptStep call(
      String name, Context with, TaskOptions options, EffectHandler handler, @Nullable Undo undo) {
    return new ScriptStep(Kind.CALL, name, name, with, options, handler, null, undo);
  }

  /// A child case. Its result is the context that the child completed with, under [#VALUE].
  ///
  /// @param payload the key and the value that are compared when the script runs again
  /// @param child the child case; it is never called
  public static ScriptStep child(
      String name, String workflow, Context payload, EffectHandler child) {
    Context with = payload.with(TYPE, CHILD_OF + workflow);
    return new ScriptStep(Kind.CHILD, name, name, with, TaskOptions.DEFAULT, child, null, null);
  }

  /// Whether an intent is that of a step that waits for a child case.
  public static boolean isChild(EffectIntent intent) {
    return intent.step()
        && intent.with().get(TYPE) instanceof String type
        && type.startsWith(CHILD_OF);
  }

  /// A wait for a time.
  public static ScriptStep sleep(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("sleep: a duration is not negative, got " + time);
    }
    return wait(Kind.SLEEP, SLEEP, SLEEP, Context.empty(), time);
  }

  /// A wait for a signal.
  ///
  /// @param within how long at most; null if it has no end
  public static ScriptStep await(String place, @Nullable Duration within) {
    return wait(Kind.AWAIT, "await " + place, SIGNAL, Context.of(SIGNAL, place), within);
  }

  private static ScriptStep wait(
      Kind kind, String name, String type, Context with, @Nullable Duration within) {
    return new ScriptStep(kind, name, type, with, TaskOptions.DEFAULT, null, within, null);
  }
}
