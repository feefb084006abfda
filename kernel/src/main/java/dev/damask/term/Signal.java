package dev.damask.term;

import dev.damask.value.Key;

/// A typed message from outside: an external place and the type of what is sent to it.
///
/// @param name of the place
/// @param payload the context key that holds the payload after the signal was taken; its type is
///   `Void` for a signal without one
public record Signal<T>(String name, Key<T> payload) {
  public Signal {
    Names.require("signal", name);
    if (payload.isView()) {
      throw new IllegalArgumentException(
          "signal " + name + ": the payload is written to a key, not to the view " + payload);
    }
  }

  /// The signal with a payload, which is kept under the signal's name.
  public static <T> Signal<T> of(String name, Class<T> payload) {
    return new Signal<>(name, Key.of(name, payload));
  }

  /// The signal without a payload.
  public static Signal<Void> of(String name) {
    return new Signal<>(name, Key.of(name, Void.class));
  }

  /// Whether the signal carries nothing.
  public boolean isEmpty() {
    return payload.type().raw() == Void.class;
  }
}
