package dev.damask.cases;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseResult;
import dev.damask.effect.EffectLimit;
import dev.damask.effect.Effects;
import dev.damask.effect.Permits;
import dev.damask.event.Scheduler;
import dev.damask.exec.Machine;
import dev.damask.intake.Counters;
import dev.damask.intake.DirectCallCheck;
import dev.damask.intake.JfrEvents;
import dev.damask.intake.Replies;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.schedule.InOrder;
import dev.damask.schedule.Seeded;
import dev.damask.term.Limits;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/// Runs workflows on the threads of their callers, without cases: no shard, no lock, no store. Used
/// by any thread.
final class DirectCalls {
  final EngineOptions options;
  final Effects effects;
  final Permits permits;
  final EffectPolicy policy;
  final Counters counters;
  private final Map<ProgramHash, Plan> plans = new ConcurrentHashMap<>();
  private volatile @Nullable Plan last; // written by any caller; null before the first call

  /// A workflow that can be called, and machines that no thread uses.
  private record Plan(
      WorkflowDefinition workflow, Program program, ConcurrentLinkedDeque<Machine> idle) {}

  DirectCalls(EngineOptions options, Effects effects, Permits permits, Counters counters) {
    this.options = options;
    this.effects = effects;
    this.permits = permits;
    this.counters = counters;
    this.policy = new EffectPolicy(options);
  }

  /// Throws `IllegalArgumentException` before the first task runs if the workflow cannot be called.
  CaseResult<Context> call(
      WorkflowDefinition workflow, Program program, Context context, CaseOptions own) {
    Plan plan = plan(workflow, program);
    Limits limits = own.limits().orElse(program.limits());
    Replies.requireSmall("case of workflow " + workflow.name(), context, limits);
    boolean isShared = own.limits().isEmpty() && own.seed().isEmpty();
    Machine kept = isShared ? plan.idle.pollFirst() : null;
    Machine machine = kept == null ? machine(program, limits, own) : kept;
    JfrEvents.Call event = new JfrEvents.Call();
    event.begin();
    DirectCall call = new DirectCall(this, machine, context, own);
    CaseResult<Context> result =
        CallerTurn.INSIDE.isBound()
            ? call.run()
            : ScopedValue.where(CallerTurn.INSIDE, true).call(call::run);
    if (isShared) {
      plan.idle.addFirst(machine);
    }
    counters.calls.increment();
    event.end(workflow.name(), result);
    return result;
  }

  private Plan plan(WorkflowDefinition workflow, Program program) {
    Plan known = last;
    if (known != null && known.program == program && known.workflow == workflow) {
      return known;
    }
    Plan plan = plans.get(program.hash());
    if (plan == null || plan.workflow != workflow) {
      List<String> problems = DirectCallCheck.problems(workflow, rules());
      if (!problems.isEmpty()) {
        throw new IllegalArgumentException(
            "workflow %s cannot be called: %s"
                .formatted(workflow.name(), String.join("; ", problems)));
      }
      plan = new Plan(workflow, program, new ConcurrentLinkedDeque<>());
      plans.put(program.hash(), plan);
    }
    last = plan;
    return plan;
  }

  private static Machine machine(Program program, Limits limits, CaseOptions own) {
    Scheduler scheduler =
        own.seed().isPresent() ? Seeded.withoutLog(own.seed().getAsLong()) : InOrder.INSTANCE;
    return new Machine(program, new Machine.Options(scheduler, limits, false, null));
  }

  /// The options for the calls of a workflow that runs as a function.
  DirectCallCheck.Rules rules() {
    return new DirectCallCheck.Rules(
        options.handlers(),
        type -> options.approval(type).isPresent(),
        type -> options.limits.getOrDefault(type, EffectLimit.NONE).isTimed(),
        type -> options.timeLimit(type).isPresent());
  }
}
