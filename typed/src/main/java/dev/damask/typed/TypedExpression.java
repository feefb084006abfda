package dev.damask.typed;

import dev.damask.task.Expression;
import dev.damask.value.Context;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A value computed from typed keys. Its text is the names of the keys.
///
/// @param label the expression as messages show it
record TypedExpression(
    String label, List<BoundKey<?>> reads, Function<Context, @Nullable Object> function)
    implements Expression, Access {
  /// An expression that messages show as its text.
  TypedExpression(List<BoundKey<?>> reads, Function<Context, @Nullable Object> function) {
    this(Access.text("typed", reads, List.of()), reads, function);
  }

  @Override
  public @Nullable Object value(Context context) {
    return function.apply(context);
  }

  @Override
  public String text() {
    return Access.text("typed", reads, List.of());
  }

  @Override
  public List<BoundKey<?>> writes() {
    return List.of();
  }
}
