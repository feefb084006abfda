package dev.damask.verify;

import dev.damask.verify.pnml.PetriNet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A net played by the book, one marking a list of numbers: slow, plain, and written without a look
/// at the search it is compared with.
final class TokenGame {
  /// Where tokens pile up, the game would never end.
  private static final int MANY = 3;

  private final PetriNet net;
  private final Set<Integer> inner = new HashSet<>();

  TokenGame(PetriNet net) {
    this.net = net;
    net.transitions().forEach(t -> t.inputs().forEach(arc -> inner.add(arc.place())));
  }

  List<Integer> start() {
    return net.places().stream().map(PetriNet.Place::tokens).toList();
  }

  boolean isEnabled(List<Integer> marking, int transition) {
    return net.transitions().get(transition).inputs().stream()
        .allMatch(arc -> marking.get(arc.place()) >= arc.weight());
  }

  List<Integer> fire(List<Integer> marking, int transition) {
    List<Integer> next = new ArrayList<>(marking);
    PetriNet.Transition t = net.transitions().get(transition);
    t.inputs().forEach(arc -> next.set(arc.place(), next.get(arc.place()) - arc.weight()));
    t.outputs().forEach(arc -> next.set(arc.place(), next.get(arc.place()) + arc.weight()));
    return next;
  }

  boolean isFinal(List<Integer> marking) {
    return marking.stream().anyMatch(tokens -> tokens > 0)
        && inner.stream().allMatch(place -> marking.get(place) == 0);
  }

  static boolean isUnsafe(List<Integer> marking) {
    return marking.stream().anyMatch(tokens -> tokens > 1);
  }

  boolean isDead(List<Integer> marking) {
    for (int t = 0; t < net.transitions().size(); t++) {
      if (isEnabled(marking, t)) {
        return false;
      }
    }
    return !isFinal(marking);
  }

  /// How far the safe markings are from the start, and the nearest unsafe one; -1 when there is
  /// none.
  record Reached(Map<List<Integer>, Integer> distances, int unsafe) {}

  Reached reach() {
    Map<List<Integer>, Integer> distances = new HashMap<>();
    Deque<List<Integer>> open = new ArrayDeque<>();
    int unsafe = isUnsafe(start()) ? 0 : -1;
    distances.put(start(), 0);
    open.add(start());
    while (!open.isEmpty()) {
      List<Integer> marking = open.poll();
      int further = distances.getOrDefault(marking, 0) + 1;
      for (int t = 0; t < net.transitions().size(); t++) {
        if (isEnabled(marking, t)) {
          List<Integer> next = fire(marking, t);
          if (isUnsafe(next)) {
            unsafe = unsafe < 0 ? further : unsafe;
          } else if (distances.putIfAbsent(next, further) == null) {
            open.add(next);
          }
        }
      }
    }
    return new Reached(distances, unsafe);
  }

  /// Whether a final marking can be reached, without ever many tokens on a place.
  boolean canEnd(List<Integer> from) {
    Set<List<Integer>> seen = new HashSet<>(Set.of(from));
    Deque<List<Integer>> open = new ArrayDeque<>(seen);
    while (!open.isEmpty()) {
      List<Integer> marking = open.poll();
      if (isFinal(marking)) {
        return true;
      }
      for (int t = 0; t < net.transitions().size(); t++) {
        if (isEnabled(marking, t)) {
          List<Integer> next = fire(marking, t);
          boolean small = next.stream().allMatch(tokens -> tokens <= MANY);
          if (small && seen.add(next)) {
            open.add(next);
          }
        }
      }
    }
    return false;
  }

  /// Everything reachable, unsafe markings included.
  ///
  /// @param isCut whether a place held so many tokens that the search stopped
  record Space(
      boolean isCut,
      boolean isUnsafe,
      boolean alwaysCompletes,
      boolean isAnyTerminalUnsafe,
      boolean hasDeadTransition) {}

  Space space() {
    Map<List<Integer>, Set<List<Integer>>> before = new HashMap<>();
    Deque<List<Integer>> open = new ArrayDeque<>(List.of(start()));
    before.put(start(), new HashSet<>());
    Set<Integer> fired = new HashSet<>();
    boolean unsafe = isUnsafe(start());
    boolean unsafeEnd = false;
    while (!open.isEmpty()) {
      List<Integer> marking = open.poll();
      boolean terminal = true;
      for (int t = 0; t < net.transitions().size(); t++) {
        if (isEnabled(marking, t)) {
          terminal = false;
          fired.add(t);
          List<Integer> next = fire(marking, t);
          unsafe |= isUnsafe(next);
          if (next.stream().anyMatch(tokens -> tokens > 2 * MANY)) {
            return new Space(true, unsafe, false, false, false);
          }
          if (!before.containsKey(next)) {
            before.put(next, new HashSet<>());
            open.add(next);
          }
          before.getOrDefault(next, new HashSet<>()).add(marking);
        }
      }
      unsafeEnd |= terminal && isUnsafe(marking);
    }
    Deque<List<Integer>> good = new ArrayDeque<>();
    before.keySet().stream().filter(this::isFinal).forEach(good::add);
    Set<List<Integer>> completing = new HashSet<>(good);
    while (!good.isEmpty()) {
      for (List<Integer> marking : before.getOrDefault(good.poll(), Set.of())) {
        if (completing.add(marking)) {
          good.add(marking);
        }
      }
    }
    boolean completes = completing.size() == before.size();
    return new Space(false, unsafe, completes, unsafeEnd, fired.size() < net.transitions().size());
  }

  boolean isSound() {
    Reached reached = reach();
    return reached.unsafe() < 0 && reached.distances().keySet().stream().allMatch(this::canEnd);
  }

  /// The marking a counterexample leads to; refuses a step that is not possible.
  List<Integer> follow(Counterexample trace) {
    List<Integer> marking = start();
    for (Counterexample.Step step : trace.steps()) {
      if (!(step.move() instanceof Counterexample.Move.Fire(var transition))
          || !isEnabled(marking, transition)) {
        throw new AssertionError("no such step: " + step + " in " + marking);
      }
      marking = fire(marking, transition);
    }
    return marking;
  }
}
