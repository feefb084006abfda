package dev.damask.step;

import dev.damask.expression.Work;
import dev.damask.rule.CompiledRule;
import dev.damask.rule.EvaluationException.Hard;
import dev.damask.rule.RuleDocument;
import dev.damask.source.Redaction;
import dev.damask.value.Context;
import dev.damask.value.StepOutcome;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Evaluates the conditions of a step. Only here are secrets variables, and only the outcome is
/// returned.
///
/// @param work the work of all evaluations of the step
record StepRules(CompiledRule rule, SecretSource source, Work work) {
  /// The outcome of the conditions.
  ///
  /// @param failed the first condition that was false; null if none was
  record Verdict(StepOutcome outcome, @Nullable String failed) {}

  Verdict verdict(Context common, Context variables) throws Hard {
    Map<String, String> secrets = source.of(common);
    Context visible = variables;
    for (Map.Entry<String, String> entry : secrets.entrySet()) {
      visible = visible.with(entry.getKey(), entry.getValue());
    }
    StepOutcome outcome = StepOutcome.VALID;
    String failed = null;
    for (RuleDocument.Rule each : rule.document().rules()) {
      boolean holds = holds(each.expression(), visible, secrets);
      if (failed == null && !holds && each.kind() == RuleDocument.Kind.VALIDATE) {
        failed = each.expression();
      }
      StepOutcome meant =
          switch (each.kind()) {
            case VALIDATE -> holds ? StepOutcome.VALID : StepOutcome.INVALID;
            case ABORT_STEP -> holds ? StepOutcome.ABORTED : StepOutcome.VALID;
            case CANCEL_SESSION -> holds ? StepOutcome.CANCELLED : StepOutcome.VALID;
          };
      // A later outcome in the enum overrides an earlier one.
      outcome = meant.compareTo(outcome) > 0 ? meant : outcome;
    }
    return new Verdict(outcome, failed);
  }

  private boolean holds(String text, Context visible, Map<String, String> secrets) throws Hard {
    try {
      return rule.holds(text, visible, work);
    } catch (Hard e) {
      throw new Hard(e.kind(), Redaction.of(e.detail(), secrets));
    }
  }
}
