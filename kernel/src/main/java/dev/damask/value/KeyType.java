package dev.damask.value;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The Java type of a value with its type arguments, such as `List<Line>`.
///
/// @param raw the class; boxed for a primitive type
/// @param arguments one per type parameter of the class; empty for a class without any
public record KeyType(Class<?> raw, List<KeyType> arguments) {
  public KeyType {
    arguments = List.copyOf(arguments);
  }

  /// The type of a class, with type arguments that are classes themselves.
  public static KeyType of(Class<?> raw, Class<?>... arguments) {
    return new KeyType(raw, List.of(arguments).stream().map(each -> of(each)).toList());
  }

  /// The type of a generic class.
  public static KeyType of(Class<?> raw, KeyType... arguments) {
    return new KeyType(raw, List.of(arguments));
  }

  /// The type of a class without type parameters.
  public static KeyType of(Class<?> raw) {
    return new KeyType(raw, List.of());
  }

  /// The type of a list.
  public static KeyType list(KeyType items) {
    return of(List.class, items);
  }

  /// The type of a map with string keys.
  public static KeyType map(KeyType values) {
    return of(Map.class, of(String.class), values);
  }

  /// The type of an optional value.
  public static KeyType optional(KeyType value) {
    return of(Optional.class, value);
  }

  @Override
  public String toString() {
    String name = raw.getSimpleName();
    return arguments.isEmpty()
        ? name
        : name + "<" + String.join(", ", arguments.stream().map(String::valueOf).toList()) + ">";
  }
}
