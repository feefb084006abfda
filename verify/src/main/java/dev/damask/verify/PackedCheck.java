package dev.damask.verify;

import dev.damask.event.Status;
import dev.damask.program.Pool;
import dev.damask.program.Program;
import dev.damask.task.Guard;
import dev.damask.verify.Counterexample.Kind;
import dev.damask.verify.Counterexample.Move;
import dev.damask.verify.Counterexample.Step;
import dev.damask.verify.Verdict.Scope;
import dev.damask.verify.Verdict.Statistics;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/// Checks a plain program through its net.
final class PackedCheck {
  /// The number of states that are searched in every order before [Reduction#AUTO] reduces the
  /// orders.
  static final int SMALL = 1 << 20;

  /// The number of tokens that a place counts at first, and before it is called unbounded.
  static final int COUNT_FEW = 7;

  static final int COUNT_MANY = 63;
  private static final String MORE_THAN = "more than ";
  private static final int INSTANCES_MAX = 1_000;

  private final Program program;
  private final Options options;
  private final Meter meter;
  private final PackedNet net;
  private final ProgramNet.Result source;

  private PackedCheck(Program program, Options options, ProgramNet.Result source) {
    this.program = program;
    this.options = options;
    this.source = source;
    this.net = source.net();
    this.meter = new Meter(options);
  }

  /// Returns the verdict. Empty if the program is not plain.
  static Optional<Verdict> check(Program program, Options options) {
    if (!options.assertions().isEmpty()) {
      return Optional.empty();
    }
    int few = Math.max(COUNT_FEW, instances(program));
    Optional<ProgramNet.Result> first = ProgramNet.of(program, few);
    if (first.isEmpty()) {
      return Optional.empty();
    }
    Verdict verdict = new PackedCheck(program, options, first.get()).run();
    boolean overflows =
        (verdict instanceof Verdict.Refuted refuted
                && refuted.violations().getFirst().property() == Property.BOUNDED)
            || (verdict instanceof Verdict.Bounded bounded && bounded.why().startsWith(MORE_THAN));
    if (!overflows || few >= COUNT_MANY) {
      return Optional.of(verdict);
    }
    return ProgramNet.of(program, COUNT_MANY)
        .map(result -> new PackedCheck(program, options, result).run());
  }

  private static int instances(Program program) {
    long most = 0;
    for (Pool.Instances each : program.pools().instances()) {
      long count = Abstraction.instances(each.policy().count()).orElse(0);
      most = Math.max(most, Math.min(count, INSTANCES_MAX));
    }
    return (int) most;
  }

  private Verdict run() {
    int most = (int) Math.min(options.statesMax(), Integer.MAX_VALUE / 16);
    if (options.reduction() == Reduction.ALWAYS) {
      return explained(true, most);
    }
    int first = options.reduction() == Reduction.AUTO ? Math.min(SMALL, most) : most;
    if (net.words == 1) {
      LongSearch search = new LongSearch(net, first, meter);
      search.run();
      if (search.complete && !search.deadlocks && net.isAcyclic()) {
        Statistics statistics =
            new Statistics(search.states(), search.edges(), meter.millis(), false, "packed");
        return verdict(deadTasks(search::hasFired), statistics.with(endings(search::hasFired)));
      }
      if (!search.complete && !search.overflows) {
        return options.reduction() == Reduction.NONE || meter.hasStopped()
            ? stopped(search.states())
            : reducedThenFull(most);
      }
    }
    long work = options.reduction() == Reduction.AUTO ? NetSearch.FIRST_LOOK : Long.MAX_VALUE;
    NetSearch full = new NetSearch(net, false, first, work, meter);
    full.run();
    boolean decided = full.complete || full.overflowPlace >= 0;
    return decided || options.reduction() == Reduction.NONE || meter.hasStopped()
        ? decide(full, false)
        : reducedThenFull(most);
  }

  /// Checks with a reduced search, then with a full one if the bound of the tokens is still open.
  private Verdict reducedThenFull(int most) {
    NetSearch reduced = search(true, most);
    Verdict verdict = decide(reduced, true);
    if (verdict instanceof Verdict.Bounded && reduced.complete) {
      NetSearch full = search(false, most);
      return full.complete || full.overflowPlace >= 0 ? decide(full, false) : verdict;
    }
    return verdict;
  }

  private Verdict explained(boolean reduced, int most) {
    return decide(search(reduced, most), reduced);
  }

  private NetSearch search(boolean reduced, int most) {
    NetSearch search = new NetSearch(net, reduced, most, meter);
    search.run();
    return search;
  }

  private Verdict stopped(long states) {
    return new Verdict.Bounded(
        meter.stopped(states), new Statistics(states, 0, meter.millis(), false, "packed"));
  }

  private Verdict decide(NetSearch search, boolean reduced) {
    Statistics statistics =
        new Statistics(search.states(), search.edges(), meter.millis(), reduced, "packed");
    List<Violation> violations = new ArrayList<>();
    if (search.deadlock >= 0) {
      String sentence = "the case is deadlocked";
      violations.add(violation(Property.NO_DEADLOCK, search, search.deadlock, sentence, reduced));
    } else if (search.overflowPlace >= 0) {
      if (reduced || !isMonotone() || !search.isPumped(search.overflowState)) {
        return new Verdict.Bounded(
            (MORE_THAN + "%d tokens can be at one place; it may be able to grow without bound")
                .formatted(net.capacity[search.overflowPlace]),
            statistics);
      }
      String sentence = "the number of tokens can grow without bound";
      violations.add(violation(Property.BOUNDED, search, search.overflowState, sentence, reduced));
    } else if (!search.complete) {
      return stopped(search.states());
    } else {
      if (!net.isAcyclic()) {
        search.findTrap();
      }
      if (search.trap >= 0) {
        String sentence = "from here the case can run forever and never end";
        violations.add(violation(Property.NO_LIVELOCK, search, search.trap, sentence, reduced));
      } else {
        violations.addAll(deadTasks(search.fired::get));
        if (violations.isEmpty() && reduced && !isBounded()) {
          return new Verdict.Bounded(
              "it can always complete, but it is unknown whether its tokens have a bound",
              statistics);
        }
      }
    }
    return verdict(violations, statistics.with(endings(search.fired::get)));
  }

  /// Returns whether more tokens never prevent a run from being repeated. External events wait for
  /// the machine, so additional tokens at AND-joins could delay them.
  private boolean isMonotone() {
    boolean joins = false;
    for (Pool.Net each : program.pools().nets()) {
      for (Pool.Node node : each.nodes()) {
        joins |= node.kind() == Pool.JoinKind.AND;
      }
    }
    return net.internals == net.transitions || !joins;
  }

  /// Returns whether the arcs alone prove that tokens cannot accumulate. Only graphs can multiply
  /// them.
  private boolean isBounded() {
    return program.pools().nets().length == 0 || Structure.isBounded(net);
  }

  private Verdict verdict(List<Violation> violations, Statistics statistics) {
    Scope scope = source.isExact() ? Scope.FULL : Scope.CONTROL_FLOW;
    return violations.isEmpty()
        ? new Verdict.Proved(scope, statistics)
        : new Verdict.Refuted(violations, scope, statistics);
  }

  /// Returns the ends of a plain program. It ends with a status other than completed only if an
  /// effect fails or a choice without an else finds no branch, which depends on data.
  private Endings endings(IntPredicate fired) {
    Set<Ending> intended = new LinkedHashSet<>();
    Set<Endings.Warning> warnings = new LinkedHashSet<>();
    int[] code = program.raw().code();
    for (int t = 0; t < net.transitions; t++) {
      if (!fired.test(t)) {
        continue;
      }
      int address = source.labels().get(t).address();
      String where = Sites.path(program, address);
      switch (source.labels().get(t).kind()) {
        case TASK -> {
          Pool.Task task = program.pools().tasks()[code[address + 1]];
          if (task.function() == null) {
            intended.add(new Ending(Status.FAILED, Ending.Cause.EFFECT, task.name(), where));
          }
        }
        case CHOICE -> {
          Pool.Choice choice = program.pools().choices()[code[address + 1]];
          if (options.failures() && canFindNone(choice)) {
            Ending ending = new Ending(Status.FAILED, Ending.Cause.NO_BRANCH, "", where);
            String guards = Abstraction.freeGuards(choice.guards());
            warnings.add(new Endings.Warning(ending, "if none of " + guards + " is true"));
          }
        }
        case LOOP, FORK, JOIN, END -> {}
      }
    }
    if (options.mayEnd().contains(Status.FAILED)) {
      warnings.forEach(each -> intended.add(each.ending()));
      warnings.clear();
    }
    return new Endings(List.copyOf(intended), List.of(), List.copyOf(warnings));
  }

  private static boolean canFindNone(Pool.Choice choice) {
    boolean certain = choice.otherwise() >= 0 || choice.isFree();
    for (Guard guard : choice.guards()) {
      certain |= guard != null && guard.constant().orElse(false);
    }
    return !certain;
  }

  private List<Violation> deadTasks(IntPredicate fired) {
    java.util.BitSet executed = new java.util.BitSet();
    for (int t = 0; t < net.transitions; t++) {
      if (fired.test(t) && source.labels().get(t).kind() == ProgramNet.Kind.TASK) {
        executed.set(source.labels().get(t).address());
      }
    }
    return DeadTasks.find(program, options, executed);
  }

  private Violation violation(
      Property property, NetSearch search, int state, String sentence, boolean reduced) {
    List<Step> steps = new ArrayList<>();
    for (int t : search.trace(state)) {
      steps.add(step(t));
    }
    List<String> end = new ArrayList<>(List.of(sentence));
    if (property == Property.BOUNDED) {
      NetSearch.Round round = search.firstRound(state);
      steps = new ArrayList<>(steps.subList(0, round.to()));
      end.addFirst(Counterexample.again(steps, round.from()) + ", each time with more tokens");
    }
    String where = steps.isEmpty() ? "" : steps.getLast().path();
    return new Violation(property, where, sentence, new Counterexample(steps, end, !reduced));
  }

  /// Returns the target node of a graph's choice; empty for other choices.
  private String choiceTarget(ProgramNet.Label label) {
    Pool.Choice choice = program.pools().choices()[program.raw().code()[label.address() + 1]];
    return Sites.arcTarget(program, choice.targets()[label.way()]);
  }

  private Step step(int t) {
    ProgramNet.Label label = source.labels().get(t);
    String path = Sites.path(program, label.address());
    Move move = new Move.Fire(t);
    return switch (label.kind()) {
      case TASK -> {
        int index = program.raw().code()[label.address() + 1];
        Pool.Task task = program.pools().tasks()[index];
        Kind kind = task.function() == null ? Kind.DONE : Kind.TASK;
        String text =
            task.name().isEmpty()
                ? ""
                : "task " + task.name() + (kind == Kind.DONE ? " is done" : " runs");
        yield new Step(text.isEmpty() ? Kind.INTERNAL : kind, task.name(), "", path, text, move);
      }
      case CHOICE ->
          new Step(
              Kind.INTERNAL,
              choiceTarget(label),
              "",
              path,
              Sites.chosen(program, label.address(), label.way()),
              move);
      case LOOP ->
          new Step(
              Kind.INTERNAL,
              "",
              "",
              path,
              (label.way() == 0 ? "the loop repeats at " : "the loop ends at ") + path,
              move);
      case FORK, JOIN, END -> new Step(Kind.INTERNAL, "", "", path, "", move);
    };
  }
}
