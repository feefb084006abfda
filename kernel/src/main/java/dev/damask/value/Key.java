package dev.damask.value;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A typed name of a context entry: `Key<Order> ORDER = Key.of(Order.class)`.
///
/// A view ([#get]) is a key that reads a part of another key's value. It names no entry, so nothing
/// can be written to it.
public final class Key<T> {
  private final String name;
  private final KeyType type;
  private final @Nullable View<?, T> view;

  /// How a view is computed.
  private record View<B, T>(Key<B> base, Function<? super B, ? extends T> function) {}

  private Key(String name, KeyType type, @Nullable View<?, T> view) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("a key needs a name");
    }
    this.name = name;
    this.type = type;
    this.view = view;
  }

  /// Returns a key. Throws `IllegalArgumentException` if the name is empty.
  public static <T> Key<T> of(String name, Class<T> type) {
    return new Key<>(name, KeyType.of(type), null);
  }

  /// The key of a class, named after it: `order` for `Order`, `lineItem` for `LineItem`.
  public static <T> Key<T> of(Class<T> type) {
    String simple = type.getSimpleName();
    if (simple.isEmpty()) {
      throw new IllegalArgumentException("a class without a name needs Key.of(name, type)");
    }
    return of(Character.toLowerCase(simple.charAt(0)) + simple.substring(1), type);
  }

  /// The key of a value with type arguments. The caller states `T`; it must match `type`.
  public static <T> Key<T> of(String name, KeyType type) {
    return new Key<>(name, type, null);
  }

  /// The key of a list.
  public static <T> Key<List<T>> list(String name, Class<T> items) {
    return new Key<>(name, KeyType.list(KeyType.of(items)), null);
  }

  /// The key of a map with string keys.
  public static <T> Key<Map<String, T>> map(String name, Class<T> values) {
    return new Key<>(name, KeyType.map(KeyType.of(values)), null);
  }

  /// A named view of this key's value. The name stands for the function in the program hash; the
  /// view's name is `key.part`. Its type is `Object` where the function alone knows it.
  public <V> Key<V> get(String part, Function<? super T, ? extends V> function) {
    return get(part, KeyType.of(Object.class), function);
  }

  /// A named view whose type is known.
  public <V> Key<V> get(String part, KeyType type, Function<? super T, ? extends V> function) {
    Objects.requireNonNull(function, "function");
    if (part.isBlank()) {
      throw new IllegalArgumentException("a view of key '" + name + "' needs a name");
    }
    return new Key<>(name + "." + part, type, new View<>(this, function));
  }

  /// The name of the entry; of a view, the key's and the part's name.
  public String name() {
    return name;
  }

  /// The declared type of the value.
  public KeyType type() {
    return type;
  }

  /// Whether this key reads a part of another one.
  public boolean isView() {
    return view != null;
  }

  /// The key whose entry is read: this key, or the key under all views.
  public Key<?> entry() {
    return view == null ? this : view.base().entry();
  }

  /// Reads the value with a function that reads entries.
  public T read(Reader reader) {
    return view == null ? reader.entry(this) : part(view, reader);
  }

  private static <B, T> T part(View<B, T> view, Reader reader) {
    return view.function().apply(view.base().read(reader));
  }

  /// Reads the entry of a key that is not a view.
  public interface Reader {
    /// Returns the value of the entry.
    <V> V entry(Key<V> key);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Key<?> key
            && name.equals(key.name)
            && type.equals(key.type)
            && Objects.equals(view, key.view));
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public String toString() {
    return name + ": " + type;
  }
}
