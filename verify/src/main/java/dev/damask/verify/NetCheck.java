package dev.damask.verify;

import dev.damask.verify.Counterexample.Kind;
import dev.damask.verify.Counterexample.Move;
import dev.damask.verify.Counterexample.Step;
import dev.damask.verify.Verdict.Scope;
import dev.damask.verify.Verdict.Statistics;
import dev.damask.verify.pnml.PetriNet;
import java.util.ArrayList;
import java.util.List;

/// Checks a workflow net.
final class NetCheck {
  /// The number of markings that are searched in every order to find a short trace.
  static final int SMALL = 100_000;

  /// The maximum cost of a search for a shorter trace, in written words of markings.
  private static final long SHORTEN = 1L << 19;

  private final PetriNet net;
  private final PackedNet packed;
  private final Meter meter;

  private NetCheck(PetriNet net, Options options) {
    this.net = net;
    this.packed = pack(net);
    this.meter = new Meter(options);
  }

  static Verdict check(PetriNet net, Options options) {
    for (PetriNet.Place place : net.places()) {
      if (place.tokens() > 1) {
        Counterexample trace = new Counterexample(List.of(), List.of(marked(place)), true);
        String sentence = "place " + place.name() + " starts with " + place.tokens() + " tokens";
        return new Verdict.Refuted(
            List.of(new Violation(Property.BOUNDED, place.id(), sentence, trace)),
            Scope.FULL,
            new Statistics(1, 0, 0, false, "packed"));
      }
    }
    return new NetCheck(net, options).run(options);
  }

  private static String marked(PetriNet.Place place) {
    return "tokens on " + place.name();
  }

  static PackedNet pack(PetriNet net) {
    List<PackedNet.PlaceSpec> places = new ArrayList<>();
    net.places().forEach(place -> places.add(new PackedNet.PlaceSpec(place.tokens(), 1)));
    List<PackedNet.TransitionSpec> transitions = new ArrayList<>();
    net.transitions()
        .forEach(transition ->
            transitions.add(
                new PackedNet.TransitionSpec(
                    pairs(transition.inputs()), pairs(transition.outputs()), new int[0])));
    return new PackedNet(places, transitions);
  }

  private static int[] pairs(List<PetriNet.Arc> arcs) {
    int[] pairs = new int[arcs.size() * 2];
    for (int i = 0; i < arcs.size(); i++) {
      pairs[2 * i] = arcs.get(i).place();
      pairs[2 * i + 1] = arcs.get(i).weight();
    }
    return pairs;
  }

  private Verdict run(Options options) {
    int most = (int) Math.min(options.statesMax(), Integer.MAX_VALUE / 16);
    // If a transition needs no input, no marking is terminal, and a reduction preserves only
    // terminal markings.
    Reduction reduction = packed.hasSources() ? Reduction.NONE : options.reduction();
    if (options.isDepthBounded() && reduction == Reduction.AUTO) {
      reduction = Reduction.NONE;
    }
    return switch (reduction) {
      case NONE -> decide(search(false, most, Long.MAX_VALUE), false);
      case ALWAYS -> decide(search(true, most, Long.MAX_VALUE), true);
      case AUTO -> auto(most);
    };
  }

  /// Checks with a reduced search first; a full search then shortens a counterexample. If neither
  /// is small, the reduced search uses its whole limit, and the full one runs only if safety is
  /// still open.
  private Verdict auto(int most) {
    int small = Math.min(SMALL, most);
    NetSearch reduced = search(true, small, NetSearch.FIRST_LOOK);
    Verdict verdict = decide(reduced, true);
    if (verdict.isProved()) {
      return verdict;
    }
    boolean refuted = verdict instanceof Verdict.Refuted;
    NetSearch full = search(false, small, refuted ? SHORTEN : NetSearch.FIRST_LOOK);
    if (isDecided(full)) {
      return decide(full, false);
    }
    if (refuted || meter.hasStopped()) {
      return verdict;
    }
    if (!isDecided(reduced)) {
      reduced = search(true, most, Long.MAX_VALUE);
      verdict = decide(reduced, true);
    }
    if (verdict instanceof Verdict.Bounded && reduced.complete) {
      full = search(false, most, Long.MAX_VALUE);
      return isDecided(full) ? decide(full, false) : verdict;
    }
    return verdict;
  }

  private NetSearch search(boolean reduced, int most, long work) {
    NetSearch search = new NetSearch(packed, reduced, most, work, meter);
    search.run();
    return search;
  }

  private static boolean isDecided(NetSearch search) {
    return search.complete || search.overflowPlace >= 0 || search.deadlock >= 0;
  }

  private Verdict stopped(NetSearch search, boolean reduced) {
    Statistics statistics = statistics(search, reduced);
    return new Verdict.Bounded(meter.stopped(search.states()), statistics);
  }

  private Statistics statistics(NetSearch search, boolean reduced) {
    return new Statistics(search.states(), search.edges(), meter.millis(), reduced, "packed");
  }

  private Verdict decide(NetSearch search, boolean reduced) {
    if (!isDecided(search)) {
      return stopped(search, reduced);
    }
    Statistics statistics = statistics(search, reduced);
    List<Violation> violations = new ArrayList<>();
    if (search.overflowPlace >= 0) {
      violations.add(unsafe(search, reduced));
    } else {
      if (search.deadlock >= 0) {
        violations.add(deadlock(search, reduced));
      } else if (!packed.isAcyclic()) {
        search.findTrap();
        if (search.trap >= 0) {
          violations.add(livelock(search, reduced));
        }
      }
    }
    if (!violations.isEmpty()) {
      return new Verdict.Refuted(violations, Scope.FULL, statistics);
    }
    return !reduced || Structure.isSafeIfCompleting(packed)
        ? new Verdict.Proved(Scope.FULL, statistics)
        : new Verdict.Bounded(
            "it can always complete, but that no place ever has two tokens can be proved only by a"
                + " full search or for free-choice nets with ordinary arcs in which every"
                + " transition has an input and an output",
            statistics);
  }

  private Violation unsafe(NetSearch search, boolean reduced) {
    List<Step> steps = steps(search.trace(search.overflowState));
    steps.add(step(search.overflowTransition));
    PetriNet.Place place = net.places().get(search.overflowPlace);
    return new Violation(
        Property.BOUNDED,
        place.id(),
        "place " + place.name() + " can have two tokens",
        new Counterexample(steps, List.of("two tokens on " + place.name()), !reduced));
  }

  private Violation deadlock(NetSearch search, boolean reduced) {
    return new Violation(
        Property.NO_DEADLOCK,
        "",
        "no transition is enabled, and tokens are left before the end",
        new Counterexample(
            steps(search.trace(search.deadlock)), marking(search, search.deadlock), !reduced));
  }

  private Violation livelock(NetSearch search, boolean reduced) {
    return new Violation(
        Property.NO_LIVELOCK,
        "",
        "from here no final marking can be reached",
        new Counterexample(
            steps(search.trace(search.trap)), marking(search, search.trap), !reduced));
  }

  private List<String> marking(NetSearch search, int index) {
    List<String> names = new ArrayList<>();
    for (int place = 0; place < packed.places; place++) {
      if (search.tokens(index, place) > 0) {
        names.add(net.places().get(place).name());
      }
    }
    return List.of("tokens on " + String.join(", ", names));
  }

  private List<Step> steps(int[] trace) {
    List<Step> steps = new ArrayList<>();
    for (int transition : trace) {
      steps.add(step(transition));
    }
    return steps;
  }

  private Step step(int index) {
    PetriNet.Transition transition = net.transitions().get(index);
    return new Step(
        Kind.FIRE, transition.id(), "", "", transition.name() + " fires", new Move.Fire(index));
  }
}
