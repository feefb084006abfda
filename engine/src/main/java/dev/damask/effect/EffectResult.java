package dev.damask.effect;

import dev.damask.task.Context;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How one call of a handler ended.
public sealed interface EffectResult {
  /// Calls a handler and says how it went.
  static EffectResult of(EffectCall call, EffectHandler handler) {
    try {
      return new Ok(context(call, handler.call(call)));
    } catch (InterruptedException e) {
      return new Interrupted();
    } catch (EffectFailed e) {
      return new Failed(e.reason(), String.valueOf(e.getMessage()));
    } catch (Exception e) { // a handler may throw anything; it is the result of the attempt
      return Thread.currentThread().isInterrupted()
          ? new Interrupted()
          : new Failed("exception", e.toString());
    } catch (LinkageError | AssertionError | StackOverflowError e) {
      return new Failed("exception", e.toString());
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

  /// It gave this result.
  record Ok(Context result) implements EffectResult {}

  /// The attempt failed.
  record Failed(String reason, String detail) implements EffectResult {}

  /// Another effect with the same key had been performed; this is its result.
  ///
  /// @param origin the case and number of the receipt
  record Same(String origin, Context result) implements EffectResult {}

  /// The call was interrupted because its task was withdrawn or the engine closes.
  record Interrupted() implements EffectResult {}
}
