package dev.damask.step;

import dev.damask.expression.Work;
import dev.damask.rule.CompiledRule;
import dev.damask.rule.EvaluationException.Hard;
import dev.damask.rule.EvaluationException.Soft;
import dev.damask.rule.RuleDocument;
import dev.damask.rule.ValueType;
import dev.damask.step.StepBranch.Built;
import dev.damask.task.ProcessInfo;
import dev.damask.trace.FormatFour;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.StepOutcome;
import dev.damask.value.StepResult;
import dev.damask.value.StepResult.Start;
import dev.damask.value.TaskResult;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// One run of a step's evaluation, up to its next effect or its end.
///
/// The order is: inputs, reads, calls, conditions, then the payload and the execution of the
/// branch. Wake-ups are sent after the commit that ends the step. Missing data makes the step
/// invalid; an error in the document fails the session.
public final class StepRun {
  /// The types of the effects that a step may request.
  public static final String READ = "read";

  public static final String API = "api";
  public static final String EXECUTE = "execute";
  public static final String WAKE = "wake";

  private enum Stage {
    READS,
    CALLS,
    EXECUTE,
    WAKE
  }

  private final StepTask task;
  private final CompiledRule rule;
  private final ProcessInfo process;
  private final Context given;
  private final Work work = Work.bounded(); // of the whole run: the other cases of the shard wait
  private Context variables = Context.empty();
  private Stage stage = Stage.READS;
  private int index;
  private @Nullable String soft;
  private @Nullable String failed; // the first rule that did not hold
  private boolean valid;
  private boolean flipped;
  private Map<String, @Nullable Object> reads = Map.of();
  private Map<String, @Nullable Object> extracts = Map.of();
  private @Nullable Object executed;

  StepRun(StepTask task, CompiledRule rule, ProcessInfo process, Context given) {
    this.task = task;
    this.rule = rule;
    this.process = process;
    this.given = given;
  }

  StepResult run() throws Hard {
    Object progress = given.get(StepScope.PROGRESS);
    if (progress != null) {
      variables = StepScope.resumed(rule, given);
      resume(FormatFour.progress(progress));
      Object result = given.get(StepScope.EFFECT);
      return take(result instanceof Map<?, ?> map ? map : Map.of("error", "there is no result"));
    }
    StepScope.Input input = StepScope.input(rule, given);
    variables = input.variables();
    if (input.missing() != null) {
      soft = "the input '" + input.missing() + "' is missing";
      return decide();
    }
    return ask();
  }

  private void resume(Map<?, ?> progress) {
    stage = Stage.valueOf(String.valueOf(progress.get("stage")));
    index = progress.get("index") instanceof Long number ? number.intValue() : 0;
    soft = progress.get("soft") instanceof String text ? text : null;
    failed = progress.get("failed") instanceof String text ? text : null;
    valid = Boolean.TRUE.equals(progress.get("valid"));
    flipped = Boolean.TRUE.equals(progress.get("flipped"));
    reads = copy(progress.get("reads"));
    extracts = copy(progress.get("extracts"));
    executed = progress.get("executed");
  }

  private static Map<String, @Nullable Object> copy(@Nullable Object map) {
    if (!(map instanceof Map<?, ?> entries)) {
      return Map.of();
    }
    Map<String, @Nullable Object> copy = new TreeMap<>();
    entries.forEach((key, value) -> copy.put(String.valueOf(key), value));
    return copy;
  }

  /// Requests the next read or call, or evaluates the conditions if none is left.
  private StepResult ask() throws Hard {
    List<RuleDocument.Read> all = rule.document().reads();
    while (stage == Stage.READS && index < all.size()) {
      try {
        return wants(READ, new StepBranch(rule, variables, work).read(all.get(index)));
      } catch (Soft e) {
        saveRead(Map.of("error", e.detail()));
        index++;
        if (soft != null) {
          return decide();
        }
      }
    }
    if (stage == Stage.READS) {
      stage = Stage.CALLS;
      index = 0;
    }
    if (index < rule.document().calls().size()) {
      RuleDocument.Call call = rule.document().calls().get(index);
      return wants(
          API,
          Context.of("rule", task.rule(), "index", (long) index)
              .with("name", call.name())
              .with("method", call.method())
              .with("url", call.urlTemplate()));
    }
    return decide();
  }

  /// Accepts the result of the effect that was requested last.
  private StepResult take(Map<?, ?> result) throws Hard {
    switch (stage) {
      case READS -> {
        if (index < rule.document().reads().size()) { // always, if the rule is the one that asked
          saveRead(result);
        }
      }
      case CALLS -> {
        if (index < rule.document().calls().size()) {
          saveCall(result);
        }
      }
      case EXECUTE -> {
        executed = result;
        if (!Boolean.TRUE.equals(result.get("ok"))) {
          return reverted();
        }
        stage = Stage.WAKE;
        index = 0;
        return follow();
      }
      case WAKE -> { // left by a version that sent wake-ups one by one before the step ended
        index++;
        return follow();
      }
    }
    index++;
    return soft == null ? ask() : decide();
  }

  /// Stores the outputs of a read. A missing output without a default makes the step invalid.
  private void saveRead(Map<?, ?> result) {
    RuleDocument.Read read = rule.document().reads().get(index);
    List<?> outputs = result.get("values") instanceof List<?> list ? list : List.of();
    read.saves()
        .forEach((slot, save) -> {
          Object value = save.fallback();
          String reason = "read " + index + " returned no output " + slot;
          try {
            if (slot < outputs.size()) {
              value = save.type().cast(outputs.get(slot));
            }
          } catch (ValueType.CastFailed e) {
            reason = String.valueOf(e.getMessage());
          }
          if (value == null) {
            soft = soft == null ? reason : soft;
          } else {
            reads = with(reads, save.key(), value);
            variables = variables.with(save.key(), value);
          }
        });
  }

  /// Creates the map with its first entry, because most steps read and call nothing.
  private static Map<String, @Nullable Object> with(
      Map<String, @Nullable Object> map, String key, Object value) {
    Map<String, @Nullable Object> changed = map.isEmpty() ? new TreeMap<>() : map;
    changed.put(key, value);
    return changed;
  }

  private void saveCall(Map<?, ?> result) throws Hard {
    if (result.get("hard") instanceof String message) {
      throw new Hard(result.get("kind") instanceof String kind ? kind : Hard.TX, message);
    }
    RuleDocument.Call call = rule.document().calls().get(index);
    Map<?, ?> values = result.get("values") instanceof Map<?, ?> map ? map : Map.of();
    for (Map.Entry<String, RuleDocument.Extract> entry : call.extracts().entrySet()) {
      String alias = entry.getKey();
      Object value = values.get(alias);
      if (value == null) {
        value = entry.getValue().fallback();
      }
      if (value == null) {
        String why = result.get("error") instanceof String text ? ": " + text : "";
        soft = soft == null ? "call " + call.name() + " returned no " + alias + why : soft;
        continue;
      }
      variables = variables.with(alias, value);
      if (entry.getValue().save()) {
        extracts = with(extracts, alias, value);
      }
    }
  }

  private StepResult decide() throws Hard {
    valid = soft == null;
    if (valid) {
      StepRules.Verdict verdict =
          new StepRules(rule, task.parts().secrets(), work).verdict(process.common(), variables);
      StepOutcome outcome = verdict.outcome();
      if (outcome == StepOutcome.ABORTED || outcome == StepOutcome.CANCELLED) {
        return end(outcome, Built.NOTHING);
      }
      valid = outcome == StepOutcome.VALID;
      failed = valid ? null : verdict.failed();
    }
    stage = Stage.EXECUTE;
    return follow();
  }

  /// Requests the remaining effects of the branch, and then ends the step.
  private StepResult follow() throws Hard {
    Built built = built();
    if (stage == Stage.EXECUTE) {
      if (built.execution() != null) {
        return wants(EXECUTE, built.execution());
      }
      stage = Stage.WAKE;
      index = 0;
    }
    return end(valid ? StepOutcome.VALID : StepOutcome.INVALID, built);
  }

  /// The wake-ups of the branch as one effect, which is called after the children were created;
  /// null if the branch has none.
  private @Nullable EffectSpec wakeUps(Built built) {
    return index < built.wakeUps().size()
        ? new EffectSpec(
            WAKE, built.wakeUps(index, process.common(), flipped).with("rule", task.rule()), null)
        : null;
  }

  /// Handles a reverted execution: a valid step becomes invalid, an invalid step ends without a
  /// payload.
  private StepResult reverted() throws Hard {
    boolean again = valid && !flipped;
    soft = "the execution was reverted";
    valid = false;
    flipped = true;
    stage = again ? Stage.EXECUTE : Stage.WAKE;
    index = 0;
    return again ? follow() : end(StepOutcome.INVALID, Built.NOTHING);
  }

  /// The branch. If data is missing, a valid branch is replaced with the invalid one, and that with
  /// an empty one.
  private Built built() throws Hard {
    Optional<Built> built = attempt();
    if (built.isEmpty() && valid) {
      valid = false;
      built = attempt();
    }
    return built.orElse(Built.NOTHING);
  }

  private Optional<Built> attempt() throws Hard {
    try {
      return Optional.of(new StepBranch(rule, variables, work).build(valid));
    } catch (Soft e) {
      soft = soft == null ? e.detail() : soft;
      return Optional.empty();
    }
  }

  private StepResult wants(String type, Context with) {
    Context resume = given.without(StepScope.EFFECT).with(StepScope.PROGRESS, progress());
    return new TaskResult.Wants(new EffectSpec(type, with, null), resume);
  }

  /// The hash of the rule, and the variables that changed since the start of the evaluation.
  private Object progress() {
    Map<String, @Nullable Object> progress = new TreeMap<>();
    if (variables != given) {
      StepScope.save(variables, given, progress);
    }
    progress.put(StepScope.RULE, rule.hash());
    progress.put("stage", stage.name());
    putIf(index > 0, progress, "index", (long) index);
    putIf(soft != null, progress, "soft", soft);
    putIf(failed != null, progress, "failed", failed);
    putIf(valid, progress, "valid", true);
    putIf(flipped, progress, "flipped", true);
    putIf(!reads.isEmpty(), progress, "reads", reads);
    putIf(!extracts.isEmpty(), progress, "extracts", extracts);
    putIf(executed != null, progress, "executed", executed);
    return progress;
  }

  private static void putIf(
      boolean isWanted, Map<String, @Nullable Object> map, String key, @Nullable Object value) {
    if (isWanted) {
      map.put(key, value);
    }
  }

  private StepResult end(StepOutcome outcome, Built built) {
    long waitMillis = built.waitMillis();
    boolean isValid = outcome == StepOutcome.VALID;
    int spawns = isValid ? task.spawns().valid() : task.spawns().invalid();
    long cost = rule.cost().total(isValid, Math.ceilDiv(waitMillis, 1_000), spawns);
    RuleDocument.Branch branch = isValid ? rule.document().onValid() : rule.document().onInvalid();
    String more = new StepLog(branch, extracts, reads, executed, soft, failed).json();
    Start start =
        built.untilMillis() >= 0
            ? new Start.At(built.untilMillis())
            : waitMillis > 0 ? new Start.After(waitMillis) : Start.NOW;
    return new StepResult.Evaluated(
        outcome,
        built.payload(),
        cost,
        rule.note(task.rule(), more),
        start,
        wakeUps(built),
        outcome == StepOutcome.INVALID ? StepScope.inputs(given) : Context.empty());
  }
}
