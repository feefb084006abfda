package dev.damask.cases;

import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.take;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.caller.CaseOptions;
import dev.damask.event.Input;
import dev.damask.exec.StateCodec;
import dev.damask.exec.StateRecords;
import dev.damask.history.CommitTime;
import dev.damask.history.History;
import dev.damask.history.HistoryPolicy;
import dev.damask.history.JournalMode;
import dev.damask.history.Trimming;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.PastStates;
import dev.damask.store.RevisionGoneException;
import dev.damask.store.Store;
import dev.damask.store.StoredState;
import dev.damask.term.Place;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Histories of random cases under random policies: every kept revision is the state that was in
/// memory at its commit, and the store has exactly the records and values that are referred to.
final class KeptRevisionsTest {
  private static final int TURNS = 120;

  private final MemoryStore store = new MemoryStore();
  private final WorkflowDefinition flow =
      workflow("w", repeat(10_000, take("go"))).withPlaces(Place.external("go"));

  private final Map<Long, byte[]> states = new HashMap<>(); // in memory at the commit, by revision
  private final TreeSet<Sum> everAdded = new TreeSet<>();
  private HistoryPolicy policy = HistoryPolicy.ALL;

  @Test
  void every_kept_revision_is_the_state_of_its_commit_and_nothing_else_is_kept() {
    for (long seed = 0; seed < 40; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      try {
        live("case" + seed, random);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  private void live(String caseId, SplittableRandom random) {
    states.clear();
    everAdded.clear();
    policy = policy(random);
    try (Engine engine = Engine.open(EngineOptions.defaults().withShards(1), store, flow)) {
      engine.start(flow, caseId, Context.empty());
    }
    CaseCache cache = cache();
    LiveCase live = Objects.requireNonNull(cache.read(caseId));
    states.put(live.revision(), StateCodec.encode(live.state));
    ArrayDeque<CaseCommit> underWay = new ArrayDeque<>();
    for (int turn = 0; turn < TURNS; turn++) {
      if (random.nextInt(30) == 0) {
        policy = policy(random);
      }
      Input input = signal(random);
      feed(live, input);
      if (random.nextInt(6) == 0) {
        breaks(live);
        live.undo(cache.lastSubmitted(live));
        feed(live, input);
      }
      underWay.add(commit(live, turn, random.nextInt(10) == 0));
      while (random.nextInt(3) > 0 && !underWay.isEmpty()) {
        write(live, underWay.remove(), random.nextBoolean());
      }
    }
    while (!underWay.isEmpty()) {
      write(live, underWay.remove(), true);
    }
    assertThat(store.verify()).isEmpty();
    requirePast(caseId, true);
  }

  private CaseCommit commit(LiveCase live, long turn, boolean isBase) {
    CommitTime at =
        new CommitTime(store.epoch(), turn, new Trimming(policy, store), JournalMode.NONE);
    CaseCommit commit = isBase ? live.commit(at, CaseRecord.NEVER, "", true) : live.commit(at);
    states.put(commit.record().revision(), StateCodec.encode(live.state));
    Objects.requireNonNull(commit.state()).added().stream()
        .map(SharedValue::hash)
        .forEach(everAdded::add);
    if (commit.state().isBase()) {
      requireBounds(commit);
    }
    return commit;
  }

  /// After a base is written the bounds hold, unless a single segment exceeds them.
  private void requireBounds(CaseCommit commit) {
    StoredState.Head head = (StoredState.Head) commit.record().state();
    boolean isOneSegment = head.kept() == head.base();
    long revisions = commit.record().revision() - head.kept() + 1;
    assertThat(isOneSegment || (policy.keepsAll() && revisions <= policy.revisionsMax())).isTrue();
    assertThat(isOneSegment || head.bytes() <= policy.bytesMax()).isTrue();
  }

  private void write(LiveCase live, CaseCommit commit, boolean isKnown) {
    store.commit(new CommitBatch(List.of(commit))).join();
    if (isKnown) {
      live.durable(commit.record().revision());
    }
    requirePast(live.id, commit.record().revision() % 8 == 0);
  }

  /// @param isThorough whether every kept revision is read, instead of the oldest
  private void requirePast(String caseId, boolean isThorough) {
    CaseRecord record = store.record(caseId).orElseThrow();
    PastStates past = Objects.requireNonNull(PastStates.of(store, record));
    TreeSet<Sum> referred = new TreeSet<>();
    long bytes = 0;
    var machine = new Machines(EngineOptions.defaults());
    for (Store.RevisionRecord each : store.states(caseId, 0, Long.MAX_VALUE)) {
      assertThat(each.revision()).isBetween(past.oldest(), past.newest());
      byte[] content = each.record().content(caseId, each.revision());
      referred.addAll(StateRecords.header(content).values());
      bytes += each.record().bytes().length;
      if (!isThorough && each.revision() != past.oldest()) {
        continue;
      }
      var read =
          past.read(
              each.revision(),
              hash ->
                  machine.machine(
                      caseId,
                      Objects.requireNonNull(programs().find(hash)),
                      CaseOptions.DEFAULT,
                      0));
      assertThat(StateCodec.encode(read.state())).isEqualTo(states.get(each.revision()));
    }
    for (Sum hash : referred) {
      bytes += Objects.requireNonNull(store.value(caseId, hash)).length;
    }
    for (Sum hash : everAdded) {
      assertThat(store.value(caseId, hash) != null).isEqualTo(referred.contains(hash));
    }
    assertThat(bytes).isLessThanOrEqualTo(((StoredState.Head) record.state()).bytes());
    assertThat(store.states(caseId, 0, Long.MAX_VALUE))
        .hasSize((int) (past.newest() - past.oldest() + 1));
  }

  private static HistoryPolicy policy(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> HistoryPolicy.LAST;
      case 1 -> HistoryPolicy.ALL;
      case 2 -> HistoryPolicy.ALL.withRevisionsMax(1 + random.nextInt(60));
      default -> HistoryPolicy.ALL.withBytesMax(1_000 + random.nextInt(40_000));
    };
  }

  private Programs programs() {
    Programs programs = new Programs(store, EngineOptions.defaults());
    programs.register(flow);
    return programs;
  }

  private CaseCache cache() {
    return new CaseCache(store, programs(), new Machines(EngineOptions.defaults()), 8);
  }

  /// One of a few large values, so that a value often comes again after it had gone.
  private static Input signal(SplittableRandom random) {
    String text = String.valueOf((char) ('a' + random.nextInt(12)));
    return new Input.Signal(
        "go", Context.of("large" + random.nextInt(3), text.repeat(300), "n", random.nextInt()));
  }

  private static void feed(LiveCase live, Input input) {
    live.machine.apply(live.state, input);
    live.machine.move(live.state, 1_000);
  }

  /// The record of the state is written, and then the commit cannot be built.
  @SuppressWarnings("NullAway") // a missing key is what breaks it
  private void breaks(LiveCase live) {
    live.keys.add(null);
    CommitTime at = new CommitTime(store.epoch(), 1, new Trimming(policy, store), JournalMode.NONE);
    assertThatThrownBy(() -> live.commit(at)).isInstanceOf(NullPointerException.class);
  }

  @Test
  void a_revision_that_is_gone_is_named_with_those_that_are_kept() {
    HistoryPolicy few = HistoryPolicy.ALL.withRevisionsMax(100);
    EngineOptions options = EngineOptions.defaults().withShards(1).withHistory(few);
    try (Engine engine = Engine.open(options, store, flow)) {
      var run = engine.start(flow, "long", Context.empty());
      for (int i = 0; i < 400; i++) {
        run.signal("go", Map.of("n", i));
      }

      History history = engine.history("long");

      assertThat(history.newest()).isEqualTo(401);
      assertThat(history.oldest()).isGreaterThan(200);
      assertThat(history.state(history.oldest()).context().get("n"))
          .isEqualTo(history.oldest() - 2);
      assertThatThrownBy(() -> history.state(7))
          .isInstanceOf(RevisionGoneException.class)
          .hasMessage(
              "case long: revision 7 is not kept; choose one from %d to 401"
                  .formatted(history.oldest()));
    }
  }
}
