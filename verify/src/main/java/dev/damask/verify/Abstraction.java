package dev.damask.verify;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.InstanceCondition;
import dev.damask.task.Retry;
import dev.damask.task.TaskFunction;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Merge;
import dev.damask.term.StepFunction;
import dev.damask.term.StepNode;
import dev.damask.value.Context;
import dev.damask.value.StepOutcome;
import dev.damask.value.TaskResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A program without its data: the same code at the same addresses, in which an [Oracle] replaces
/// the reads of contexts.
///
/// Constant guards and numbers are kept. A count loop whose number depends on data becomes a loop
/// that may end at every round, which is exact because any number of rounds is possible. Tasks that
/// run in the machine succeed, except those that always fail.
final class Abstraction {
  /// The limit of a constant count.
  private static final long COUNT_MAX = 1_000_000_000;

  /// The failure reason of tasks that always fail.
  static final String FAIL = "failed";

  private final Program program;
  private final Oracle oracle;
  private final Options options;
  private final boolean keepsTasks;
  private boolean isExact = true;
  private String bound = "";

  private Abstraction(Program program, Oracle oracle, Options options, boolean keepsTasks) {
    this.program = program;
    this.oracle = oracle;
    this.options = options;
    this.keepsTasks = keepsTasks;
  }

  /// The abstracted program.
  ///
  /// @param isExact whether the program does not depend on data
  /// @param bound the part that was omitted, or empty
  record Result(Program program, boolean isExact, String bound) {}

  static Result of(Program program, Oracle oracle, Options options) {
    return new Abstraction(program, oracle, options, false).run();
  }

  /// Creates the abstraction with retries, to replay a trace on the real program.
  static Result forReplay(Program program, Oracle oracle, Options options) {
    return new Abstraction(program, oracle, options, true).run();
  }

  private Result run() {
    Program.Pools pools = program.pools();
    int[] code = program.raw().code().clone();
    Guard[] guards = loops(code, pools);
    Program.Pools abstracted =
        new Program.Pools(
            map(pools.tasks(), this::task),
            map(pools.forks(), this::fork),
            map(pools.choices(), this::choice),
            guards,
            pools.expressions(),
            pools.regions(),
            map(pools.instances(), this::instances),
            pools.awaits(),
            map(pools.emissions(), Abstraction::emission),
            pools.kills(),
            pools.entries(),
            map(pools.nets(), Abstraction::net),
            map(pools.processes(), this::processes),
            pools.runs(),
            pools.places(),
            pools.names(),
            pools.unitEnds(),
            pools.unitsOfName(),
            pools.loopSlots(),
            false,
            Map.of());
    Program.Image image = new Program.Image(code, abstracted, program.raw().entry());
    Program result =
        new Program(
            program.name(),
            program.version(),
            program.mode(),
            Context.empty(),
            program.limits(),
            image,
            image,
            program.source(),
            program.constructs(),
            program.hash());
    return new Result(result, isExact, bound);
  }

  private static <T> T[] map(T[] pool, java.util.function.UnaryOperator<T> change) {
    T[] copy = pool.clone();
    Arrays.setAll(copy, i -> change.apply(pool[i]));
    return copy;
  }

  /// Converts count loops that depend on data to loops that may end at every round.
  private Guard[] loops(int[] code, Program.Pools pools) {
    Guard[] guards = Arrays.copyOf(pools.guards(), pools.guards().length + 1);
    for (int i = 0; i < pools.guards().length; i++) {
      guards[i] = free(pools.guards()[i]);
    }
    guards[guards.length - 1] = context -> oracle.decide();
    for (int at = 0; at < code.length; at += Code.length(code[at])) {
      if (code[at] == Code.LOOP_CHECK && code[at + 1] == Code.LOOP_COUNT) {
        if (rounds(pools.expressions()[code[at + 2]]).isEmpty()) {
          isExact = false;
          code[at + 1] = Code.LOOP_WHILE;
          code[at + 2] = guards.length - 1;
        }
      }
    }
    return guards;
  }

  private Guard free(Guard guard) {
    if (guard.constant().isPresent()) {
      boolean value = guard.constant().get();
      return Guard.named(String.valueOf(value), context -> value);
    }
    isExact = false;
    return context -> oracle.decide();
  }

  static boolean isConstant(Guard guard) {
    return guard.constant().isPresent();
  }

  /// Returns the constant number of rounds; empty if it depends on data.
  static OptionalLong rounds(Expression count) {
    return small(count.folded().parts().number());
  }

  /// Returns the constant number of instances; empty if it depends on data.
  static OptionalLong instances(Expression count) {
    return small(count.folded().parts().instances());
  }

  private static OptionalLong small(OptionalLong number) {
    return number.orElse(COUNT_MAX) < COUNT_MAX ? number : OptionalLong.empty();
  }

  static boolean fails(Pool.Task task) {
    return task.function() != null && task.name().isEmpty() && task.text().startsWith("fail ");
  }

  private Pool.Task task(Pool.Task task) {
    TaskFunction function = null;
    if (task.function() != null) {
      TaskResult.Failed failed = new TaskResult.Failed(FAIL);
      function = fails(task) ? context -> failed : context -> context;
    }
    // The retries of a step belong to its effects; the function itself runs inside the machine.
    boolean keepsRetry = keepsTasks && !(task.function() instanceof StepFunction);
    var taskOptions = keepsRetry ? task.options() : task.options().withRetry(Retry.NONE);
    return new Pool.Task(
        task.name(),
        task.text(),
        function,
        task.template(),
        task.handler(),
        taskOptions,
        task.undo());
  }

  /// Abstracts a choice. Guards are evaluated in order until one is true, so without an else the
  /// last one must be true.
  private Pool.Choice choice(Pool.Choice choice) {
    if (choice.isFree()) {
      return choice;
    }
    @Nullable Guard[] guards = choice.guards().clone();
    for (int i = 0; i < guards.length; i++) {
      Guard guard = guards[i];
      if (guard != null) {
        boolean last = i == guards.length - 1 && choice.otherwise() < 0 && !options.failures();
        Guard replaced = free(guard);
        guards[i] = last && !isConstant(guard) ? context -> true : replaced;
      }
    }
    remarkNone(choice, guards);
    return new Pool.Choice(choice.targets(), guards, choice.otherwise());
  }

  /// Records in the last guard that none was true, if any guard depends on data.
  private void remarkNone(Pool.Choice choice, @Nullable Guard[] guards) {
    Guard last = guards[guards.length - 1];
    String names = freeGuards(choice.guards());
    if (choice.otherwise() < 0 && last != null && !names.isEmpty()) {
      guards[guards.length - 1] =
          context -> {
            boolean holds = last.test(context);
            if (!holds) {
              oracle.remark("if none of " + names + " is true");
            }
            return holds;
          };
    }
  }

  /// Returns whether no branch of a choice can be taken for any data.
  static boolean isNeverTaken(Pool.Choice choice) {
    for (Guard guard : choice.guards()) {
      if (guard == null || guard.constant().orElse(true)) {
        return false;
      }
    }
    return choice.otherwise() < 0;
  }

  /// Returns the texts of the guards that depend on data. Empty if there are none.
  static String freeGuards(@Nullable Guard[] guards) {
    List<String> texts = new ArrayList<>();
    for (Guard guard : guards) {
      if (guard != null && !isConstant(guard)) {
        texts.add("'" + guard.text() + "'");
      }
    }
    return String.join(", ", texts);
  }

  /// Abstracts a fork. All its guards are evaluated in order.
  private Pool.Fork fork(Pool.Fork fork) {
    JoinPolicy policy =
        fork.policy() == null ? null : fork.policy().withMerge(merge(fork.policy()));
    @Nullable Guard[] guards = fork.guards().clone();
    int[] selected = new int[1];
    int first = -1;
    int last = -1;
    int always = 0;
    for (int i = 0; i < guards.length; i++) {
      first = guards[i] != null && first < 0 ? i : first;
      last = guards[i] != null ? i : last;
      always += guards[i] == null && i != fork.otherwise() ? 1 : 0;
    }
    int need = Math.max(needed(fork), 1);
    boolean mustSelect = always == 0 && fork.otherwise() < 0 && !options.failures();
    String names = freeGuards(fork.guards());
    for (int i = 0; i < guards.length; i++) {
      Guard guard = guards[i];
      if (guard != null) {
        Guard replaced = free(guard);
        boolean begins = i == first;
        boolean ends = i == last;
        int certain = always;
        boolean decides = ends && mustSelect && !isConstant(guard);
        guards[i] =
            context -> {
              selected[0] = begins ? certain : selected[0];
              boolean holds = (decides && selected[0] == 0) || replaced.test(context);
              selected[0] += holds ? 1 : 0;
              if (ends && !names.isEmpty()) {
                remarkFew(selected[0], need, names, fork.otherwise() >= 0);
              }
              return holds;
            };
      }
    }
    return new Pool.Fork(fork.targets(), guards, fork.otherwise(), policy, fork.continuation());
  }

  /// Returns the number of branches that a join requires; 0 if it accepts fewer.
  private static int needed(Pool.Fork fork) {
    JoinPolicy policy = fork.policy();
    return policy != null
            && policy.shortage() == JoinPolicy.Shortage.ABORT
            && policy.need() instanceof JoinPolicy.Need.Count(var count)
        ? count
        : 0;
  }

  private void remarkFew(int selected, int need, String names, boolean hasElse) {
    int taken = selected == 0 && hasElse ? 1 : selected;
    if (taken == 0) {
      oracle.remark("if none of " + names + " is true");
    } else if (taken < need) {
      oracle.remark("if fewer than %d branches are selected by %s".formatted(need, names));
    }
  }

  /// Returns the merge of a join. Merges depend on data. Only a merge that rejects conflicts could
  /// change the flow, and without data there are no conflicts.
  private static Merge merge(JoinPolicy policy) {
    return policy.merge() == Merge.Standard.OVERLAY ? policy.merge() : Merge.Standard.LAST;
  }

  private static Pool.Net net(Pool.Net net) {
    return new Pool.Net(
        net.mode(),
        Merge.Standard.OVERLAY,
        net.nodes(),
        net.arcs(),
        net.startArcs(),
        net.continuation());
  }

  private static Pool.Emission emission(Pool.Emission emission) {
    return new Pool.Emission(emission.kind(), emission.target(), new String[0], new Expression[0]);
  }

  /// Abstracts processes. The first step is the one that the workflow names, or any. An evaluation
  /// has every outcome of its function.
  private Pool.Processes processes(Pool.Processes processes) {
    List<StepOutcome[]> outcomes = new ArrayList<>();
    List<String> ids = new ArrayList<>();
    int[] code = program.raw().code();
    for (Pool.Step step : processes.steps()) {
      int at = step.gate() + Code.length(Code.STEP_GATE);
      TaskFunction function = program.pools().tasks()[code[at + 1]].function();
      Set<StepOutcome> known =
          function instanceof StepFunction told ? told.outcomes() : StepFunction.EITHER;
      outcomes.add(known.toArray(StepOutcome[]::new));
      ids.add(step.id());
    }
    isExact = false;
    boolean cancels =
        outcomes.stream().anyMatch(each -> List.of(each).contains(StepOutcome.CANCELLED));
    int first = ids.indexOf(String.valueOf(program.context().get(StepNode.ENTRY)));
    Pool.FreeSteps free =
        new Pool.FreeSteps() {
          @Override
          public int entry() {
            return first < 0 ? oracle.choose(ids.size()) : first;
          }

          @Override
          public boolean canCancel() {
            return cancels;
          }

          @Override
          public StepOutcome outcome(int step) {
            StepOutcome[] all = outcomes.get(step);
            return all[oracle.choose(all.length)];
          }
        };
    return new Pool.Processes(
        processes.steps(), processes.joins(), processes.reach(), processes.continuation(), free);
  }

  private Pool.Instances instances(Pool.Instances spec) {
    InstancePolicy policy = spec.policy();
    InstancePolicy.Need need = policy.need();
    if (need instanceof InstancePolicy.Need.When) {
      isExact = false;
      InstanceCondition condition = (done, total, results) -> oracle.decide();
      need = new InstancePolicy.Need.When(condition);
    } else if (need instanceof InstancePolicy.Need.Count(var count) && rounds(count).isEmpty()) {
      isExact = false;
      bound = "the number of instances that must complete depends on data";
      need = new InstancePolicy.Need.Count(number("need", 0, options.instancesMax()));
    }
    Expression count = policy.count();
    if (instances(count).isEmpty()) {
      isExact = false;
      int most = Math.min(policy.max(), Math.max(policy.min(), options.instancesMax()));
      if (most < policy.max()) {
        bound =
            "sets of more than %d instances were not searched; their number depends on data"
                .formatted(most);
      }
      count = counted(policy, most);
    }
    InstancePolicy changed =
        new InstancePolicy(
            count, policy.min(), policy.max(), policy.open(), need, policy.rest(), null);
    return new Pool.Instances(spec.name(), spec.unit(), changed, spec.body(), spec.continuation());
  }

  /// Returns a number of instances: within the bounds, or outside the bounds that the author has
  /// written.
  private Expression counted(InstancePolicy policy, int most) {
    boolean isBounded = policy.min() > 0 || policy.max() < program.limits().instances();
    if (!isBounded || !options.failures()) {
      return number("count", policy.min(), most);
    }
    Expression within = number("count", policy.min(), most + 1);
    String data =
        "if '%s' is not between %d and %s"
            .formatted(
                policy.count().text(),
                policy.min(),
                policy.max() == Integer.MAX_VALUE ? "the limit of instances" : policy.max());
    return Expression.named(
        "count",
        context -> {
          Object value = within.value(context);
          if (!(value instanceof Long number) || number <= most) {
            return value;
          }
          oracle.remark(data);
          return policy.min() > 0 ? policy.min() - 1L : policy.max() + 1L;
        });
  }

  /// Returns a number between two others. The machine reads the number of instances twice, first as
  /// a possible list and then as a number; the second read repeats the first.
  private Expression number(String what, int least, int most) {
    boolean twice = what.equals("count");
    long[] last = {-1};
    return Expression.named(
        what,
        context -> {
          if (twice && last[0] >= 0) {
            long value = last[0];
            last[0] = -1;
            return value;
          }
          long value = least + (long) oracle.choose(most - least + 1);
          last[0] = value;
          return value;
        });
  }

  /// Returns the addresses of the program's tasks.
  static List<Integer> taskAddresses(Program program) {
    int[] code = program.raw().code();
    List<Integer> addresses = new ArrayList<>();
    for (int at = 0; at < code.length; at += Code.length(code[at])) {
      boolean task = code[at] == Code.TASK_EXEC || code[at] == Code.EFFECT_YIELD;
      if (task && !program.pools().tasks()[code[at + 1]].name().isEmpty()) {
        addresses.add(at);
      }
    }
    return addresses;
  }
}
