package dev.damask.typed;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Encodes the values of one Java type and decodes them.
interface Codec {
  /// The stored form. Throws [ValueException] if there is none.
  @Nullable Object encode(@Nullable Object value);

  /// The value of a stored form. Throws [ValueException] if it has another type.
  @Nullable Object decode(@Nullable Object stored);

  /// The value of a component that an older version of a record did not have. Throws
  /// [ValueException] if the type has no default.
  default @Nullable Object missing() {
    throw new ValueException(
        "missing; %s has no default, so declare the component Optional".formatted(name()));
  }

  /// The type as messages show it.
  String name();

  /// Adds the types of the users that stored values consist of, with their parts.
  default void shapes(Map<String, String> all) {}

  /// Whether the users' objects are immutable, as far as their types show.
  ///
  /// @param seen the codecs that are being asked already
  boolean isStable(Set<Codec> seen);

  /// Whether decoded objects cannot change.
  ///
  /// @param seen the codecs that are being asked already
  boolean isFrozen(Set<Codec> seen);
}
