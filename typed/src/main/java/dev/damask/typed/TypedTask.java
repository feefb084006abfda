package dev.damask.typed;

import dev.damask.term.Term;
import dev.damask.value.Key;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A task whose handler returns a value.
///
/// @param <R> the result of the handler
public final class TypedTask<R> extends TypedLeaf<TypedTask<R>> {
  static final String EFFECT = "typed";
  static final String TRANSACTION = "typed transaction";

  private final @Nullable BoundKey<?> result;

  private TypedTask(Parts parts, @Nullable BoundKey<?> result) {
    super(parts);
    this.result = result;
  }

  static <R> TypedTask<R> effect(String name, List<BoundKey<?>> reads, Invocation invocation) {
    return new TypedTask<>(Parts.of(EFFECT, name, reads, invocation), null);
  }

  static <R> TypedTask<R> transaction(
      String name, List<BoundKey<?>> reads, Invocation.OfTransaction handler) {
    return new TypedTask<>(Parts.of(name, reads, handler), null);
  }

  /// Writes the result to a key. A record under one key never changes another key.
  public TypedTask<R> as(Key<? super R> key) {
    return new TypedTask<>(parts, BoundKey.toWrite(key));
  }

  @Override
  TypedTask<R> with(Parts changed) {
    return new TypedTask<>(changed, result);
  }

  @Override
  public Term term() {
    return parts.term(result);
  }
}
