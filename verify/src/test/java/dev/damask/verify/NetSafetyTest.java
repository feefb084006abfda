package dev.damask.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.verify.pnml.PetriNet;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// The theorem by which a reduced search proves nets safe (`docs/verification.md`), against a full
/// search that knows nothing of it.
final class NetSafetyTest {
  private static final int COUNT = 60_000;

  /// The premises of the theorem.
  private enum Premise {
    WEIGHTS,
    FREE_CHOICE,
    INPUTS,
    OUTPUTS,
    COMPLETION,
    SINKS
  }

  /// Which premises a net violates.
  private static Set<Premise> violated(PetriNet net, TokenGame.Space space) {
    Set<Premise> violated = new TreeSet<>();
    for (PetriNet.Transition t : net.transitions()) {
      if (t.inputs().isEmpty()) {
        violated.add(Premise.INPUTS);
      }
      if (t.outputs().isEmpty()) {
        violated.add(Premise.OUTPUTS);
      }
      for (PetriNet.Transition other : net.transitions()) {
        boolean shares = t.inputs().stream().anyMatch(other.inputs()::contains);
        if (shares && !Set.copyOf(t.inputs()).equals(Set.copyOf(other.inputs()))) {
          violated.add(Premise.FREE_CHOICE);
        }
      }
      for (List<PetriNet.Arc> arcs : List.of(t.inputs(), t.outputs())) {
        if (arcs.stream().anyMatch(arc -> arc.weight() > 1)) {
          violated.add(Premise.WEIGHTS);
        }
      }
    }
    if (!space.alwaysCompletes()) {
      violated.add(Premise.COMPLETION);
    }
    if (space.isAnyTerminalUnsafe()) {
      violated.add(Premise.SINKS);
    }
    return violated;
  }

  /// Builds small nets arc by arc.
  private static final class Draft {
    private final List<PetriNet.Place> places = new ArrayList<>();
    private final List<PetriNet.Transition> transitions = new ArrayList<>();

    Draft(int... tokens) {
      for (int each : tokens) {
        places.add(new PetriNet.Place("p" + places.size(), "p" + places.size(), each));
      }
    }

    Draft fire(List<Integer> inputs, List<Integer> outputs) {
      String id = "t" + transitions.size();
      transitions.add(new PetriNet.Transition(id, id, arcs(inputs), arcs(outputs)));
      return this;
    }

    private static List<PetriNet.Arc> arcs(List<Integer> places) {
      return places.stream()
          .distinct()
          .sorted()
          .map(
              place -> new PetriNet.Arc(place, (int) places.stream().filter(place::equals).count()))
          .toList();
    }

    PetriNet net() {
      return new PetriNet("draft", places, transitions);
    }
  }

  /// Mostly free-choice: clusters of places, each with a few transitions, arcs mostly forward.
  private static PetriNet random(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int inner = 2 + random.nextInt(5);
    int sinks = 1 + random.nextInt(3);
    int[] tokens = new int[inner + sinks];
    int sources = 1 + random.nextInt(3);
    for (int i = 0; i < inner; i++) {
      tokens[i] = i < sources || random.nextInt(15) == 0 ? 1 : 0;
    }
    Draft draft = new Draft(tokens);
    for (int place = 0; place < inner; place++) {
      List<Integer> cluster = new ArrayList<>(List.of(place));
      while (place + 1 < inner && random.nextInt(3) == 0) {
        cluster.add(++place);
      }
      int count = 1 + random.nextInt(3);
      for (int i = 0; i < count; i++) {
        List<Integer> inputs = new ArrayList<>(cluster);
        if (random.nextInt(60) == 0) {
          inputs.removeLast();
        }
        List<Integer> outputs = new ArrayList<>();
        int many = random.nextInt(60) == 0 ? 0 : 1 + random.nextInt(3);
        for (int k = 0; k < many; k++) {
          int first = random.nextInt(5) == 0 ? 0 : place + 1;
          outputs.add(first + random.nextInt(tokens.length - first));
        }
        draft.fire(
            inputs, random.nextInt(40) == 0 ? outputs : outputs.stream().distinct().toList());
      }
    }
    return draft.net();
  }

  @Test
  void nets_that_satisfy_every_premise_are_safe() {
    int covered = 0;
    int several = 0;
    int dead = 0;
    int unsafe = 0;
    for (long seed = 1; seed <= COUNT; seed++) {
      PetriNet net = random(seed);
      TokenGame.Space space = new TokenGame(net).space();
      if (space.isCut()) {
        continue;
      }
      boolean premises = violated(net, space).isEmpty();

      assertThat(!premises || !space.isUnsafe()).as("seed " + seed + " " + net).isTrue();
      unsafe += space.isUnsafe() ? 1 : 0;
      covered += premises ? 1 : 0;
      several +=
          premises && net.places().stream().mapToInt(PetriNet.Place::tokens).sum() > 1 ? 1 : 0;
      dead += premises && space.hasDeadTransition() ? 1 : 0;
    }

    System.out.printf(
        "of %d nets %d satisfy the premises, %d of them with several tokens, %d with dead"
            + " transitions; %d are unsafe%n",
        COUNT, covered, several, dead, unsafe);
    assertThat(covered).isGreaterThan(1_000);
    assertThat(several).isGreaterThan(100);
    assertThat(dead).isGreaterThan(50);
    assertThat(unsafe).isGreaterThan(1_000);
  }

  @Test
  void the_reduced_search_alone_decides_every_net_of_that_shape() {
    for (long seed = 1; seed <= COUNT / 3; seed++) {
      PetriNet net = random(seed);
      TokenGame game = new TokenGame(net);
      TokenGame.Space space = game.space();
      if (space.isCut()) {
        continue;
      }
      Set<Premise> violated = violated(net, space);
      violated.removeAll(Set.of(Premise.COMPLETION, Premise.SINKS));

      Verdict reduced = Verifier.check(net, Options.DEFAULT.withReduction(Reduction.ALWAYS));
      Verdict auto = Verifier.check(net);

      String truth = !space.isUnsafe() && space.alwaysCompletes() ? "sound" : "unsound";
      String what = "seed " + seed + " " + net;
      assertThat(auto.word()).as(what).isEqualTo(truth);
      if (violated.isEmpty()) {
        assertThat(reduced.word()).as(what).isEqualTo(truth);
      } else {
        assertThat(reduced.word()).as(what).isIn(truth, "unknown");
      }
    }
  }

  /// A net that violates one premise only, and is not safe.
  private static void isNeeded(Premise premise, PetriNet net) {
    TokenGame.Space space = new TokenGame(net).space();

    assertThat(violated(net, space)).isEqualTo(Set.of(premise));
    assertThat(space.isUnsafe()).isTrue();
    assertThat(Verifier.check(net).word()).isEqualTo("unsound");
    assertThat(Verifier.check(net, Options.DEFAULT.withReduction(Reduction.ALWAYS)).word())
        .isNotEqualTo("sound");
  }

  @Test
  void arc_weights_must_be_one() {
    isNeeded(
        Premise.WEIGHTS,
        new Draft(1, 0, 0).fire(List.of(0), List.of(1, 1)).fire(List.of(1, 1), List.of(2)).net());
  }

  @Test
  void choices_must_be_free() {
    // Two tokens meet on place 3; each of its two consumers needs a place that the other does not.
    isNeeded(
        Premise.FREE_CHOICE,
        new Draft(1, 0, 0, 0, 0, 0, 0, 0)
            .fire(List.of(0), List.of(1, 2, 4, 5))
            .fire(List.of(1), List.of(3))
            .fire(List.of(2), List.of(3))
            .fire(List.of(3, 4), List.of(6))
            .fire(List.of(3, 5), List.of(7))
            .net());
  }

  @Test
  void every_transition_must_have_an_output() {
    isNeeded(
        Premise.OUTPUTS,
        new Draft(1, 0, 0, 0, 0)
            .fire(List.of(0), List.of(1, 2, 4))
            .fire(List.of(1), List.of(3))
            .fire(List.of(2), List.of(3))
            .fire(List.of(3), List.of())
            .net());
  }

  @Test
  void every_marking_must_be_able_to_complete() {
    // The second token on place 3 waits for a partner that never comes.
    isNeeded(
        Premise.COMPLETION,
        new Draft(1, 0, 0, 0, 0, 0)
            .fire(List.of(0), List.of(1, 2, 4))
            .fire(List.of(1), List.of(3))
            .fire(List.of(2), List.of(3))
            .fire(List.of(3, 4), List.of(5))
            .net());
  }

  @Test
  void no_terminal_marking_may_have_two_tokens_on_a_sink() {
    isNeeded(
        Premise.SINKS,
        new Draft(1, 0, 0, 0)
            .fire(List.of(0), List.of(1, 2))
            .fire(List.of(1), List.of(3))
            .fire(List.of(2), List.of(3))
            .net());
  }

  @Test
  void every_transition_must_have_an_input() {
    // Transition t1 fires at any time, so no marking is terminal and place 1 fills up.
    PetriNet net = new Draft(1, 0).fire(List.of(0), List.of(1)).fire(List.of(), List.of(1)).net();

    assertThat(Verifier.check(net).word()).isEqualTo("unsound");
    assertThat(Verifier.check(net, Options.DEFAULT.withReduction(Reduction.ALWAYS)).word())
        .isEqualTo("unsound");
  }

  @Test
  void a_net_with_many_sources_sinks_and_dead_transitions_is_decided_by_the_short_proof() {
    for (int width : new int[] {2, 10, 24}) {
      int[] tokens = new int[3 * width + 2];
      for (int i = 0; i < width; i++) {
        tokens[i] = 1;
      }
      Draft draft = new Draft(tokens);
      for (int i = 0; i < width; i++) {
        draft.fire(List.of(i), List.of(width + i)).fire(List.of(width + i), List.of(2 * width + i));
      }
      PetriNet net = draft.fire(List.of(3 * width), List.of(3 * width + 1)).net();

      Verdict verdict = Verifier.check(net);

      assertThat(verdict.word()).isEqualTo("sound");
      assertThat(verdict.statistics().states()).isLessThanOrEqualTo(2L * width + 1);
    }
  }
}
