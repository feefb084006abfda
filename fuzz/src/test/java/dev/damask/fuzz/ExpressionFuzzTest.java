package dev.damask.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.damask.expression.Expressions;
import dev.damask.expression.InvalidExpression;
import dev.damask.task.Expression;
import dev.damask.task.ExpressionFailure;
import dev.damask.value.Context;
import dev.damask.value.Values;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Expressions: refused when they are read, failed when they are evaluated, or a value of the
/// closed set; the same one every time.
class ExpressionFuzzTest {
  private static final Quickly QUICKLY = new Quickly();
  private static final Context CONTEXT =
      Context.of("n", 7, "text", "abc")
          .with("list", List.of(1, 2, 3))
          .with("map", Map.of("k", 1.5));

  @FuzzTest
  void expressions(byte[] data) {
    String text = new String(data, StandardCharsets.UTF_8);
    QUICKLY.run(() -> {
      Expression expression;
      try {
        expression = Expressions.expression(text);
      } catch (InvalidExpression expected) {
        return;
      }
      if (!Objects.equals(value(expression), value(expression))) {
        throw new AssertionError("two values of " + text);
      }
    });
  }

  private static Object value(Expression expression) {
    try {
      return String.valueOf(Values.of(expression.value(CONTEXT)));
    } catch (ExpressionFailure expected) {
      return String.valueOf(expected.getMessage());
    }
  }
}
