package dev.damask.verify;

import dev.damask.verify.pnml.PetriNet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/// Nets for tests: those of the shared folder, and large ones made here.
final class Nets {
  private Nets() {}

  /// The folder with the nets of the benchmark; empty where it is missing.
  static Optional<Path> folder() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path folder = at.resolve("shared").resolve("nets").resolve("ibm-a");
      if (Files.isDirectory(folder)) {
        return Optional.of(folder);
      }
    }
    return Optional.empty();
  }

  /// The word of the verdict file for a verdict about a net.
  static String kind(Verdict verdict) {
    return switch (verdict) {
      case Verdict.Proved proved -> "sound";
      case Verdict.Refuted(var violations, var scope, var statistics) ->
          violations.getFirst().property() == Property.BOUNDED ? "unsafe" : "deadlock";
      case Verdict.Bounded(var why, var statistics) -> "unknown: " + why;
      case Verdict.GaveUp(var why, var statistics) -> "unknown: " + why;
    };
  }

  /// Grows a sound free-choice net by refining places at random, then perhaps spoils one
  /// transition.
  static final class Generator {
    private final SplittableRandom random;
    private final List<PetriNet.Place> places = new ArrayList<>();
    private final List<List<Integer>> inputs = new ArrayList<>();
    private final List<List<Integer>> outputs = new ArrayList<>();

    Generator(long seed) {
      this.random = new SplittableRandom(seed);
    }

    /// What is wrong with the net.
    enum Fault {
      NONE,
      /// A choice ends in a join that waits for all.
      DEADLOCK,
      /// A fork ends in a merge.
      UNSAFE
    }

    /// Parallel threads, each a random sequence of tasks, choices and loops.
    PetriNet net(int threads, int length, Fault fault) {
      int start = place(1);
      int end = place(0);
      int split = transition();
      int join = transition();
      inputs.get(split).add(start);
      outputs.get(join).add(end);
      for (int i = 0; i < threads; i++) {
        int at = place(0);
        outputs.get(split).add(at);
        at = thread(at, length);
        if (i == 0 && fault != Fault.NONE) {
          at = fault == Fault.DEADLOCK ? deadlock(at) : unsafe(at);
        }
        inputs.get(join).add(at);
      }
      return finish();
    }

    private int thread(int from, int length) {
      int at = from;
      for (int i = 0; i < length; i++) {
        int next = place(0);
        step(at, next);
        switch (random.nextInt(4)) {
          case 0 -> step(at, next);
          case 1 -> {
            int back = place(0);
            step(next, back);
            step(back, next);
          }
          default -> {}
        }
        at = next;
      }
      // The join takes from a place that nothing else takes from, so that the choice stays free.
      int last = place(0);
      step(at, last);
      return last;
    }

    /// One token chooses a side, and a join waits for both.
    private int deadlock(int from) {
      int left = place(0);
      int right = place(0);
      int next = place(0);
      step(from, left);
      step(from, right);
      int join = transition();
      inputs.get(join).add(left);
      inputs.get(join).add(right);
      outputs.get(join).add(next);
      return next;
    }

    /// Both sides of a fork come to one place.
    private int unsafe(int from) {
      int left = place(0);
      int right = place(0);
      int next = place(0);
      int last = place(0);
      int fork = transition();
      inputs.get(fork).add(from);
      outputs.get(fork).add(left);
      outputs.get(fork).add(right);
      step(left, next);
      step(right, next);
      int both = transition();
      inputs.get(both).add(next);
      outputs.get(both).add(last);
      return last;
    }

    private void step(int from, int to) {
      int t = transition();
      inputs.get(t).add(from);
      outputs.get(t).add(to);
    }

    private int place(int tokens) {
      places.add(new PetriNet.Place("p" + places.size(), "p" + places.size(), tokens));
      return places.size() - 1;
    }

    private int transition() {
      inputs.add(new ArrayList<>());
      outputs.add(new ArrayList<>());
      return inputs.size() - 1;
    }

    private PetriNet finish() {
      List<PetriNet.Transition> transitions = new ArrayList<>();
      for (int t = 0; t < inputs.size(); t++) {
        transitions.add(
            new PetriNet.Transition("t" + t, "t" + t, arcs(inputs.get(t)), arcs(outputs.get(t))));
      }
      return new PetriNet("generated", places, transitions);
    }

    private static List<PetriNet.Arc> arcs(List<Integer> ends) {
      return ends.stream().map(place -> new PetriNet.Arc(place, 1)).toList();
    }
  }
}
