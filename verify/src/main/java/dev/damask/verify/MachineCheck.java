package dev.damask.verify;

import dev.damask.exec.Status;
import dev.damask.program.Program;
import dev.damask.verify.Counterexample.Move;
import dev.damask.verify.Verdict.Scope;
import dev.damask.verify.Verdict.Statistics;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// Checks a program by driving the real machine.
final class MachineCheck {
  private final Program program;
  private final Options options;
  private final Abstraction.Result abstraction;
  private final Walker walker;
  private final boolean reduced;
  private final Meter meter;
  private final List<Violation> violations = new ArrayList<>();

  /// Whether there were more states than allowed.
  private boolean isCut;

  /// Whether everything but the bound of the tokens is proved.
  private boolean isOpen;

  /// Why something that looked bad cannot happen; empty when nothing of that kind was found.
  private String impossible = "";

  private MachineCheck(Program program, Options options, boolean reduced, Meter meter) {
    Oracle oracle = new Oracle();
    this.program = program;
    this.options = options;
    this.abstraction = Abstraction.of(program, oracle, options);
    this.walker = new Walker(abstraction.program(), oracle);
    this.reduced = reduced;
    this.meter = meter;
  }

  /// How many states are searched in every order before [Reduction#AUTO] leaves orders out.
  static final int SMALL = 20_000;

  static Verdict check(Program program, Options options) {
    Meter meter = new Meter(options);
    boolean plain = options.reduction() == Reduction.NONE || !options.assertions().isEmpty();
    if (plain) {
      return new MachineCheck(program, options, false, meter).run();
    }
    // Stragglers of closed joins would multiply the states without meaning anything.
    boolean always = program.pools().processes().length > 0;
    if (always || options.reduction() == Reduction.ALWAYS) {
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
    // Only a full search can tell whether the tokens have a bound.
    Verdict third = new MachineCheck(program, options, false, meter).run();
    return third.word().equals("unknown") ? second : third;
  }

  private Verdict run() {
    Explorer explorer = new Explorer(walker, options, reduced, meter);
    explorer.run();
    boolean whole = explorer.stopped.isEmpty();
    isCut = explorer.isCut;
    assertions(explorer, whole);
    completion(explorer, whole);
    if (whole && violations.isEmpty()) {
      violations.addAll(DeadTasks.find(program, options, explorer.executed));
    }
    Statistics statistics =
        new Statistics(explorer.states(), explorer.edges(), meter.millis(), reduced, "machine");
    Scope scope = abstraction.isExact() ? Scope.FULL : Scope.CONTROL_FLOW;
    if (!violations.isEmpty()) {
      return new Verdict.Refuted(violations, scope, statistics);
    }
    if (!impossible.isEmpty()) {
      return new Verdict.GaveUp(
          "the only bad run that was found needs timers in another order than their times allow: "
              + impossible,
          statistics);
    }
    if (explorer.overfull >= 0) {
      return new Verdict.Bounded(
          explorer.stopped + "; it may be able to grow without bound", statistics);
    }
    if (!whole) {
      return new Verdict.Bounded(explorer.stopped, statistics);
    }
    if (reduced && program.pools().nets().length > 0) {
      isOpen = true;
      return new Verdict.Bounded(
          "it can always complete, but whether the tokens of its graphs have a bound is only proved"
              + " by a full search",
          statistics);
    }
    return abstraction.bound().isEmpty()
        ? new Verdict.Proved(scope, statistics)
        : new Verdict.Bounded(abstraction.bound(), statistics);
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
        add(Property.NO_DEADLOCK, explorer.path(state), "the case stands still for good");
      }
    }
    if (!whole) {
      return;
    }
    BitSet goals = new BitSet();
    for (int state = 0; state < explorer.states(); state++) {
      if (explorer.isEnded(state)) {
        goals.set(state);
      }
    }
    int trap = !explorer.deadlocks.isEmpty() ? -1 : explorer.reaching(goals).nextClearBit(0);
    if (trap >= 0 && trap < explorer.states()) {
      add(
          Property.NO_LIVELOCK,
          explorer.path(trap),
          "from here the case can run for ever and never end");
    } else if (explorer.completed < 0 && explorer.ended >= 0) {
      add(
          Property.OPTION_TO_COMPLETE,
          explorer.path(explorer.ended),
          "the case ends, but it can never complete");
    } else if (explorer.lost >= 0 && !kills()) {
      add(
          Property.PROPER_COMPLETION,
          explorer.path(explorer.lost),
          "the case ends although its main token never reached the end, and nobody cancelled it");
    }
  }

  private boolean kills() {
    // A session whose processes were all aborted has ended as its rules say.
    return program.pools().kills().length > 0 || program.pools().processes().length > 0;
  }

  /// Adds a violation that the machine itself has confirmed.
  private void add(Property property, List<Move> path, String sentence) {
    Storyteller teller = new Storyteller(walker);
    Storyteller.Story story = teller.tell(path);
    List<String> stands = teller.stands(story.end());
    String last = story.steps().isEmpty() ? "" : story.steps().getLast().path();
    String where = property == Property.NO_DEADLOCK && !stands.isEmpty() ? stands.getFirst() : last;
    Counterexample trace =
        new Counterexample(
            story.steps(),
            teller.describe(story.end()),
            stands,
            story.end().status().name().toLowerCase(java.util.Locale.ROOT),
            !reduced);
    try {
      Status status = Follower.follow(program, options, trace).state().status();
      if (status != story.end().status()) {
        throw new Follower.OutOfTime("the machine is then " + status);
      }
      violations.add(new Violation(property, where, sentence, trace));
    } catch (Follower.OutOfTime e) {
      impossible = String.valueOf(e.getMessage());
    }
  }
}
