package dev.damask.step;

import dev.damask.expression.Work;
import dev.damask.json.Json;
import dev.damask.json.JsonWriter;
import dev.damask.rule.CompiledRule;
import dev.damask.rule.EvaluationException.Hard;
import dev.damask.rule.EvaluationException.Soft;
import dev.damask.rule.RuleDocument;
import dev.damask.rule.ValueReader;
import dev.damask.rule.ValueType;
import dev.damask.source.JsonTexts;
import dev.damask.value.Context;
import dev.damask.value.ContextEdit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Computes the requests and the payload of one branch from the variables.
///
/// @param work the work of all evaluations of the step
record StepBranch(CompiledRule rule, Context variables, Work work) {
  private static final long MILLIS = 1_000;
  private static final long WAIT_MAX = 100L * 365 * 24 * 3_600;

  /// A branch with all its values.
  ///
  /// @param execution null if the branch executes nothing
  /// @param waitMillis 0 if the children begin at once
  /// @param untilMillis -1 if the branch names no time
  record Built(
      Context payload,
      @Nullable Context execution,
      List<Context> wakeUps,
      long waitMillis,
      long untilMillis) {
    static final Built NOTHING = new Built(Context.empty(), null, List.of(), 0, -1);

    /// The effect that sends the wake-ups from an index on. Each carries the output of this step,
    /// overridden by its own payload; without the output if the execution was reverted.
    Context wakeUps(int from, Context common, boolean flipped) {
      List<@Nullable Object> rest = new ArrayList<>();
      wakeUps.subList(from, wakeUps.size()).forEach(each -> rest.add(each.toMap()));
      return Context.of("wakeUps", rest)
          .with("base", flipped ? Map.of() : payload.toMap())
          .with("caller", common.get(StepScope.OWNER));
    }
  }

  Built build(boolean valid) throws Hard, Soft {
    RuleDocument.Branch branch = valid ? rule.document().onValid() : rule.document().onInvalid();
    List<Context> wakeUps = branch.wakeUps().isEmpty() ? List.of() : new ArrayList<>();
    for (RuleDocument.WakeUp wakeUp : branch.wakeUps()) {
      wakeUps.add(
          Context.of("runner", rule.resolve(wakeUp.runner(), variables, work))
              .with("session", session(wakeUp.sessionId()))
              .with("step", wakeUp.stepId())
              .with("payload", payload(CompiledRule.Output.of(wakeUp.payload()))));
    }
    Json wait = branch.waitSec();
    Json until = branch.waitUntilMillis();
    return new Built(
        payload(rule.outputs(valid)),
        branch.execution() == null ? null : execution(branch.execution()),
        wakeUps,
        wait == null ? 0 : number(wait, WAIT_MAX) * MILLIS,
        until == null ? -1 : number(until, Long.MAX_VALUE));
  }

  private Context payload(List<CompiledRule.Output> outputs) throws Hard, Soft {
    ContextEdit payload = Context.empty().edit();
    for (int i = 0; i < outputs.size(); i++) {
      CompiledRule.Output output = outputs.get(i);
      payload.put(output.key(), rule.resolve(output.value(), variables, work));
    }
    return payload.done();
  }

  private long session(Json json) throws Hard, Soft {
    return number(json, Long.MAX_VALUE);
  }

  /// A non-negative integer.
  private long number(Json json, long max) throws Hard, Soft {
    Object value =
        json instanceof Json.Text(var at, var text)
            ? rule.evaluate(text, variables, work)
            : ValueReader.literal(json);
    try {
      Object cast = ValueType.UINT64.cast(value);
      if (cast instanceof Long number && number <= max) {
        return number;
      }
      throw new Hard(Hard.TX, "a number is at most " + max + ", got " + JsonWriter.canonical(cast));
    } catch (ValueType.CastFailed e) {
      throw new Hard(Hard.TX, String.valueOf(e.getMessage()));
    }
  }

  private Context execution(RuleDocument.Execution execution) throws Hard, Soft {
    Context request =
        Context.of(
                "to",
                rule.resolve(execution.to(), variables, work),
                "function",
                execution.function())
            .with("args", args(execution.args()))
            .with("gasLimit", execution.gasLimit());
    if (execution.value() != null) {
      request = request.with("value", rule.typed(execution.value(), variables, work));
    }
    return execution.extras() == null
        ? request
        : request.with("extras", JsonTexts.value(execution.extras()));
  }

  private List<Object> args(List<RuleDocument.TypedValue> values) throws Hard, Soft {
    List<Object> args = new ArrayList<>();
    for (RuleDocument.TypedValue value : values) {
      args.add(rule.typed(value, variables, work));
    }
    return args;
  }

  /// The effect of a read.
  Context read(RuleDocument.Read read) throws Hard, Soft {
    Object to = rule.resolve(read.to(), variables, work);
    if (!(to instanceof String address) || address.isBlank()) {
      throw new Hard(
          Hard.TX, "the target of a read must be an address, got " + JsonWriter.canonical(to));
    }
    return Context.of("to", address, "function", read.function())
        .with("args", args(read.args()))
        .with("backend", read.backend());
  }
}
