package dev.damask.verify;

import dev.damask.program.Code;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.task.Context;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.InstanceCondition;
import dev.damask.task.Retry;
import dev.damask.task.StepOutcome;
import dev.damask.task.TaskFunction;
import dev.damask.task.TaskResult;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Merge;
import dev.damask.term.StepFunction;
import dev.damask.term.StepNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A program without its data: the same code at the same addresses, but what would look at a
/// context asks an [Oracle].
///
/// Guards and numbers written as constants stay what they are. A count loop whose number depends on
/// data becomes a loop that may end at every round: any number of rounds is possible, so nothing is
/// lost and nothing is added. Tasks that run in the machine succeed, except those that are written
/// to fail.
final class Abstraction {
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
  /// @param isExact whether nothing depended on data
  /// @param bound what was cut off, or empty
  record Result(Program program, boolean isExact, String bound) {}

  static Result of(Program program, Oracle oracle, Options options) {
    return new Abstraction(program, oracle, options, false).run();
  }

  /// The same, but retries stay: for following a trace on the machine as it really runs.
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
            false);
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
            program.hash());
    return new Result(result, isExact, bound);
  }

  private static <T> T[] map(T[] pool, java.util.function.UnaryOperator<T> change) {
    T[] copy = pool.clone();
    Arrays.setAll(copy, i -> change.apply(pool[i]));
    return copy;
  }

  /// Turns count loops that depend on data into loops that may end at every round.
  private Guard[] loops(int[] code, Program.Pools pools) {
    Guard[] guards = Arrays.copyOf(pools.guards(), pools.guards().length + 1);
    for (int i = 0; i < pools.guards().length; i++) {
      guards[i] = free(pools.guards()[i]);
    }
    guards[guards.length - 1] = context -> oracle.decide();
    for (int at = 0; at < code.length; at += Code.length(code[at])) {
      if (code[at] == Code.LOOP_CHECK && code[at + 1] == Code.LOOP_COUNT) {
        if (constant(pools.expressions()[code[at + 2]]).isEmpty()) {
          isExact = false;
          code[at + 1] = Code.LOOP_WHILE;
          code[at + 2] = guards.length - 1;
        }
      }
    }
    return guards;
  }

  private Guard free(Guard guard) {
    if (isConstant(guard)) {
      return guard;
    }
    isExact = false;
    return context -> oracle.decide();
  }

  static boolean isConstant(Guard guard) {
    return guard.text().equals("true") || guard.text().equals("false");
  }

  static OptionalLong constant(Expression expression) {
    String text = expression.text();
    return text.length() <= 9 && text.matches("[0-9]+")
        ? OptionalLong.of(Long.parseLong(text))
        : OptionalLong.empty();
  }

  static boolean fails(Pool.Task task) {
    return task.function() != null && task.name().isEmpty() && task.text().startsWith("fail ");
  }

  private Pool.Task task(Pool.Task task) {
    TaskFunction function = null;
    if (task.function() != null) {
      TaskResult.Failed failed = new TaskResult.Failed("failed");
      function = fails(task) ? context -> failed : context -> context;
    }
    var taskOptions = keepsTasks ? task.options() : task.options().withRetry(Retry.NONE);
    return new Pool.Task(
        task.name(),
        task.text(),
        function,
        task.template(),
        task.handler(),
        taskOptions,
        task.undo());
  }

  /// Guards are asked in order until one is true, so the last one without an else must be.
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
    return new Pool.Choice(choice.targets(), guards, choice.otherwise());
  }

  /// Guards of a fork are all asked, in order.
  private Pool.Fork fork(Pool.Fork fork) {
    JoinPolicy policy =
        fork.policy() == null ? null : fork.policy().withMerge(merge(fork.policy()));
    @Nullable Guard[] guards = fork.guards().clone();
    boolean[] any = new boolean[1];
    int last = -1;
    boolean always = fork.otherwise() >= 0;
    for (int i = 0; i < guards.length; i++) {
      last = guards[i] != null ? i : last;
      always |= guards[i] == null && i != fork.otherwise();
    }
    boolean mustSelect = !always && !options.failures();
    for (int i = 0; i < guards.length; i++) {
      Guard guard = guards[i];
      if (guard != null) {
        Guard replaced = free(guard);
        boolean first = i == 0;
        boolean decides = i == last && mustSelect && !isConstant(guard);
        guards[i] =
            context -> {
              any[0] &= !first;
              boolean holds = (decides && !any[0]) || replaced.test(context);
              any[0] |= holds;
              return holds;
            };
      }
    }
    return new Pool.Fork(fork.targets(), guards, fork.otherwise(), policy, fork.continuation());
  }

  /// Merging is data; only a merge that refuses conflicts could change the flow, and without data
  /// there are none.
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

  /// The first step is the one the workflow names, or any; an evaluation ends in every way its
  /// function knows.
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
    } else if (need instanceof InstancePolicy.Need.Count(var count) && constant(count).isEmpty()) {
      isExact = false;
      bound = "the number of instances that must complete depends on data";
      need = new InstancePolicy.Need.Count(number("need", 0, options.instancesMax()));
    }
    Expression count = policy.count();
    if (constant(count).isEmpty()) {
      isExact = false;
      int most = Math.min(policy.max(), Math.max(policy.min(), options.instancesMax()));
      if (most < policy.max()) {
        bound =
            "sets of more than %d instances were not looked at: their number depends on data"
                .formatted(most);
      }
      count = number("count", policy.min(), most);
    }
    InstancePolicy changed =
        new InstancePolicy(
            count, policy.min(), policy.max(), policy.open(), need, policy.rest(), null);
    return new Pool.Instances(spec.name(), spec.unit(), changed, spec.body(), spec.continuation());
  }

  /// A number between two others. The machine reads the number of instances twice: once to see
  /// whether it is a list, once as a number; the second reading repeats the first.
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

  /// The tasks of the program that can be told apart by their addresses.
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
