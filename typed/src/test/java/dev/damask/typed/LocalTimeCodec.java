package dev.damask.typed;

import java.time.LocalTime;
import org.jspecify.annotations.Nullable;

/// Stores a time of the day as a string: a codec of the user for a type of the JDK.
public final class LocalTimeCodec implements ValueCodec<LocalTime> {
  @Override
  public Class<LocalTime> type() {
    return LocalTime.class;
  }

  @Override
  public Object encode(LocalTime value) {
    return value.toString();
  }

  @Override
  public LocalTime decode(@Nullable Object stored) {
    return LocalTime.parse(String.valueOf(stored));
  }
}
