package dev.damask.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.task.Context;
import dev.damask.task.ExpressionFailure;
import dev.damask.task.Values;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Closures, the plain parser and the library must mean the same by every text.
final class ExpressionAgreementTest {
  private static final int EXPRESSIONS = Integer.getInteger("damask.expressions", 1_500);
  private static final int CONTEXTS = 3;

  private final CelLibrary library = new CelLibrary();

  /// What became of the expressions of one run.
  private static final class Tally {
    int plain;
    int closures;
    int values;
  }

  @Test
  void closures_and_the_library_agree_on_random_expressions() {
    long seed = Long.getLong("damask.seed", 20_261_115);
    SplittableRandom random = new SplittableRandom(seed);
    ExpressionGenerator generator = new ExpressionGenerator(random);
    Tally tally = new Tally();

    for (int i = 0; i < EXPRESSIONS; i++) {
      compare(generator.full(), generator, tally, "seed " + seed + ", expression " + i + ": ");
    }

    assertThat(tally.closures).as("seed %s", seed).isGreaterThan(EXPRESSIONS / 4);
    assertThat(tally.values).as("seed %s", seed).isGreaterThan(EXPRESSIONS / 4);
  }

  @Test
  void the_plain_parser_and_the_library_agree_on_random_expressions() {
    long seed = Long.getLong("damask.seed", 20_261_115);
    SplittableRandom random = new SplittableRandom(seed);
    ExpressionGenerator generator = new ExpressionGenerator(random);
    Tally tally = new Tally();

    for (int i = 0; i < EXPRESSIONS; i++) {
      compare(generator.plain(), generator, tally, "seed " + seed + ", expression " + i + ": ");
    }

    assertThat(tally.plain).as("seed %s", seed).isGreaterThan(EXPRESSIONS / 3);
    assertThat(tally.values).as("seed %s", seed).isGreaterThan(EXPRESSIONS / 4);
  }

  private void compare(String text, ExpressionGenerator generator, Tally tally, String label) {
    Source source = new Source(text);
    Parsed plain = SimpleParser.parse(text);
    Parsed checked;
    Closures.Node program;
    try {
      checked = library.parse(source);
      program = library.program(source);
    } catch (InvalidExpression e) {
      assertThat(plain).as(label + text + " is refused: " + e.getMessage()).isNull();
      return;
    }
    for (int i = 0; i < CONTEXTS; i++) {
      Context context = generator.context();
      Object expected = outcome(new CompiledExpression(source, program, 0), context);
      tally.values += expected instanceof Failed ? 0 : 1;
      if (plain != null && plain.tree() != null) {
        tally.plain += i == 0 ? 1 : 0;
        assertThat(plain.names()).as(label + text).isEqualTo(checked.names());
        Object found = outcome(new CompiledExpression(source, plain.tree(), 0), context);
        assertThat(found).as(label + text + " (plain) with " + context).isEqualTo(expected);
      }
      if (checked.tree() != null) {
        tally.closures += i == 0 ? 1 : 0;
        Object found =
            outcome(new CompiledExpression(source, checked.tree(), checked.slots()), context);
        assertThat(found).as(label + text + " (closures) with " + context).isEqualTo(expected);
      }
    }
  }

  /// Any failure equals any other; the texts of the library are its own.
  private record Failed() {}

  private static @Nullable Object outcome(CompiledExpression expression, Context context) {
    try {
      return Values.of(expression.value(context));
    } catch (ExpressionFailure failure) {
      return new Failed();
    }
  }
}
