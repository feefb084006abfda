package dev.damask.orchestration;

import dev.damask.orchestration.Trouble.Hard;
import dev.damask.task.Context;
import dev.damask.term.StepNode;
import java.util.Map;

/// Evaluates the conditions of a step. This is the one place where secrets are variables, and
/// nothing but the outcome leaves it.
record StepRules(CompiledRule rule, Vault vault) {
  StepNode.Outcome outcome(Context given, Context variables) throws Hard {
    Map<String, String> secrets = vault.of(given);
    Context visible = variables;
    for (Map.Entry<String, String> entry : secrets.entrySet()) {
      visible = visible.with(entry.getKey(), entry.getValue());
    }
    StepNode.Outcome outcome = StepNode.Outcome.VALID;
    for (RuleDocument.Rule each : rule.document().rules()) {
      boolean holds = holds(each.expression(), visible, secrets);
      StepNode.Outcome meant =
          switch (each.kind()) {
            case VALIDATE -> holds ? StepNode.Outcome.VALID : StepNode.Outcome.INVALID;
            case ABORT_STEP -> holds ? StepNode.Outcome.ABORTED : StepNode.Outcome.VALID;
            case CANCEL_SESSION -> holds ? StepNode.Outcome.CANCELLED : StepNode.Outcome.VALID;
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
