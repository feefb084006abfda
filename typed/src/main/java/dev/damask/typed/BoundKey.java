package dev.damask.typed;

import dev.damask.task.ExpressionFailure;
import dev.damask.value.Context;
import dev.damask.value.Key;
import dev.damask.value.KeyType;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A key with the codec of its type.
final class BoundKey<T> {
  private final Key<T> key;
  private final String entry; // the name of the context entry that is read
  private final Codec codec; // of the entry

  private BoundKey(Key<T> key, Codec codec) {
    this.key = key;
    this.entry = key.entry().name();
    this.codec = codec;
  }

  /// Throws [ValueException] with the key's name if values of its type cannot be stored.
  static <T> BoundKey<T> of(Key<T> key) {
    Key<?> entry = key.entry();
    try {
      return new BoundKey<>(key, Codecs.of(entry.type()));
    } catch (ValueException e) {
      throw e.in(entry.name());
    }
  }

  /// Throws `IllegalArgumentException` if the key is a view, which cannot be written.
  static <T> BoundKey<T> toWrite(Key<T> key) {
    if (key.isView()) {
      throw new IllegalArgumentException(
          "'" + key.name() + "' is a view and cannot be written; write the key it reads");
    }
    return of(key);
  }

  Key<T> key() {
    return key;
  }

  /// The name of the context entry.
  String entry() {
    return entry;
  }

  /// The type of the context entry.
  KeyType type() {
    return key.entry().type();
  }

  /// Adds the types of the users that the context entry consists of, with their parts.
  void shapes(Map<String, String> all) {
    codec.shapes(all);
  }

  /// The value in a context. Throws [ExpressionFailure] if it is missing or has another type.
  @SuppressWarnings("unchecked") // the codec is the one of the key's type
  T read(Context context) {
    try {
      return key.isView() ? key.read(new FromContext(context)) : (T) entry(context);
    } catch (ValueException e) {
      boolean isMissing = !context.has(entry);
      throw new ExpressionFailure(String.valueOf(e.getMessage()), isMissing);
    }
  }

  private Object entry(Context context) {
    Object stored = context.get(entry);
    if (stored == null && !context.has(entry)) {
      throw new ValueException("missing; the case has no such entry").in(entry);
    }
    try {
      return decoded(stored);
    } catch (ValueException e) {
      throw e.in(entry);
    }
  }

  /// What is wrong with the value in a context, with its path; empty if it can be read.
  List<String> problems(Context context) {
    if (!context.has(entry)) {
      return List.of(entry + ": missing; " + codec.name() + " is expected");
    }
    try {
      Object _ = read(context);
      return List.of();
    } catch (ExpressionFailure e) {
      return List.of(String.valueOf(e.getMessage()));
    }
  }

  /// What is wrong with a payload that may have the type of any of some keys; empty if it has one
  /// of them, or if there is no key.
  static List<String> problems(List<? extends BoundKey<?>> keys, Context payload) {
    List<String> problems = List.of();
    for (BoundKey<?> key : keys) {
      List<String> found = key.problems(payload);
      if (found.isEmpty()) {
        return List.of();
      }
      problems = problems.isEmpty() ? found : problems;
    }
    return problems;
  }

  /// The value of a stored form. Throws [ValueException] with the path.
  @SuppressWarnings("unchecked") // the codec is the one of the key's type
  T decode(@Nullable Object stored) {
    try {
      return (T) decoded(stored);
    } catch (ValueException e) {
      throw e.in(entry);
    }
  }

  private Object decoded(@Nullable Object stored) {
    Object value = codec.decode(stored);
    if (value == null) {
      throw ValueException.expected(codec.name(), null);
    }
    return value;
  }

  /// The stored form of a value. Throws [ValueException] with the path.
  @Nullable Object encode(@Nullable Object value) {
    try {
      return codec.encode(value);
    } catch (ValueException e) {
      throw e.in(entry);
    } catch (StackOverflowError e) { // the encoder follows the nesting of the value
      throw new ValueException("the value nests too deeply", e).in(entry);
    }
  }

  private final class FromContext implements Key.Reader {
    private final Context context;

    FromContext(Context context) {
      this.context = context;
    }

    @Override
    @SuppressWarnings("unchecked") // the codec is the one of the entry's type
    public <V> V entry(Key<V> base) {
      return (V) BoundKey.this.entry(context);
    }
  }
}
