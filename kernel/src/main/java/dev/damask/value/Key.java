package dev.damask.value;

/// A typed name of a context entry: `Key<Long> AMOUNT = Key.of("amount", Long.class)`.
public record Key<T>(String name, Class<T> type) {
  public Key {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("a key needs a name");
    }
  }

  /// Returns a key. Throws `IllegalArgumentException` if the name is empty.
  public static <T> Key<T> of(String name, Class<T> type) {
    return new Key<>(name, type);
  }
}
