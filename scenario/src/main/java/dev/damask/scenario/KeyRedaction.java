package dev.damask.scenario;

import dev.damask.value.Context;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Replaces the values of some keys, at any depth: a string by `redacted`, a number by 0, anything
/// else by null.
final class KeyRedaction {
  private final Set<String> keys;

  KeyRedaction(Set<String> keys) {
    this.keys = Set.copyOf(keys);
  }

  boolean isEmpty() {
    return keys.isEmpty();
  }

  Context of(Context context) {
    Context redacted = context;
    for (Map.Entry<String, @Nullable Object> each : context.toMap().entrySet()) {
      redacted = redacted.with(each.getKey(), of(each.getKey(), each.getValue()));
    }
    return redacted;
  }

  private @Nullable Object of(String key, @Nullable Object value) {
    if (!keys.contains(key)) {
      return of(value);
    }
    if (value instanceof String) {
      return "redacted";
    }
    return value instanceof Number ? 0L : null;
  }

  @Nullable Object of(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> copy = new LinkedHashMap<>();
      map.forEach((key, each) -> copy.put(String.valueOf(key), of(String.valueOf(key), each)));
      return copy;
    }
    if (value instanceof List<?> list) {
      return list.stream().<@Nullable Object>map(this::of).toList();
    }
    return value;
  }
}
