package dev.damask.typed;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The codec of an enum: its constants by name.
final class EnumCodec implements Codec {
  private final Class<?> type;
  private final Map<String, Object> byName = new LinkedHashMap<>();

  EnumCodec(Class<?> type) {
    this.type = type;
    for (Object each : type.getEnumConstants()) {
      byName.put(((Enum<?>) each).name(), each);
    }
  }

  @Override
  public Object encode(@Nullable Object value) {
    if (value == null) {
      throw new ValueException("null is not allowed; declare Optional<" + name() + ">");
    }
    return ((Enum<?>) value).name();
  }

  @Override
  public Object decode(@Nullable Object stored) {
    Object found = stored instanceof String text ? byName.get(text) : null;
    if (found == null) {
      throw ValueException.expected(name() + " (one of " + byName.keySet() + ")", stored);
    }
    return found;
  }

  @Override
  public String name() {
    return type.getSimpleName();
  }

  @Override
  public void shapes(Map<String, String> all) {
    String name = "enum " + type.getName();
    all.put(name, "");
    byName.keySet().forEach(each -> all.put(name + "." + each, "a constant"));
  }

  @Override
  public boolean isStable(Set<Codec> seen) {
    return true;
  }

  @Override
  public boolean isFrozen(Set<Codec> seen) {
    return true;
  }
}
