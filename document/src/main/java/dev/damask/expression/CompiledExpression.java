package dev.damask.expression;

import dev.damask.task.Expression;
import dev.damask.task.ExpressionFailure;
import dev.damask.task.ExpressionParts;
import dev.damask.task.Guard;
import dev.damask.value.Context;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An expression that has been checked and compiled into closures.
final class CompiledExpression implements Expression, Guard {
  private final Source source;
  private final Closures.Node root;
  private final int slots;
  private final boolean isCounted;
  private final Optional<Boolean> constant;
  private final boolean isClosed;
  private final Parsed parsed;

  CompiledExpression(Source source, Parsed parsed, Checker.Checked checked) {
    this(source, parsed, checked, parsed.tree(), Map.of());
  }

  /// @param tree the parsed one with the types of variables worked in
  /// @param declared the types of variables by name
  CompiledExpression(
      Source source,
      Parsed parsed,
      Checker.Checked checked,
      Tree tree,
      Map<String, String> declared) {
    this.source = source;
    this.parsed = parsed;
    Closures closures = new Closures(source, declared, checked.doubles());
    this.root = closures.root(tree);
    this.slots = parsed.slots();
    this.isCounted = slots > 0 || closures.searches();
    this.constant = Folding.fold(tree);
    this.isClosed = Folding.isClosed(tree);
  }

  @Override
  public Optional<Boolean> constant() {
    return constant;
  }

  /// Returns the context keys that it reads; `ctx` means all of them.
  Set<String> names() {
    return parsed.names();
  }

  @Override
  public ExpressionParts parts() {
    return Parts.of(parsed);
  }

  @Override
  public Expression folded() {
    if (!isClosed) {
      return this;
    }
    try {
      Object value = value(Context.empty());
      return Expression.constant(text(), value);
    } catch (ExpressionFailure e) {
      return this; // reported when it is evaluated
    }
  }

  @Override
  public @Nullable Object value(Context context) {
    return evaluate(context, isCounted ? new Locals(slots, Work.bounded()) : Locals.NONE);
  }

  /// Returns the value, and charges for its work together with that of other evaluations.
  @Nullable Object value(Context context, Work work) {
    return evaluate(context, isCounted ? new Locals(slots, work) : Locals.NONE);
  }

  private @Nullable Object evaluate(Context context, Locals locals) {
    Object value = root.value(context, locals);
    if (slots > 0 && !BinaryOperators.isSmall(value)) {
      throw source.failure(0, "a value must have at most " + BinaryOperators.SIZE_MAX + " parts");
    }
    return value;
  }

  @Override
  public boolean test(Context context) {
    Object value = value(context);
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw source.failure(0, "a condition must be a bool, found " + BinaryOperators.kind(value));
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
