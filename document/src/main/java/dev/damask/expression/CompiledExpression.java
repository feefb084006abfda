package dev.damask.expression;

import dev.damask.task.Context;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import org.jspecify.annotations.Nullable;

/// An expression that was checked and made into closures.
final class CompiledExpression implements Expression, Guard {
  private final Source source;
  private final Closures.Node root;
  private final int slots;

  CompiledExpression(Source source, Tree tree, int slots) {
    this(source, new Closures(source).root(tree), slots);
  }

  CompiledExpression(Source source, Closures.Node root, int slots) {
    this.source = source;
    this.root = root;
    this.slots = slots;
  }

  @Override
  public @Nullable Object value(Context context) {
    Object value = root.value(context, slots == 0 ? Locals.NONE : new Locals(slots));
    if (slots > 0 && !Operations.isSmall(value)) {
      throw source.failure(0, "a value has at most " + Operations.SIZE_MAX + " parts");
    }
    return value;
  }

  @Override
  public boolean test(Context context) {
    Object value = value(context);
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw source.failure(0, "a condition is a bool, found " + Operations.kind(value));
  }

  @Override
  public String text() {
    return source.text();
  }

  @Override
  public String toString() {
    return source.text();
  }
}
