package dev.damask.expression;

import dev.damask.value.Context;
import java.util.List;

/// A process that evaluates its first expression, with our evaluator or with the library, and
/// prints the milliseconds that took.
final class FirstExpression {
  static final String TEXT = "l.exists(x, x > 1 && name.startsWith('a'))";

  private FirstExpression() {}

  static Context context() {
    return Context.of("l", List.of(1, 2, 3), "name", "abc");
  }

  public static void main(String[] arguments) throws Exception {
    Context context = context();
    long before = System.nanoTime();
    Object value;
    if (arguments[0].equals("ours")) {
      value = Expressions.compile(TEXT).value(context);
    } else {
      CelOracle library = new CelOracle();
      value = library.value(library.accept(TEXT), context);
    }
    long took = System.nanoTime() - before;
    if (!Boolean.TRUE.equals(value)) {
      throw new IllegalStateException("the value is " + value);
    }
    System.out.print(took / 1_000_000);
  }
}
