package dev.damask.task;

import dev.damask.value.Context;
import org.jspecify.annotations.Nullable;

/// A plain Java method that performs an effect. It may block and may throw.
///
/// A map it returns is written into the context entry by entry; null writes nothing.
@FunctionalInterface
public interface EffectFunction {
  /// Performs the effect and returns its result.
  @Nullable Object call(Context context) throws Exception;
}
