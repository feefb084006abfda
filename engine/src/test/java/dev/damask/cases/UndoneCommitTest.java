package dev.damask.cases;

import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.event.Input;
import dev.damask.exec.StateCodec;
import dev.damask.history.CommitTime;
import dev.damask.history.HistoryPolicy;
import dev.damask.history.JournalMode;
import dev.damask.history.Trimming;
import dev.damask.store.CaseCommit;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Commits that break while they are built, at random: the case returns to its last submitted
/// revision, and what the store has afterwards can be read.
final class UndoneCommitTest {
  private static final String CASE = "one";
  private static final int TURNS = 60;

  private final MemoryStore store = new MemoryStore();
  private final WorkflowDefinition flow =
      workflow("w", repeat(10_000, take("go"))).withPlaces(Place.external("go"));

  private CaseCache cache() {
    EngineOptions options = EngineOptions.defaults();
    Programs programs = new Programs(store, options);
    programs.register(flow);
    return new CaseCache(store, programs, new Machines(options), 8);
  }

  /// One of a few large values, so that a value often comes again.
  private static Input signal(SplittableRandom random) {
    String text = String.valueOf((char) ('a' + random.nextInt(12)));
    return new Input.Signal(
        "go", Context.of("large" + random.nextInt(3), text.repeat(300), "n", random.nextInt()));
  }

  @Test
  void a_commit_that_breaks_while_it_is_built_counts_nothing_as_stored() {
    for (long seed = 0; seed < 30; seed++) {
      String caseId = CASE + seed;
      try (Engine engine = Engine.open(EngineOptions.defaults().withShards(1), store, flow)) {
        engine.start(flow, caseId, Context.empty());
      }
      turns(caseId, seed);
    }
  }

  private void turns(String caseId, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    CaseCache cache = cache();
    LiveCase live = Objects.requireNonNull(cache.read(caseId));
    ArrayDeque<CaseCommit> underWay = new ArrayDeque<>();
    for (int turn = 0; turn < TURNS; turn++) {
      Input input = signal(random);
      feed(live, input);
      if (random.nextInt(3) == 0) {
        breaks(live);
        live.undo(cache.lastSubmitted(live));
        feed(live, input);
      }
      underWay.add(live.commit(at(turn)));
      while (random.nextInt(3) > 0 && !underWay.isEmpty()) {
        write(live, underWay.remove(), random.nextBoolean());
      }
    }
    while (!underWay.isEmpty()) {
      write(live, underWay.remove(), true);
    }

    assertThat(store.verify()).as("seed %d", seed).isEmpty();
    LiveCase read = Objects.requireNonNull(cache().peek(caseId));
    assertThat(StateCodec.encode(read.state)).isEqualTo(StateCodec.encode(live.state));
  }

  private CommitTime at(long millis) {
    return new CommitTime(
        store.epoch(), millis, new Trimming(HistoryPolicy.LAST, store), JournalMode.NONE);
  }

  private static void feed(LiveCase live, Input input) {
    live.machine.apply(live.state, input);
    live.machine.move(live.state, 1_000);
  }

  /// The record of the state is written, and then the commit cannot be built.
  @SuppressWarnings("NullAway") // a missing key is what breaks it
  private void breaks(LiveCase live) {
    live.keys.add(null);
    assertThatThrownBy(() -> live.commit(at(1))).isInstanceOf(NullPointerException.class);
  }

  /// @param isKnown whether the case has heard that the store has it
  private void write(LiveCase live, CaseCommit commit, boolean isKnown) {
    store.commit(new CommitBatch(List.of(commit))).join();
    if (isKnown) {
      live.durable(commit.record().revision());
    }
  }
}
