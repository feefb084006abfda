package dev.damask.typed;

import dev.damask.value.Bytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The codec of a type without parts.
///
/// @param read returns null for a stored form that is none of this type
/// @param absent what a missing component has; null when the type has no default
/// @param isImmutable whether objects of the type cannot change
record ScalarCodec(
    String name,
    Function<Object, Object> write,
    Function<Object, @Nullable Object> read,
    @Nullable Object absent,
    boolean isImmutable)
    implements Codec {
  /// The codecs of the types that the JDK defines.
  static final Map<Class<?>, Codec> ALL = all();

  @Override
  public @Nullable Object encode(@Nullable Object value) {
    if (value == null) {
      throw new ValueException("null is not allowed; declare Optional<" + name + ">");
    }
    return write.apply(value);
  }

  @Override
  public Object decode(@Nullable Object stored) {
    Object value;
    try {
      value = stored == null ? null : read.apply(stored);
    } catch (ArithmeticException | DateTimeException | IllegalArgumentException e) {
      value = null;
    }
    if (value == null) {
      throw ValueException.expected(name, stored);
    }
    return value;
  }

  @Override
  public @Nullable Object missing() {
    return absent == null ? Codec.super.missing() : absent;
  }

  @Override
  public boolean isStable(Set<Codec> seen) {
    return isImmutable;
  }

  @Override
  public boolean isFrozen(Set<Codec> seen) {
    return isImmutable;
  }

  private static Map<Class<?>, Codec> all() {
    Map<Class<?>, Codec> all = new HashMap<>();
    same(all, String.class);
    numbers(all);
    times(all);
    text(all, UUID.class, UUID::fromString);
    text(all, URI.class, URI::create);
    put(all, boolean.class, Function.identity(), v -> v instanceof Boolean ? v : null, false);
    put(all, Boolean.class, Function.identity(), v -> v instanceof Boolean ? v : null, null);
    Function<Object, @Nullable Object> character =
        v -> v instanceof String text && text.length() == 1 ? text.charAt(0) : null;
    put(all, char.class, String::valueOf, character, '\0');
    put(all, Character.class, String::valueOf, character, null);
    all.put(
        byte[].class,
        new ScalarCodec(
            "byte[]",
            v -> Bytes.of((byte[]) v),
            v -> v instanceof Bytes bytes ? bytes.toArray() : null,
            new byte[0], // cannot be changed
            false));
    return Map.copyOf(all);
  }

  private static void same(Map<Class<?>, Codec> all, Class<?> type) {
    put(all, type, Function.identity(), v -> type.isInstance(v) ? v : null, null);
  }

  private static void numbers(Map<Class<?>, Codec> all) {
    integer(all, long.class, Long.class, BigDecimal::longValueExact, 0L);
    integer(all, int.class, Integer.class, BigDecimal::intValueExact, 0);
    integer(all, short.class, Short.class, BigDecimal::shortValueExact, (short) 0);
    integer(all, byte.class, Byte.class, BigDecimal::byteValueExact, (byte) 0);
    Function<Object, @Nullable Object> real = v -> v instanceof Number n ? n.doubleValue() : null;
    put(all, double.class, Function.identity(), real, 0.0);
    put(all, Double.class, Function.identity(), real, null);
    Function<Object, Object> widened = v -> (double) (float) v;
    Function<Object, @Nullable Object> narrow = v -> v instanceof Number n ? n.floatValue() : null;
    put(all, float.class, widened, narrow, 0.0f);
    put(all, Float.class, widened, narrow, null);
    put(all, BigDecimal.class, Function.identity(), ScalarCodec::decimal, null);
    put(
        all,
        BigInteger.class,
        Function.identity(),
        v -> {
          BigDecimal number = decimal(v);
          return number == null ? null : number.toBigIntegerExact();
        },
        null);
  }

  private static void integer(
      Map<Class<?>, Codec> all,
      Class<?> primitive,
      Class<?> boxed,
      Function<BigDecimal, Object> exact,
      Object zero) {
    Function<Object, @Nullable Object> read =
        v -> {
          if (boxed == Long.class && v instanceof Long) {
            return v;
          }
          BigDecimal number = decimal(v);
          return number == null ? null : exact.apply(number);
        };
    Function<Object, Object> write = v -> ((Number) v).longValue();
    put(all, primitive, write, read, zero);
    put(all, boxed, write, read, null);
  }

  private static @Nullable BigDecimal decimal(Object value) {
    return switch (value) {
      case BigDecimal number -> number;
      case Long number -> BigDecimal.valueOf(number);
      case Double number -> new BigDecimal(number.toString());
      default -> null;
    };
  }

  private static void times(Map<Class<?>, Codec> all) {
    text(all, Instant.class, Instant::parse);
    text(all, LocalDate.class, LocalDate::parse);
    text(all, LocalDateTime.class, LocalDateTime::parse);
    text(all, OffsetDateTime.class, OffsetDateTime::parse);
    text(all, ZonedDateTime.class, ZonedDateTime::parse);
    text(all, Duration.class, Duration::parse);
  }

  private static void text(
      Map<Class<?>, Codec> all, Class<?> type, Function<String, Object> parse) {
    put(all, type, Object::toString, v -> v instanceof String s ? parse.apply(s) : null, null);
  }

  private static void put(
      Map<Class<?>, Codec> all,
      Class<?> type,
      Function<Object, Object> write,
      Function<Object, @Nullable Object> read,
      @Nullable Object absent) {
    all.put(type, new ScalarCodec(type.getSimpleName(), write, read, absent, true));
  }
}
