package dev.damask.step;

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

/// Makes the requests and the payload of one branch from the variables.
final class StepBranch {
  private static final long MILLIS = 1_000;
  private static final long WAIT_MAX = 100L * 365 * 24 * 3_600;

  private StepBranch() {}

  /// A branch with all its values.
  ///
  /// @param execution null when nothing is executed
  /// @param waitMillis 0 when the children begin at once
  /// @param untilMillis -1 when no time was named
  record Built(
      Context payload,
      @Nullable Context execution,
      List<Context> wakeUps,
      long waitMillis,
      long untilMillis) {
    static final Built NOTHING = new Built(Context.empty(), null, List.of(), 0, -1);

    /// The request of the wake-ups from an index on. Each has the output of this step under its own
    /// payload, unless the execution was reverted.
    Context wakeUps(int from, Context common, boolean flipped) {
      List<@Nullable Object> rest = new ArrayList<>();
      wakeUps.subList(from, wakeUps.size()).forEach(each -> rest.add(each.toMap()));
      return Context.of("wakeUps", rest)
          .with("base", flipped ? Map.of() : payload.toMap())
          .with("caller", common.get(StepScope.OWNER));
    }
  }

  static Built build(CompiledRule rule, boolean valid, Context variables) throws Hard, Soft {
    RuleDocument.Branch branch = valid ? rule.document().onValid() : rule.document().onInvalid();
    List<Context> wakeUps = branch.wakeUps().isEmpty() ? List.of() : new ArrayList<>();
    for (RuleDocument.WakeUp wakeUp : branch.wakeUps()) {
      wakeUps.add(
          Context.of("runner", rule.resolve(wakeUp.runner(), variables))
              .with("session", session(rule, wakeUp.sessionId(), variables))
              .with("step", wakeUp.stepId())
              .with("payload", payload(rule, CompiledRule.Output.of(wakeUp.payload()), variables)));
    }
    Json wait = branch.waitSec();
    Json until = branch.waitUntilMillis();
    return new Built(
        payload(rule, rule.outputs(valid), variables),
        branch.execution() == null ? null : execution(rule, branch.execution(), variables),
        wakeUps,
        wait == null ? 0 : number(rule, wait, variables, WAIT_MAX) * MILLIS,
        until == null ? -1 : number(rule, until, variables, Long.MAX_VALUE));
  }

  private static Context payload(
      CompiledRule rule, List<CompiledRule.Output> outputs, Context variables) throws Hard, Soft {
    ContextEdit payload = Context.empty().edit();
    for (int i = 0; i < outputs.size(); i++) {
      CompiledRule.Output output = outputs.get(i);
      payload.put(output.key(), rule.resolve(output.value(), variables));
    }
    return payload.done();
  }

  private static long session(CompiledRule rule, Json json, Context variables) throws Hard, Soft {
    return number(rule, json, variables, Long.MAX_VALUE);
  }

  /// A whole number from 0 on.
  private static long number(CompiledRule rule, Json json, Context variables, long max)
      throws Hard, Soft {
    Object value =
        json instanceof Json.Text(var at, var text)
            ? rule.evaluate(text, variables)
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

  private static Context execution(
      CompiledRule rule, RuleDocument.Execution execution, Context variables) throws Hard, Soft {
    Context request =
        Context.of("to", rule.resolve(execution.to(), variables), "function", execution.function())
            .with("args", args(rule, execution.args(), variables))
            .with("gasLimit", execution.gasLimit());
    if (execution.value() != null) {
      request = request.with("value", rule.typed(execution.value(), variables));
    }
    return execution.extras() == null
        ? request
        : request.with("extras", JsonTexts.value(execution.extras()));
  }

  private static List<Object> args(
      CompiledRule rule, List<RuleDocument.TypedValue> values, Context variables)
      throws Hard, Soft {
    List<Object> args = new ArrayList<>();
    for (RuleDocument.TypedValue value : values) {
      args.add(rule.typed(value, variables));
    }
    return args;
  }

  /// The request of a read.
  static Context read(CompiledRule rule, RuleDocument.Read read, Context variables)
      throws Hard, Soft {
    Object to = rule.resolve(read.to(), variables);
    if (!(to instanceof String address) || address.isBlank()) {
      throw new Hard(Hard.TX, "a read goes to an address, got " + JsonWriter.canonical(to));
    }
    return Context.of("to", address, "function", read.function())
        .with("args", args(rule, read.args(), variables))
        .with("backend", read.backend());
  }
}
