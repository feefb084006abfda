package dev.damask.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cel.runtime.CelEvaluationException;
import dev.damask.task.ExpressionFailure;
import dev.damask.value.Context;
import dev.damask.value.Values;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Our evaluator and the library of the language's authors must mean the same by every text.
final class ExpressionAgreementTest {
  private static final int EXPRESSIONS = Integer.getInteger("damask.expressions", 1_500);
  private static final int CONTEXTS = 3;

  /// What we refuse and the library accepts: the exceptions, and patterns that no text matches.
  private static final List<String> STRICTER =
      List.of(
          "the key of a map must be a string",
          "unknown function",
          "unsigned numbers are not supported",
          "messages are not supported",
          "the pattern '");

  private final CelOracle library = new CelOracle();

  /// What became of the expressions of one run.
  private static final class Tally {
    int refused;
    int accepted;
    int values;
    int failures;
  }

  /// Any failure equals any other; the texts of the library are its own.
  private record Failed() {}

  @Test
  void random_expressions_are_read_checked_and_evaluated_alike() {
    long seed = Long.getLong("damask.seed", 20_261_115);
    ExpressionGenerator generator = new ExpressionGenerator(new SplittableRandom(seed), false);
    Tally tally = new Tally();

    for (int i = 0; i < EXPRESSIONS; i++) {
      compare(generator.full(), generator, tally, "seed " + seed + ", expression " + i + ": ");
    }

    assertThat(tally.accepted).as("seed %s", seed).isGreaterThan(EXPRESSIONS / 4);
    assertThat(tally.refused).as("seed %s", seed).isGreaterThan(EXPRESSIONS / 10);
    assertThat(tally.values).as("seed %s", seed).isGreaterThan(EXPRESSIONS / 4);
    assertThat(tally.failures).as("seed %s", seed).isGreaterThan(EXPRESSIONS / 4);
  }

  @Test
  void texts_that_are_nearly_expressions_are_read_alike() {
    long seed = Long.getLong("damask.seed", 20_261_118);
    ExpressionGenerator generator = new ExpressionGenerator(new SplittableRandom(seed), false);
    Tally tally = new Tally();

    for (int i = 0; i < EXPRESSIONS; i++) {
      compare(generator.damaged(), generator, tally, "seed " + seed + ", text " + i + ": ");
    }

    assertThat(tally.refused).as("seed %s", seed).isGreaterThan(EXPRESSIONS / 4);
    assertThat(tally.accepted).as("seed %s", seed).isGreaterThan(EXPRESSIONS / 20);
  }

  @Test
  void open_types_are_found_out_alike() {
    long seed = Long.getLong("damask.seed", 20_261_117);
    ExpressionGenerator generator = new ExpressionGenerator(new SplittableRandom(seed), true);
    int accepted = 0;

    for (int i = 0; i < EXPRESSIONS; i++) {
      accepted += accepted(generator.full(), "seed " + seed + ", expression " + i + ": ") ? 1 : 0;
    }

    assertThat(accepted).as("seed %s", seed).isGreaterThan(EXPRESSIONS / 4);
  }

  /// Whether the library accepts a text; we do then too, or say why not.
  private boolean accepted(String text, String label) {
    try {
      library.accept(text);
    } catch (CelOracle.Refusal refusal) {
      assertThat(refused(text))
          .as(label + text + " is refused: " + refusal.getMessage())
          .isNotNull();
      return false;
    }
    InvalidExpression refused = refused(text);
    if (refused != null) {
      assertThat(STRICTER)
          .as(label + text + " is accepted: " + refused.getMessage())
          .anyMatch(String.valueOf(refused.getMessage())::contains);
    }
    return refused == null;
  }

  private void compare(String text, ExpressionGenerator generator, Tally tally, String label) {
    if (!accepted(text, label)) {
      tally.refused++;
      return;
    }
    tally.accepted++;
    CompiledExpression ours = Expressions.compile(text);
    CelOracle.Accepted theirs = accepted(text);
    assertThat(ours.names()).as(label + text).isEqualTo(theirs.names());
    for (int i = 0; i < CONTEXTS; i++) {
      Context context = generator.context();
      Object expected = outcome(theirs, context);
      tally.values += expected instanceof Failed ? 0 : 1;
      tally.failures += expected instanceof Failed ? 1 : 0;
      assertThat(outcome(ours, context)).as(label + text + " with " + context).isEqualTo(expected);
    }
  }

  private CelOracle.Accepted accepted(String text) {
    try {
      return library.accept(text);
    } catch (CelOracle.Refusal refusal) {
      throw new AssertionError(refusal);
    }
  }

  private static @Nullable InvalidExpression refused(String text) {
    try {
      Expressions.compile(text);
      return null;
    } catch (InvalidExpression invalid) {
      return invalid;
    }
  }

  private static @Nullable Object outcome(CompiledExpression expression, Context context) {
    try {
      return Values.of(expression.value(context));
    } catch (ExpressionFailure failure) {
      return new Failed();
    }
  }

  private @Nullable Object outcome(CelOracle.Accepted expression, Context context) {
    try {
      return Values.of(library.value(expression, context));
    } catch (CelEvaluationException | CelValues.NoContextValue failure) {
      return new Failed();
    }
  }
}
