package dev.damask.effect;

import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Carries records of users into contexts and back, component by component: a component is an entry
/// of its name, a record inside a record is a map. Contexts themselves know nothing of classes, so
/// a record may change under a waiting case as long as its components can still be read.
///
/// A record of a named module must be in a package that is exported or opened to this one.
public final class Records {
  private Records() {}

  /// The components of a record as entries.
  public static Context context(Record record) {
    return Context.from(map(record));
  }

  /// A value with every record in it replaced by a map.
  static @Nullable Object plain(@Nullable Object value) {
    return switch (value) {
      case Record record -> map(record);
      case Collection<?> items -> {
        List<@Nullable Object> plain = new ArrayList<>();
        items.forEach(item -> plain.add(plain(item)));
        yield plain;
      }
      case Map<?, ?> entries -> {
        Map<String, @Nullable Object> plain = new TreeMap<>();
        entries.forEach((key, each) -> plain.put(String.valueOf(key), plain(each)));
        yield plain;
      }
      case null, default -> value;
    };
  }

  private static Map<String, @Nullable Object> map(Record record) {
    Map<String, @Nullable Object> entries = new TreeMap<>();
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      try {
        component.getAccessor().setAccessible(true);
        entries.put(component.getName(), plain(component.getAccessor().invoke(record)));
      } catch (ReflectiveOperationException | RuntimeException e) {
        throw unusable(record.getClass(), component.getName(), e);
      }
    }
    return entries;
  }

  /// The record whose components are the entries of a context. Entries without a component are left
  /// out. A component without an entry is null; one of a primitive type must have an entry.
  public static <R extends Record> R read(Context context, Class<R> type) {
    return record(context.toMap(), type, type.getSimpleName());
  }

  private static <R> R record(Map<?, ?> entries, Class<R> type, String path) {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    @Nullable Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      String name = components[i].getName();
      values[i] = value(entries.get(name), components[i].getGenericType(), path + "." + name);
    }
    try {
      var constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(path + " refused its components: " + e.getCause(), e);
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw unusable(type, "its constructor", e);
    }
  }

  private static @Nullable Object value(@Nullable Object found, Type type, String path) {
    Class<?> wanted = raw(type);
    if (found == null) {
      if (wanted.isPrimitive()) {
        throw misfit(path, wanted, "nothing");
      }
      return null;
    }
    return switch (found) {
      case Long number -> number(BigDecimal.valueOf(number), number, wanted, path);
      case Double number -> real(number, wanted, path);
      case BigDecimal number -> number(number, number, wanted, path);
      case String text when wanted.isEnum() -> constant(text, wanted, path);
      case Bytes bytes when wanted == byte[].class -> bytes.toArray();
      case Boolean flag when wanted == boolean.class -> flag;
      case List<?> items when wanted.isAssignableFrom(List.class) && wanted != Object.class ->
          list(items, argument(type, 0), path);
      case Map<?, ?> entries when wanted.isRecord() -> record(entries, wanted, path);
      case Map<?, ?> entries when wanted == Map.class -> {
        Map<String, @Nullable Object> copy = new TreeMap<>();
        Type each = argument(type, 1);
        entries.forEach(
            (key, item) -> copy.put(String.valueOf(key), value(item, each, path + "." + key)));
        yield copy;
      }
      default -> {
        if (!wanted.isInstance(found)) {
          throw misfit(path, wanted, "a " + found.getClass().getSimpleName());
        }
        yield found;
      }
    };
  }

  private static List<@Nullable Object> list(List<?> items, Type each, String path) {
    List<@Nullable Object> copy = new ArrayList<>();
    for (Object item : items) {
      copy.add(value(item, each, path + "[" + copy.size() + "]"));
    }
    return copy;
  }

  private static Object real(Double number, Class<?> wanted, String path) {
    if (wanted == double.class || wanted.isInstance(number)) {
      return number;
    }
    if (wanted == float.class || wanted == Float.class) {
      return number.floatValue();
    }
    throw misfit(path, wanted, "the double " + number);
  }

  /// A whole number or a decimal as the type that was asked for, without loss.
  private static Object number(BigDecimal number, Object found, Class<?> wanted, String path) {
    try {
      if (wanted == long.class || wanted == Long.class) {
        return number.longValueExact();
      } else if (wanted == int.class || wanted == Integer.class) {
        return number.intValueExact();
      } else if (wanted == short.class || wanted == Short.class) {
        return number.shortValueExact();
      } else if (wanted == byte.class || wanted == Byte.class) {
        return number.byteValueExact();
      } else if (wanted == double.class || wanted == Double.class) {
        return number.doubleValue();
      } else if (wanted == BigDecimal.class) {
        return number;
      } else if (wanted == BigInteger.class) {
        return number.toBigIntegerExact();
      }
    } catch (ArithmeticException e) {
      throw misfit(path, wanted, String.valueOf(found));
    }
    if (wanted.isInstance(found)) {
      return found;
    }
    throw misfit(path, wanted, "the number " + found);
  }

  private static Object constant(String text, Class<?> wanted, String path) {
    for (Object constant : wanted.getEnumConstants()) {
      if (((Enum<?>) constant).name().equals(text)) {
        return constant;
      }
    }
    throw misfit(path, wanted, "'" + text + "'");
  }

  private static Class<?> raw(Type type) {
    return switch (type) {
      case Class<?> plain -> plain;
      case ParameterizedType generic -> (Class<?>) generic.getRawType();
      default -> Object.class;
    };
  }

  private static Type argument(Type type, int index) {
    return type instanceof ParameterizedType generic
        ? generic.getActualTypeArguments()[index]
        : Object.class;
  }

  private static IllegalArgumentException misfit(String path, Class<?> wanted, String found) {
    return new IllegalArgumentException(
        path + " is of type " + wanted.getSimpleName() + ", found " + found);
  }

  private static IllegalArgumentException unusable(Class<?> type, String part, Exception cause) {
    return new IllegalArgumentException(
        "record %s cannot be used (%s); export or open its package to dev.damask.engine"
            .formatted(type.getName(), part),
        cause);
  }
}
