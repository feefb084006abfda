package dev.damask.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.damask.verify.pnml.PetriNet;
import dev.damask.verify.pnml.PnmlReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Verdicts about nets against the token game played by the book.
final class NetTruthTest {
  private static final int COUNT = 20_000;

  /// Any net at all: weights, self-loops, transitions from nothing, places apart.
  private static PetriNet random(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int places = 2 + random.nextInt(5);
    List<PetriNet.Place> all = new ArrayList<>();
    for (int i = 0; i < places; i++) {
      int tokens = i == 0 ? 1 : random.nextInt(12) == 0 ? 1 : 0;
      all.add(new PetriNet.Place("p" + i, "p" + i, tokens));
    }
    List<PetriNet.Transition> transitions = new ArrayList<>();
    int count = 1 + random.nextInt(6);
    for (int t = 0; t < count; t++) {
      int least = random.nextInt(25) == 0 ? 0 : 1;
      transitions.add(
          new PetriNet.Transition(
              "t" + t,
              "t" + t,
              arcs(random, places - 1, 0, least),
              arcs(random, places, 1, random.nextInt(10) == 0 ? 0 : 1)));
    }
    return new PetriNet("random", all, transitions);
  }

  private static List<PetriNet.Arc> arcs(SplittableRandom random, int places, int from, int least) {
    TreeMap<Integer, Integer> arcs = new TreeMap<>();
    int count = least == 0 ? 0 : 1 + (random.nextInt(3) == 0 ? 1 : 0);
    for (int i = 0; i < count; i++) {
      int place = Math.min(places - 1, from + random.nextInt(places));
      arcs.put(place, random.nextInt(40) == 0 ? 2 : 1);
    }
    return arcs.entrySet().stream()
        .map(entry -> new PetriNet.Arc(entry.getKey(), entry.getValue()))
        .toList();
  }

  @Test
  void random_nets_get_the_verdict_of_the_token_game() {
    int sound = 0;
    int open = 0;
    for (long seed = 1; seed <= COUNT; seed++) {
      PetriNet net = random(seed);
      TokenGame game = new TokenGame(net);
      boolean truth = game.isSound();

      Verdict full = Verifier.check(net, Options.DEFAULT.withReduction(Reduction.NONE));
      Verdict reduced = Verifier.check(net, Options.DEFAULT.withReduction(Reduction.ALWAYS));

      String what = "seed " + seed + " " + net;
      assertThat(full.word()).as(what).isEqualTo(truth ? "sound" : "unsound");
      assertThat(reduced.word()).as(what).isIn(full.word(), "unknown");
      assertThat(Verifier.check(net).word()).as(what).isEqualTo(full.word());
      confirm(game, full, true);
      confirm(game, reduced, false);
      sound += truth ? 1 : 0;
      open += reduced.word().equals("unknown") ? 1 : 0;
    }

    System.out.println(sound + " of " + COUNT + " nets are sound, " + open + " left open");
    assertThat(sound).isBetween(COUNT / 50, COUNT / 2);
  }

  /// The trace is possible, ends where it says, and no shorter one does, if it says so.
  private static void confirm(TokenGame game, Verdict verdict, boolean shortest) {
    if (!(verdict instanceof Verdict.Refuted refuted)) {
      return;
    }
    Violation violation = refuted.violations().getFirst();
    Counterexample trace = violation.counterexample();
    List<Integer> end = game.follow(trace);
    boolean isThere =
        switch (violation.property()) {
          case BOUNDED -> TokenGame.isUnsafe(end);
          case NO_DEADLOCK -> game.isDead(end);
          case NO_LIVELOCK -> !game.canEnd(end);
          default -> false;
        };
    assertThat(isThere).as(violation + " ends in " + end).isTrue();
    if (shortest) {
      assertThat(trace.isShortest()).isTrue();
      TokenGame.Reached reached = game.reach();
      int least =
          violation.property() == Property.BOUNDED
              ? reached.unsafe()
              : reached.distances().entrySet().stream()
                  .filter(entry ->
                      violation.property() == Property.NO_DEADLOCK
                          ? game.isDead(entry.getKey())
                          : !game.canEnd(entry.getKey()))
                  .mapToInt(java.util.Map.Entry::getValue)
                  .min()
                  .orElse(-1);
      assertThat(trace.steps()).as(violation.toString()).hasSize(least);
    }
  }

  @Test
  void every_counterexample_of_the_benchmark_can_be_played() throws IOException {
    assumeTrue(Nets.folder().isPresent(), "the folder of nets is not here");
    List<Path> files;
    try (Stream<Path> all = Files.list(Nets.folder().orElseThrow())) {
      files = all.filter(file -> file.toString().endsWith(".pnml")).toList();
    }
    int played = 0;
    for (Path file : files) {
      PetriNet net = PnmlReader.read(file);
      TokenGame game = new TokenGame(net);
      for (Reduction reduction : List.of(Reduction.AUTO, Reduction.ALWAYS)) {
        Verdict verdict = Verifier.check(net, Options.DEFAULT.withReduction(reduction));
        if (verdict instanceof Verdict.Refuted refuted) {
          Violation violation = refuted.violations().getFirst();
          List<Integer> end = game.follow(violation.counterexample());
          boolean unsafe = violation.property() == Property.BOUNDED;
          assertThat(unsafe ? TokenGame.isUnsafe(end) : game.isDead(end) || !game.canEnd(end))
              .as(file.toString())
              .isTrue();
          played++;
        }
      }
    }

    assertThat(played).isGreaterThan(100);
  }
}
