package dev.damask.orchestration;

import dev.damask.orchestration.Trouble.Hard;
import dev.damask.task.Context;
import dev.damask.task.StepOutcome;
import java.util.Map;

/// Evaluates the conditions of a step. This is the one place where secrets are variables, and
/// nothing but the outcome leaves it.
record StepRules(CompiledRule rule, Vault vault) {
  StepOutcome outcome(Context common, Context variables) throws Hard {
    Map<String, String> secrets = vault.of(common);
    Context visible = variables;
    for (Map.Entry<String, String> entry : secrets.entrySet()) {
      visible = visible.with(entry.getKey(), entry.getValue());
    }
    StepOutcome outcome = StepOutcome.VALID;
    for (RuleDocument.Rule each : rule.document().rules()) {
      boolean holds = holds(each.expression(), visible, secrets);
      StepOutcome meant =
          switch (each.kind()) {
            case VALIDATE -> holds ? StepOutcome.VALID : StepOutcome.INVALID;
            case ABORT_STEP -> holds ? StepOutcome.ABORTED : StepOutcome.VALID;
            case CANCEL_SESSION -> holds ? StepOutcome.CANCELLED : StepOutcome.VALID;
          };
      // The further down the list of outcomes, the stronger.
      outcome = meant.compareTo(outcome) > 0 ? meant : outcome;
    }
    return outcome;
  }

  private boolean holds(String text, Context visible, Map<String, String> secrets) throws Hard {
    try {
      return rule.holds(text, visible);
    } catch (Hard e) {
      throw new Hard(e.kind(), Redaction.of(e.detail(), secrets));
    }
  }
}
