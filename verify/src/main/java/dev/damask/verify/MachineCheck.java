package dev.damask.verify;

import dev.damask.event.Status;
import dev.damask.program.Program;
import dev.damask.verify.Counterexample.Move;
import dev.damask.verify.Verdict.Scope;
import dev.damask.verify.Verdict.Statistics;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Checks a program with the real machine.
final class MachineCheck {
  private final Program program;
  private final Options options;
  private final Abstraction.Result abstraction;
  private final Moves search;
  private final boolean reduced;
  private final Meter meter;
  private final List<Violation> violations = new ArrayList<>();

  /// Whether the limit of states was exceeded.
  private boolean isCut;

  /// Whether everything except the bound of the tokens is proved.
  private boolean isOpen;

  /// The reason why an apparent violation cannot happen; empty if there was none.
  private String impossible = "";

  private MachineCheck(Program program, Options options, boolean reduced, Meter meter) {
    Oracle oracle = new Oracle();
    this.program = program;
    this.options = options;
    this.abstraction = Abstraction.of(program, oracle, options);
    this.search = new Moves(abstraction.program(), oracle);
    this.reduced = reduced;
    this.meter = meter;
  }

  /// The number of states that are searched in every order before [Reduction#AUTO] reduces the
  /// orders.
  static final int SMALL = 20_000;

  /// The number of states that are searched before random walks start.
  static final int FEW = 2_000;

  static Verdict check(Program program, Options options) {
    Meter meter = new Meter(options);
    boolean plain = options.reduction() == Reduction.NONE || !options.assertions().isEmpty();
    if (plain) {
      return new MachineCheck(program, options, false, meter).run();
    }
    Options few = options.withStates(Math.min(FEW, options.statesMax()));
    // Late tokens of closed joins would multiply the states without a new behaviour.
    boolean always =
        options.reduction() == Reduction.ALWAYS || program.pools().processes().length > 0;
    MachineCheck tiny = new MachineCheck(program, few, always, meter);
    Verdict near = tiny.run();
    if (!tiny.isCut || !near.word().equals("unknown")) {
      return near;
    }
    Verdict walked = new MachineCheck(program, options, true, meter).walk();
    if (walked != null) {
      return walked;
    }
    if (always) {
      return new MachineCheck(program, options, true, meter).run();
    }
    Options first = options.withStates(Math.min(SMALL, options.statesMax()));
    MachineCheck small = new MachineCheck(program, first, false, meter);
    Verdict verdict = small.run();
    if (!small.isCut || !verdict.word().equals("unknown")) {
      return verdict;
    }
    MachineCheck reduced = new MachineCheck(program, options, true, meter);
    Verdict second = reduced.run();
    if (!reduced.isOpen) {
      return second;
    }
    // Only a full search can determine whether the tokens have a bound.
    Verdict third = new MachineCheck(program, options, false, meter).run();
    return third.word().equals("unknown") ? second : third;
  }

  /// Searches for a deadlock with random walks. Returns null if they find none that is possible in
  /// time.
  private @Nullable Verdict walk() {
    boolean failuresMatter = options.failures() && Explorer.canHandle(program);
    RandomWalks walks = new RandomWalks(search, options, failuresMatter);
    List<Move> path = walks.find();
    if (path.isEmpty()) {
      return null;
    }
    add(Property.NO_DEADLOCK, path, "the case is deadlocked");
    if (violations.isEmpty()) {
      return null;
    }
    Scope scope = abstraction.isExact() ? Scope.FULL : Scope.CONTROL_FLOW;
    Statistics statistics =
        new Statistics(walks.moves(), walks.moves(), meter.millis(), true, "machine");
    return new Verdict.Refuted(violations, scope, statistics);
  }

  private Verdict run() {
    Explorer explorer = explore(reduced ? Explorer.Orders.FEWER : Explorer.Orders.ALL);
    if (reduced && explorer.stopped.isEmpty() && explorer.trap() >= 0) {
      explorer = explore(Explorer.Orders.FAIR);
    }
    boolean whole = explorer.stopped.isEmpty();
    isCut = explorer.isCut;
    assertions(explorer, whole);
    completion(explorer, whole);
    Endings endings = endings(explorer);
    if (whole && violations.isEmpty()) {
      violations.addAll(DeadTasks.find(program, options, explorer.executed));
    }
    Statistics statistics =
        new Statistics(
            explorer.states(), explorer.edges(), meter.millis(), reduced, "machine", endings);
    Scope scope = abstraction.isExact() ? Scope.FULL : Scope.CONTROL_FLOW;
    if (!violations.isEmpty()) {
      return new Verdict.Refuted(violations, scope, statistics);
    }
    if (!impossible.isEmpty()) {
      return new Verdict.GaveUp(
          "the only violation found requires timers in an order that their times do not allow: "
              + impossible,
          statistics);
    }
    if (explorer.overfull >= 0) {
      return new Verdict.Bounded(explorer.stopped, statistics);
    }
    if (!whole) {
      return new Verdict.Bounded(explorer.stopped, statistics);
    }
    if (reduced && !TokenBounds.areGraphsBounded(program)) {
      isOpen = true;
      return new Verdict.Bounded(
          "it can always complete, but only a full search can prove that the tokens of its graphs"
              + " have a bound",
          statistics);
    }
    return abstraction.bound().isEmpty()
        ? new Verdict.Proved(scope, statistics)
        : new Verdict.Bounded(abstraction.bound(), statistics);
  }

  private Explorer explore(Explorer.Orders orders) {
    EndCollector ends = new EndCollector(program, search.program, abstraction.isExact());
    Explorer explorer = new Explorer(search, ends, options, orders, meter);
    explorer.run();
    return explorer;
  }

  private void assertions(Explorer explorer, boolean whole) {
    explorer.badMoves.forEach((index, bad) -> {
      List<Move> path = new ArrayList<>(explorer.path(bad.from()));
      path.add(bad.move());
      Assertion assertion = options.assertions().get(index);
      add(Property.ASSERTION, path, "violated: " + assertion.sentence());
    });
    for (int i = 0; whole && i < options.assertions().size(); i++) {
      if (options.assertions().get(i) instanceof Assertion.LeadsTo leads) {
        leadsTo(explorer, i, leads);
      }
    }
  }

  private void leadsTo(Explorer explorer, int index, Assertion.LeadsTo leads) {
    BitSet satisfied = new BitSet();
    for (int state = 0; state < explorer.states(); state++) {
      if (!explorer.isPending(state, index)) {
        satisfied.set(state);
      }
    }
    int first = explorer.reaching(satisfied).nextClearBit(0);
    if (first < explorer.states()) {
      String sentence =
          "violated: %s: from here %s cannot happen any more"
              .formatted(leads.sentence(), leads.then());
      add(Property.ASSERTION, explorer.path(first), sentence);
    }
  }

  private void completion(Explorer explorer, boolean whole) {
    for (int state : explorer.deadlocks) {
      if (violations.stream().noneMatch(each -> each.property() == Property.NO_DEADLOCK)) {
        add(Property.NO_DEADLOCK, explorer.path(state), "the case is deadlocked");
      }
    }
    if (!whole) {
      return;
    }
    int trap = explorer.trap();
    if (trap >= 0) {
      livelock(explorer.path(trap));
    } else if (explorer.completed < 0 && explorer.ended >= 0) {
      add(
          Property.OPTION_TO_COMPLETE,
          explorer.path(explorer.ended),
          "the case ends, but it can never complete");
    }
  }

  /// Classifies the ends: those that control flow alone reaches and that are not allowed are
  /// violations.
  private Endings endings(Explorer explorer) {
    if (program.pools().processes().length > 0) {
      // A session whose processes were all aborted has ended according to its rules.
      return Endings.NONE;
    }
    List<Ending> intended = new ArrayList<>(explorer.ends.intended());
    List<Ending> errors = new ArrayList<>();
    List<Endings.Warning> warnings = new ArrayList<>();
    for (List<EndCollector.Found> found : explorer.ends.byFlow()) {
      Ending ending = found.getFirst().ending();
      if (options.mayEnd().contains(ending.status())) {
        intended.add(ending);
      } else if (found.stream().anyMatch(each -> add(ending, explorer, each))) {
        errors.add(ending);
      }
    }
    for (EndCollector.Found found : explorer.ends.byData()) {
      if (options.mayEnd().contains(found.ending().status())) {
        intended.add(found.ending());
      } else {
        warnings.add(new Endings.Warning(found.ending(), found.data()));
      }
    }
    return new Endings(intended, errors, warnings);
  }

  private boolean add(Ending ending, Explorer explorer, EndCollector.Found found) {
    List<Move> path = new ArrayList<>(explorer.path(found.from()));
    path.add(found.move());
    String sentence =
        "%s; if this is intended, add assert: [{mayEnd: [%s]}]"
            .formatted(ending.sentence(), ending.word());
    if (!add(Property.PROPER_COMPLETION, path, sentence, path.size())) {
      return false;
    }
    Violation told = violations.removeLast();
    violations.add(
        new Violation(
            told.property(),
            ending.where().isEmpty() ? told.where() : ending.where(),
            sentence,
            ending.cause() == Ending.Cause.MERGE_CONFLICT
                ? told.counterexample().failing("merge_conflict")
                : told.counterexample()));
    return true;
  }

  /// Adds the path to a state from which no end is reachable, with one round.
  private void livelock(List<Move> path) {
    String before = impossible;
    try {
      Cycle cycle = Cycle.find(search, options, path);
      if (add(
          Property.NO_LIVELOCK,
          cycle.moves(),
          "the case can run forever and never end",
          cycle.from())) {
        return;
      }
    } catch (IllegalStateException e) {
      // The machine does not repeat this round, because its tokens then have other numbers.
    }
    impossible = before;
    add(Property.NO_LIVELOCK, path, "from here the case can run forever and never end");
  }

  private void add(Property property, List<Move> path, String sentence) {
    add(property, path, sentence, path.size());
  }

  /// Adds a violation that the machine has confirmed.
  ///
  /// @param again the index of the move from which the path repeats; its length if it does not
  /// @return whether the machine has confirmed it
  private boolean add(Property property, List<Move> path, String sentence, int again) {
    TraceFormatter teller = new TraceFormatter(search);
    TraceFormatter.Story story = teller.tell(path);
    List<String> stands = teller.stands(story.end());
    String last = story.steps().isEmpty() ? "" : story.steps().getLast().path();
    String where = property == Property.NO_DEADLOCK && !stands.isEmpty() ? stands.getFirst() : last;
    List<String> end = new ArrayList<>(teller.describe(story.end()));
    if (again < path.size()) {
      end.addFirst(Counterexample.again(story.steps(), again) + ", without an end");
    }
    Counterexample trace =
        new Counterexample(
            story.steps(),
            end,
            stands,
            story.end().status().name().toLowerCase(java.util.Locale.ROOT),
            !reduced);
    try {
      CounterexampleReplay.End followed = CounterexampleReplay.follow(program, options, trace);
      Status status = followed.state().status();
      if (status != story.end().status()) {
        throw new CounterexampleReplay.OutOfTime("the machine is then " + status);
      }
      violations.add(new Violation(property, where, sentence, trace.as(followed)));
      return true;
    } catch (CounterexampleReplay.OutOfTime e) {
      impossible = String.valueOf(e.getMessage());
      return false;
    }
  }
}
