package dev.damask.benchmarks;

import dev.damask.verify.pnml.PetriNet;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Free-choice nets with several sources and sinks and a large number of markings.
///
/// Each source starts a thread of tasks, choices, loops and forks with joins. Threads end on sinks
/// of their own or share one, where a join brings them together. Some transitions are dead.
final class GeneratedNets {
  private static final int SOURCES_MAX = 10;
  private static final double MARKINGS_MAX = 1e7;

  private final SplittableRandom random;
  private final List<PetriNet.Place> places = new ArrayList<>();
  private final List<PetriNet.Transition> transitions = new ArrayList<>();

  private GeneratedNets(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /// What is wrong with a net.
  enum Fault {
    NONE,
    /// A choice ends in a join that waits for both sides.
    DEADLOCK,
    /// A fork ends in a merge.
    UNSAFE
  }

  /// A net and about how many markings it has.
  record Generated(PetriNet net, double markings) {}

  static Generated net(long seed, Fault fault) {
    return new GeneratedNets(seed).build(fault);
  }

  private Generated build(Fault fault) {
    int sources = 2 + random.nextInt(SOURCES_MAX - 1);
    double each = Math.pow(MARKINGS_MAX, 1.0 / sources);
    double markings = 1;
    List<Integer> ends = new ArrayList<>();
    for (int i = 0; i < sources; i++) {
      int before = places.size();
      int at = place(1);
      if (i == sources - 1 && fault != Fault.NONE) {
        at = spoiled(at, fault);
      }
      while (places.size() - before < each - 1) {
        at = part(at);
      }
      markings *= places.size() - before;
      ends.add(at);
    }
    // Some threads meet in a join, the others end on sinks of their own.
    int meeting = random.nextInt(sources);
    if (meeting > 1) {
      fire(ends.subList(0, meeting), List.of(place(0)));
    }
    int never = place(0);
    fire(List.of(never), List.of(place(0)));
    return new Generated(new PetriNet("seed", places, transitions), markings);
  }

  private int part(int from) {
    int next = place(0);
    switch (random.nextInt(4)) {
      case 0 -> {
        fire(List.of(from), List.of(next));
        fire(List.of(from), List.of(next));
      }
      case 1 -> {
        int back = place(0);
        int last = place(0);
        fire(List.of(from), List.of(next));
        fire(List.of(next), List.of(back));
        fire(List.of(back), List.of(from));
        fire(List.of(next), List.of(last));
        return last;
      }
      case 2 -> {
        int left = place(0);
        int right = place(0);
        fire(List.of(from), List.of(left, right));
        fire(List.of(left, right), List.of(next));
      }
      default -> fire(List.of(from), List.of(next));
    }
    return next;
  }

  private int spoiled(int from, Fault fault) {
    int left = place(0);
    int right = place(0);
    int next = place(0);
    if (fault == Fault.DEADLOCK) {
      fire(List.of(from), List.of(left));
      fire(List.of(from), List.of(right));
      fire(List.of(left, right), List.of(next));
    } else {
      fire(List.of(from), List.of(left, right));
      fire(List.of(left), List.of(next));
      fire(List.of(right), List.of(next));
    }
    return next;
  }

  private int place(int tokens) {
    places.add(new PetriNet.Place("p" + places.size(), "p" + places.size(), tokens));
    return places.size() - 1;
  }

  private void fire(List<Integer> inputs, List<Integer> outputs) {
    String id = "t" + transitions.size();
    transitions.add(new PetriNet.Transition(id, id, arcs(inputs), arcs(outputs)));
  }

  private static List<PetriNet.Arc> arcs(List<Integer> ends) {
    return ends.stream().map(place -> new PetriNet.Arc(place, 1)).toList();
  }
}
