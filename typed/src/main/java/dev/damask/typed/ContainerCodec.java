package dev.damask.typed;

import dev.damask.value.Bytes;
import dev.damask.value.Encoder;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The codecs of types that hold values of other types.
sealed interface ContainerCodec extends Codec {
  Codec inner();

  @Override
  default void shapes(Map<String, String> all) {
    inner().shapes(all);
  }

  @Override
  default boolean isFrozen(Set<Codec> seen) {
    return inner().isFrozen(seen);
  }

  /// Encodes the items of a list, a set or an array.
  static List<@Nullable Object> encodeAll(Iterable<?> items, int size, Codec codec) {
    List<@Nullable Object> all = new ArrayList<>(size);
    for (Object item : items) {
      try {
        all.add(codec.encode(item));
      } catch (ValueException e) {
        throw e.in("[" + all.size() + "]");
      }
    }
    return all;
  }

  static List<@Nullable Object> decodeAll(String name, @Nullable Object stored, Codec codec) {
    if (!(stored instanceof List<?> items)) {
      throw ValueException.expected(name, stored);
    }
    List<@Nullable Object> all = new ArrayList<>(items.size());
    for (Object item : items) {
      try {
        all.add(codec.decode(item));
      } catch (ValueException e) {
        throw e.in("[" + all.size() + "]");
      }
    }
    return all;
  }

  /// The stored items of a set in an order that depends on the items only. That of a set differs
  /// between processes.
  static List<@Nullable Object> sorted(List<@Nullable Object> items) {
    if (items.size() < 2) {
      return items;
    }
    TreeMap<Bytes, @Nullable Object> all = new TreeMap<>();
    for (Object item : items) {
      Encoder out = new Encoder();
      out.value(item);
      all.put(Bytes.of(out.toBytes()), item);
    }
    return new ArrayList<>(all.values());
  }

  /// A list or a set; decoded ones cannot be changed.
  record Of(Codec inner, boolean isSet) implements ContainerCodec {
    @Override
    public @Nullable Object encode(@Nullable Object value) {
      if (!(value instanceof Collection<?> items)) {
        throw new ValueException("null is not allowed; use an empty collection");
      }
      List<@Nullable Object> all = encodeAll(items, items.size(), inner);
      return isSet ? sorted(all) : all;
    }

    @Override
    public @Nullable Object decode(@Nullable Object stored) {
      List<@Nullable Object> all = decodeAll(name(), stored, inner);
      return isSet
          ? Collections.unmodifiableSet(new LinkedHashSet<>(all))
          : Collections.unmodifiableList(all);
    }

    @Override
    public @Nullable Object missing() {
      return isSet ? Collections.emptySet() : Collections.emptyList();
    }

    @Override
    public String name() {
      return (isSet ? "Set<" : "List<") + inner.name() + ">";
    }

    @Override
    public boolean isStable(Set<Codec> seen) {
      return false; // a caller may change it later
    }
  }

  /// An optional value; empty is stored as null.
  record OfOptional(Codec inner) implements ContainerCodec {
    @Override
    public @Nullable Object encode(@Nullable Object value) {
      if (!(value instanceof Optional<?> optional)) {
        throw new ValueException("null is not allowed; use Optional.empty()");
      }
      return optional.isEmpty() ? null : inner.encode(optional.get());
    }

    @Override
    public @Nullable Object decode(@Nullable Object stored) {
      return Optional.ofNullable(stored == null ? null : inner.decode(stored));
    }

    @Override
    public @Nullable Object missing() {
      return Optional.empty();
    }

    @Override
    public String name() {
      return "Optional<" + inner.name() + ">";
    }

    @Override
    public boolean isStable(Set<Codec> seen) {
      return inner.isStable(seen);
    }
  }

  /// A component that is declared nullable.
  record OfNullable(Codec inner) implements ContainerCodec {
    @Override
    public @Nullable Object encode(@Nullable Object value) {
      return value == null ? null : inner.encode(value);
    }

    @Override
    public @Nullable Object decode(@Nullable Object stored) {
      return stored == null ? null : inner.decode(stored);
    }

    @Override
    public @Nullable Object missing() {
      return null;
    }

    @Override
    public String name() {
      return inner.name();
    }

    @Override
    public boolean isStable(Set<Codec> seen) {
      return inner.isStable(seen);
    }
  }

  /// A map; its keys are stored as strings, so decoded maps are in the order of these.
  ///
  /// @param isNumbered whether the keys are integers
  record OfMap(Codec keys, boolean isNumbered, Codec inner) implements ContainerCodec {
    @Override
    public @Nullable Object encode(@Nullable Object value) {
      if (!(value instanceof Map<?, ?> map)) {
        throw new ValueException("null is not allowed; use an empty map");
      }
      TreeMap<String, @Nullable Object> all = new TreeMap<>();
      map.forEach((key, each) -> {
        String text = String.valueOf(keys.encode(key));
        try {
          all.put(text, inner.encode(each));
        } catch (ValueException e) {
          throw e.in(text);
        }
      });
      return all;
    }

    @Override
    public @Nullable Object decode(@Nullable Object stored) {
      if (!(stored instanceof Map<?, ?> map)) {
        throw ValueException.expected(name(), stored);
      }
      Map<@Nullable Object, @Nullable Object> all = new LinkedHashMap<>();
      map.forEach((key, each) -> {
        String text = String.valueOf(key);
        try {
          all.put(keys.decode(isNumbered ? number(text) : text), inner.decode(each));
        } catch (ValueException e) {
          throw e.in(text);
        }
      });
      return Collections.unmodifiableMap(all);
    }

    private static Object number(String text) {
      try {
        return Long.valueOf(text);
      } catch (NumberFormatException e) {
        return text;
      }
    }

    @Override
    public @Nullable Object missing() {
      return Collections.emptyMap();
    }

    @Override
    public void shapes(Map<String, String> all) {
      keys.shapes(all);
      inner.shapes(all);
    }

    @Override
    public String name() {
      return "Map<" + keys.name() + ", " + inner.name() + ">";
    }

    @Override
    public boolean isStable(Set<Codec> seen) {
      return false;
    }
  }

  /// An array, whose elements any code may change.
  final class OfArray implements ContainerCodec {
    private final Class<?> component;
    private final Codec inner;
    private final MethodHandle length;
    private final MethodHandle get;
    private final MethodHandle set;
    private final MethodHandle make;

    OfArray(Class<?> array, Codec inner) {
      this.component = array.getComponentType();
      this.inner = inner;
      MethodType reading = MethodType.methodType(Object.class, Object.class, int.class);
      MethodType writing = MethodType.methodType(void.class, Object.class, int.class, Object.class);
      MethodType sizing = MethodType.methodType(int.class, Object.class);
      MethodType making = MethodType.methodType(Object.class, int.class);
      this.get = MethodHandles.arrayElementGetter(array).asType(reading);
      this.set = MethodHandles.arrayElementSetter(array).asType(writing);
      this.length = MethodHandles.arrayLength(array).asType(sizing);
      this.make = MethodHandles.arrayConstructor(array).asType(making);
    }

    @Override
    public Codec inner() {
      return inner;
    }

    @Override
    public @Nullable Object encode(@Nullable Object value) {
      if (value == null) {
        throw new ValueException("null is not allowed; use an empty array");
      }
      try {
        int size = (int) length.invokeExact(value);
        List<@Nullable Object> items = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
          items.add((Object) get.invokeExact(value, i));
        }
        return encodeAll(items, size, inner);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new ValueException("the array cannot be read: " + e, e);
      }
    }

    @Override
    public @Nullable Object decode(@Nullable Object stored) {
      List<@Nullable Object> items = decodeAll(name(), stored, inner);
      try {
        Object array = (Object) make.invokeExact(items.size());
        for (int i = 0; i < items.size(); i++) {
          set.invokeExact(array, i, items.get(i));
        }
        return array;
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new ValueException("the array cannot be created: " + e, e);
      }
    }

    @Override
    public @Nullable Object missing() {
      return decode(List.of());
    }

    @Override
    public String name() {
      return component.getSimpleName() + "[]";
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
}
