package dev.damask.typed;

import dev.damask.value.Values;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Wraps a codec of the user. What it writes is read once before it is stored.
record UserCodec<T>(ValueCodec<T> codec) implements Codec {
  @Override
  public @Nullable Object encode(@Nullable Object value) {
    if (value == null) {
      throw new ValueException("null is not allowed; declare Optional<" + name() + ">");
    }
    try {
      Object stored = Values.of(codec.encode(codec.type().cast(value)));
      Object read = codec.decode(stored);
      if (read == null) {
        throw new ValueException("the codec of " + name() + " decodes to null");
      }
      return stored;
    } catch (ValueException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new ValueException("the codec of " + name() + " fails: " + e.getMessage(), e);
    }
  }

  @Override
  public @Nullable Object decode(@Nullable Object stored) {
    try {
      return codec.decode(stored);
    } catch (RuntimeException e) {
      throw new ValueException("no " + name() + ": " + e.getMessage(), e);
    }
  }

  @Override
  public String name() {
    return codec.type().getSimpleName();
  }

  @Override
  public boolean isStable(Set<Codec> seen) {
    return false;
  }

  @Override
  public boolean isFrozen(Set<Codec> seen) {
    return false;
  }
}
