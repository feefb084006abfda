package dev.damask.check;

import dev.damask.check.Diagnostic.Severity;
import dev.damask.task.Expression;
import dev.damask.task.ExpressionParts;
import dev.damask.term.InstancePolicy;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import java.util.function.Consumer;

/// Reports constants that are not a number of rounds or instances: the case would fail there,
/// whatever its data are.
final class CountCheck {
  static final String WRONG_COUNT = "WRONG_COUNT";

  private CountCheck() {}

  static void check(TermPath path, Term term, Consumer<Diagnostic> report) {
    switch (term) {
      case Term.Loop(LoopPolicy.Count(var count), _) -> {
        if (!isNumber(count)) {
          report.accept(wrong(path, "count", count, "a non-negative integer"));
        }
      }
      case Term.Mi(_, var policy, _) -> {
        ExpressionParts parts = policy.count().folded().parts();
        if (parts.isLiteral() && parts.instances().isEmpty()) {
          report.accept(wrong(path, "count", policy.count(), "a non-negative integer or a list"));
        }
        if (policy.need() instanceof InstancePolicy.Need.Count(var need) && !isNumber(need)) {
          report.accept(wrong(path, "need", need, "a non-negative integer or a condition"));
        }
      }
      default -> {}
    }
  }

  private static boolean isNumber(Expression expression) {
    ExpressionParts parts = expression.folded().parts();
    return !parts.isLiteral() || parts.number().isPresent();
  }

  private static Diagnostic wrong(TermPath path, String what, Expression found, String expected) {
    String sentence = what + " is always " + found.text() + ", and the case would fail here";
    return new Diagnostic(Severity.ERROR, WRONG_COUNT, path, sentence, "use " + expected);
  }
}
