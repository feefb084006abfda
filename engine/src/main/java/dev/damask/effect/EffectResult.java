package dev.damask.effect;

import dev.damask.event.Failure;
import dev.damask.task.RetryHint;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// How one call of a handler ended.
public sealed interface EffectResult {
  /// Calls a handler and returns how it ended. Whatever the handler throws ends this attempt and no
  /// other call.
  static EffectResult of(EffectCall call, EffectHandler handler) {
    return of(call, handler, _ -> {});
  }

  /// Calls a handler and returns how it ended.
  ///
  /// @param failed receives what the handler throws, unless it follows an interrupt
  static EffectResult of(EffectCall call, EffectHandler handler, Consumer<Throwable> failed) {
    try {
      Object value = handler.call(call);
      return value instanceof JoiningHandler.Finished finished
          ? joined(call, finished)
          : new Ok(context(call, value));
    } catch (InterruptedException e) {
      return new Interrupted();
    } catch (EffectException e) {
      failed.accept(e);
      return new Failed(e.reason(), String.valueOf(e.getMessage()), e.hint());
    } catch (Throwable e) { // also a Throwable that is neither an exception nor an error
      if (e instanceof Exception && Thread.currentThread().isInterrupted()) {
        return new Interrupted();
      }
      failed.accept(e);
      return new Failed(EXCEPTION, text(e));
    }
  }

  /// Returns the text of a throwable; the name of its class if its methods fail.
  static String text(Throwable thrown) {
    try {
      return String.valueOf(thrown.toString());
    } catch (RuntimeException | Error e) {
      return thrown.getClass().getName();
    }
  }

  /// The reason of an attempt whose handler threw another exception.
  String EXCEPTION = "exception";

  /// Whether an attempt that failed with this reason may have reached the external system. A
  /// handler that knows better throws [EffectException] with another reason, or [EffectNotSent].
  static boolean isUnknown(String reason) {
    return switch (reason) {
      case Failure.UNKNOWN_OUTCOME, Failure.TIMEOUT, EXCEPTION -> true;
      default -> false;
    };
  }

  /// A result that cannot be stored must not become durable with the transaction.
  private static EffectResult joined(EffectCall call, JoiningHandler.Finished finished) {
    boolean isStorable = false;
    try {
      Joined joined = new Joined(context(call, finished.value()), finished.transaction());
      isStorable = true;
      return joined;
    } finally {
      if (!isStorable) {
        finished.transaction().rollback();
      }
    }
  }

  private static Context context(EffectCall call, @Nullable Object value) {
    return switch (value) {
      case null -> Context.empty();
      case Context context -> context;
      case Map<?, ?> map -> {
        Context context = Context.empty();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          Object each = Records.plain(entry.getValue());
          context = context.with(String.valueOf(entry.getKey()), each);
        }
        yield context;
      }
      case Record record -> Records.context(record);
      default -> Context.of(call.task(), Records.plain(value));
    };
  }

  /// The call has this result.
  record Ok(Context result) implements EffectResult {}

  /// The handler has worked in a transaction, which is still open: the case commits it.
  record Joined(Context result, EffectTransaction transaction) implements EffectResult {}

  /// The attempt failed.
  ///
  /// @param reason cut off after [#REASON_MAX] characters
  /// @param detail cut off after [#DETAIL_MAX] characters
  /// @param hint what the handler knows about the next attempt
  record Failed(String reason, String detail, RetryHint hint) implements EffectResult {
    static final int REASON_MAX = 1_000;
    static final int DETAIL_MAX = 16_384;

    public Failed {
      reason = cut(reason, REASON_MAX);
      detail = cut(detail, DETAIL_MAX);
    }

    public Failed(String reason, String detail) {
      this(reason, detail, RetryHint.NONE);
    }

    private static String cut(String text, int max) {
      return text.length() <= max
          ? text
          : text.substring(0, max) + "… (" + text.length() + " characters)";
    }
  }

  /// The engine cannot continue the task: it becomes an incident with this reason and text,
  /// whatever its options are. Handlers of our own modules report it.
  record Parked(String reason, String detail) implements EffectResult {}

  /// Another effect with the same key had been performed; this is its result.
  ///
  /// @param origin the case and number of the receipt
  record Same(String origin, Context result) implements EffectResult {}

  /// The function of a task, which ran outside of its shard, requests an effect.
  record Wants(EffectSpec effect, Context resume) implements EffectResult {}

  /// The call was interrupted because its task was cancelled or the engine closes.
  record Interrupted() implements EffectResult {}
}
