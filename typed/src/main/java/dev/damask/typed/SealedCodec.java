package dev.damask.typed;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The codec of a sealed interface of records: the map of the record with its simple name under
/// [RecordCodec#TAG].
final class SealedCodec implements Codec {
  private final Class<?> type;
  private final Map<Class<?>, Codec> byClass = new HashMap<>();
  private final Map<String, Codec> byTag = new TreeMap<>();

  SealedCodec(Class<?> type) {
    this.type = type;
  }

  /// Adds one of the records.
  void add(Class<?> leaf, Codec codec) {
    byClass.put(leaf, codec);
    if (byTag.put(leaf.getSimpleName(), codec) != null) {
      throw new ValueException(
          "two records of %s are named %s; rename one"
              .formatted(type.getSimpleName(), leaf.getSimpleName()));
    }
  }

  @Override
  public @Nullable Object encode(@Nullable Object value) {
    Codec codec = value == null ? null : byClass.get(value.getClass());
    if (codec == null) {
      throw new ValueException("null is not allowed; declare Optional<" + name() + ">");
    }
    return codec.encode(value);
  }

  @Override
  public @Nullable Object decode(@Nullable Object stored) {
    Object tag = stored instanceof Map<?, ?> map ? map.get(RecordCodec.TAG) : null;
    Codec codec = tag instanceof String text ? byTag.get(text) : null;
    if (codec == null) {
      throw stored instanceof Map
          ? new ValueException(
              "%s is one of %s, found %s %s"
                  .formatted(name(), byTag.keySet(), RecordCodec.TAG, tag))
          : ValueException.expected(name(), stored);
    }
    return codec.decode(stored);
  }

  @Override
  public String name() {
    return type.getSimpleName();
  }

  @Override
  public void shapes(Map<String, String> all) {
    String name = "sealed " + type.getName();
    if (all.put(name, "") == null) {
      byTag.forEach((tag, codec) -> {
        all.put(name + "." + tag, "a record");
        codec.shapes(all);
      });
    }
  }

  @Override
  public boolean isStable(Set<Codec> seen) {
    return !seen.add(this) || byClass.values().stream().allMatch(each -> each.isStable(seen));
  }

  @Override
  public boolean isFrozen(Set<Codec> seen) {
    return !seen.add(this) || byClass.values().stream().allMatch(each -> each.isFrozen(seen));
  }
}
