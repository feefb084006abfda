package dev.damask.typed;

import dev.damask.task.Expression;
import dev.damask.value.Context;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A value computed from typed keys. Its text is the names of the keys.
record TypedExpression(List<BoundKey<?>> reads, Function<Context, @Nullable Object> function)
    implements Expression, Access {
  @Override
  public @Nullable Object value(Context context) {
    return function.apply(context);
  }

  @Override
  public String text() {
    return Access.text("typed", reads, List.of());
  }

  @Override
  public String label() {
    return text();
  }

  @Override
  public List<BoundKey<?>> writes() {
    return List.of();
  }
}
