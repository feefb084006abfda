package dev.damask.typed;

import org.jspecify.annotations.Nullable;

/// Maps a type that this module does not map, such as a class of the user or `LocalTime`, to values
/// that a case can store, and back. Found with `ServiceLoader` through the class loader of the
/// type, of the record that has a component of the type, and of the thread that builds the
/// workflow.
///
/// Both methods must be pure functions. The stored form is one of: boolean, `Long`, `Double`,
/// `BigDecimal`, `String`, `byte[]` and lists and string-keyed maps of these. Before a value is
/// stored, its stored form is decoded once, so that nothing unreadable is stored.
public interface ValueCodec<T> {
  /// The class that this codec maps.
  Class<T> type();

  /// The stored form of a value.
  Object encode(T value);

  /// The value of a stored form. Throws `IllegalArgumentException` with a sentence if it is none;
  /// the caller adds the path.
  T decode(@Nullable Object stored);
}
