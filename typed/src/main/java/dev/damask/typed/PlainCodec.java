package dev.damask.typed;

import dev.damask.value.Context;
import dev.damask.value.Values;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The codec of values that are stored as they are: `Object` for any, `Context` for a map.
///
/// @param isContext whether a map is decoded to a context
record PlainCodec(boolean isContext) implements Codec {
  @Override
  public @Nullable Object encode(@Nullable Object value) {
    try {
      return Values.of(value);
    } catch (IllegalArgumentException e) {
      throw new ValueException(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public @Nullable Object decode(@Nullable Object stored) {
    if (!isContext) {
      return stored;
    }
    if (!(stored instanceof Map<?, ?> map)) {
      throw ValueException.expected(name(), stored);
    }
    Context[] context = {Context.empty()};
    map.forEach((key, each) -> context[0] = context[0].with(String.valueOf(key), each));
    return context[0];
  }

  @Override
  public @Nullable Object missing() {
    return isContext ? Context.empty() : null;
  }

  @Override
  public String name() {
    return isContext ? "Context" : "Object";
  }

  @Override
  public boolean isStable(Set<Codec> seen) {
    return isContext;
  }

  @Override
  public boolean isFrozen(Set<Codec> seen) {
    return true;
  }
}
