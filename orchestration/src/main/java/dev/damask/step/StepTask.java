package dev.damask.step;

import dev.damask.graph.StepNotes;
import dev.damask.json.JsonWriter;
import dev.damask.rule.CompiledRule;
import dev.damask.rule.EvaluationException.Hard;
import dev.damask.task.ProcessInfo;
import dev.damask.term.StepFunction;
import dev.damask.term.StepNode;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.StepOutcome;
import dev.damask.value.StepResult;
import dev.damask.value.TaskResult;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Evaluates one step of a graph. It is called again after every effect and continues with the same
/// rule.
///
/// @param spawns the number of children of each branch; waiting children cost too
/// @param picture the notes of a diagram about the steps of the graph
public record StepTask(String step, String rule, StepParts parts, Spawns spawns, StepNotes picture)
    implements StepFunction {
  /// The effect of a process that waits for secrets.
  public static final String SECRETS = "secrets";

  /// The key of the list of wake-ups, in the effect that sends them, its result and the trace.
  public static final String WAKE_UPS = "wakeUps";

  public record Spawns(int valid, int invalid) {}

  @Override
  public List<String> notes() {
    return picture.of(step);
  }

  /// The outcomes of the rule. An unknown rule may have any.
  @Override
  public Set<StepOutcome> outcomes() {
    try {
      return parts.rules().get(rule).document().outcomes();
    } catch (Hard e) {
      return StepFunction.EITHER;
    }
  }

  @Override
  public StepResult evaluate(Context payload, ProcessInfo process) {
    if (payload.has(StepNode.SENDING)) {
      return new StepResult.Evaluated(
          StepOutcome.VALID, Context.empty(), 0, sent(payload), StepResult.Start.NOW);
    }
    Context given = StepScope.answered(payload);
    List<String> missing = parts.secrets().missing(process.common());
    if (!missing.isEmpty()) {
      EffectSpec secrets = new EffectSpec(SECRETS, Context.of("names", missing), null);
      return new TaskResult.Wants(secrets, StepScope.asking(process.with(given)));
    }
    try {
      if (!given.has(StepScope.PROGRESS)) {
        parts.observer().accept(given, process);
      }
      CompiledRule compiled = parts.rules().get(rule, StepScope.ruleHash(given));
      Context seen = compiled.mayAskEngine() ? process.with(given) : given;
      return new StepRun(this, compiled, process, seen).run();
    } catch (Hard e) {
      return new TaskResult.Failed(e.kind(), "step " + step + ": " + e.detail());
    }
  }

  /// The note in the trace about the wake-ups that a step has sent.
  private static StepResult.Note sent(Context answered) {
    Object sent =
        answered.get(StepScope.EFFECT) instanceof Map<?, ?> map ? map.get(WAKE_UPS) : null;
    return sent == null
        ? StepResult.Note.NONE
        : new StepResult.Note("", JsonWriter.canonical(Map.of(WAKE_UPS, sent)));
  }
}
