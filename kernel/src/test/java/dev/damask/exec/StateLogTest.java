package dev.damask.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.compile.Compiler;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.program.Program;
import dev.damask.state.Token;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.Decoder.DamagedBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Bases and deltas: what is read back from them, what they cost, and what damage does.
final class StateLogTest {
  private static final int SEEDS = Integer.getInteger("damask.seeds", 150);
  private static final long FIRST = Long.getLong("damask.seed", 0);
  private static final int EVENTS = 14;

  @Test
  void the_state_read_from_bases_and_deltas_is_the_one_in_memory_wherever_the_bases_are() {
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      List<WorkflowDefinition> workflows =
          List.of(
              new RandomTerms(seed, seed % 2 == 0).workflow(), new RandomWaits(seed).workflow());
      for (WorkflowDefinition workflow : workflows) {
        Program program = Compiler.compile(workflow);
        SplittableRandom random = new SplittableRandom(seed);
        List<Integer> placements = new ArrayList<>(List.of(0, -1, 0x5555));
        for (int i = 0; i < 4; i++) {
          placements.add(random.nextInt());
        }
        for (int placement : placements) {
          store(seed, program, placement);
        }
      }
    }
  }

  @Test
  void every_placement_of_bases_in_a_short_row_gives_the_same_state() {
    Program program = Compiler.compile(new RandomTerms(3, false).workflow());

    for (int placement = 0; placement < 1 << 10; placement++) {
      store(3, program, placement);
    }
  }

  /// @param placement the bits say which records are bases
  private static void store(long seed, Program program, int placement) {
    try {
      SplittableRandom random = new SplittableRandom(seed);
      Play play = new Play(program, Play.Style.PLAIN, Context.empty());
      LoggedState stored = new LoggedState(play.machine, play.state);
      for (int i = 0; i < EVENTS; i++) {
        StateLog read = stored.store((placement >>> i & 1) == 1);
        if (random.nextInt(4) == 0) {
          stored.restart(read);
          play.state = stored.state();
        }
        event(random, play);
      }
      stored.store(false);
      stored.requirePast();
      byte[] whole = stored.log().base().bytes();
      assertThat(stored.read().base().bytes()).as("the canonical form").isEqualTo(whole);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed + ", bases " + placement + ": " + e, e);
    }
  }

  static void event(SplittableRandom random, Play play) {
    List<EffectRequest> pending = play.state.pendingEffects();
    if (random.nextInt(3) == 0 && !pending.isEmpty()) {
      Map<String, Object> result = new HashMap<>();
      for (int i = random.nextInt(3) == 0 ? 40 : 1; i > 0; i--) {
        result.put("k" + random.nextInt(60), random.nextInt(4));
      }
      result.put("large" + random.nextInt(2), "x".repeat(300 + random.nextInt(3)));
      var token = pending.get(random.nextInt(pending.size())).token();
      play.apply(new Input.TaskDone(token, Context.from(result)));
    } else {
      RandomTermsTest.event(random, play);
    }
  }

  /// A part whose fields alone have more bytes than an encoder copies.
  @Test
  void a_failure_with_a_long_text_is_read_back_while_its_scope_is_undone() {
    Term.Task undone = Play.pure("a").undo(Flow.effect("U"));
    Program program =
        Compiler.compile(Flow.workflow("w", Flow.scope("s", undone, Flow.effect("B"))));
    Play play = new Play(program, Play.Style.PLAIN, Context.empty());
    LoggedState stored = new LoggedState(play.machine, play.state);
    stored.store(true);

    var failing = play.state.pendingEffects().getFirst().token();
    play.apply(new Input.TaskFailed(failing, "no", "why ".repeat(400)));
    stored.store(false);

    assertThat(play.state.pendingEffects())
        .extracting(each -> each.task().name())
        .containsExactly("U");
    play.apply(new Input.TaskDone(play.state.pendingEffects().getFirst().token(), Context.empty()));
    stored.store(false);
    stored.requirePast();
    assertThat(play.state.isDone()).isTrue();
  }

  @Test
  void a_base_is_canonical() {
    Play one = waiting(20);
    Play other = waiting(20);
    LoggedState stored = new LoggedState(other.machine, other.state);
    one.signal("go");
    stored.store(true);
    other.signal("go");
    stored.store(false);

    byte[] first = StateLog.of(one.state, LoggedState.KEY).base().bytes();

    byte[] second = stored.log().base().bytes();
    byte[] third = stored.read().base().bytes();
    int from = 2 + 16 + 16; // behind the program and the sum before
    assertThat(Arrays.copyOfRange(second, from, second.length))
        .isEqualTo(Arrays.copyOfRange(first, from, first.length));
    assertThat(third).isEqualTo(second);
  }

  /// Instances that each wait for a signal.
  private static Play waiting(int branches) {
    Term wait = Flow.take("go");
    WorkflowDefinition workflow =
        Flow.workflow("w", Flow.instances("m", InstancePolicy.fixed(branches), wait))
            .withPlaces(Place.external("go"));
    return Play.start(workflow);
  }

  @Test
  void a_signal_to_one_of_many_branches_costs_what_it_costs_with_few() {
    int[] bytes = new int[2];
    long[] parts = new long[2];
    long[] analysed = new long[2];
    for (int i = 0; i < 2; i++) {
      Play play = waiting(i == 0 ? 10 : 10_000);
      StateLog log = StateLog.of(play.state, LoggedState.KEY);
      log.base();
      long before = log.encoded();
      long visited = play.state.analysed;
      play.signal("go");

      bytes[i] = log.delta().bytes().length;

      parts[i] = log.encoded() - before;
      analysed[i] = play.state.analysed - visited;
    }

    assertThat(parts[1]).isEqualTo(parts[0]);
    assertThat(analysed[1]).isEqualTo(analysed[0]);
    assertThat(bytes[1]).isLessThan(bytes[0] + 20).isLessThan(300);
  }

  @Test
  void the_present_context_costs_what_changed_however_many_branches_wait() {
    long[] writes = new long[2];
    for (int i = 0; i < 2; i++) {
      Term[] branches = new Term[i == 0 ? 10 : 2_000];
      Arrays.fill(branches, Flow.seq(Flow.take("go"), Flow.take("go")));
      Play play =
          Play.start(Flow.workflow("w", Flow.par(branches)).withPlaces(Place.external("go")));
      StateLog log = StateLog.of(play.state, LoggedState.KEY);
      log.base();
      assertThat(log.context()).isEqualTo(play.state.context());
      long before = log.contextWrites();
      for (int k = 0; k < 9; k++) {
        play.apply(new Input.Signal("go", Context.of("key" + k % 2, k)));
        log.delta();
        assertThat(log.context()).isEqualTo(play.state.context());
      }
      writes[i] = log.contextWrites() - before;
    }

    assertThat(writes[1]).isEqualTo(writes[0]).isBetween(9L, 100L);
  }

  @Test
  void a_context_with_changes_that_are_not_stored_is_read_from_the_state() {
    Play play = Play.start(Flow.par(Flow.effect("A"), Flow.effect("B")), Flow.effect("C"));
    StateLog log = StateLog.of(play.state, LoggedState.KEY);
    log.base();
    log.context();

    play.done("B", Context.of("k", 1));
    assertThat(log.context().get("k")).isEqualTo(1L);
    play.done("A", Context.of("k", 2));
    log.delta();

    assertThat(log.context().get("k")).isEqualTo(1L);
    assertThat(log.context()).isEqualTo(play.state.context());
  }

  @Test
  void one_changed_key_of_a_large_context_costs_its_own_size() {
    Map<String, Object> many = new HashMap<>();
    for (int i = 0; i < 1_000; i++) {
      many.put("key" + i, "value" + i);
    }
    many.put("large", "x".repeat(50_000));
    Term loop = Flow.repeat(1_000, Flow.effect("A"));
    Program program = Compiler.compile(Flow.workflow("w", loop));
    Play play = new Play(program, Play.Style.PLAIN, Context.from(many));
    LoggedState stored = new LoggedState(play.machine, play.state);
    stored.store(true);
    long largest = 0;
    for (int i = 0; i < 100; i++) {
      play.done("A", Context.of("key7", "changed " + i));

      StateLog.Change change = stored.log().delta();

      largest = Math.max(largest, change.bytes().length);
      assertThat(change.added()).isEmpty();
    }

    assertThat(largest).isLessThan(250);
  }

  @Test
  void a_large_value_is_stored_once_for_all_branches_that_hold_it() {
    Term par = Flow.par(Flow.effect("A"), Flow.effect("B"), Flow.effect("C"));
    Play play = Play.start(Flow.effect("first"), par, Flow.effect("last"));
    LoggedState stored = new LoggedState(play.machine, play.state);
    stored.store(true);
    play.done("first", Context.of("document", "x".repeat(5_000)));

    StateLog.Change forked = stored.log().delta();

    assertThat(forked.added()).hasSize(1);
    assertThat(forked.bytes().length).isLessThan(800);
    play.done("A", Context.of("copy", "x".repeat(5_000)));
    assertThat(stored.log().delta().added()).as("the same value again").isEmpty();
  }

  @Test
  void a_base_is_due_when_the_deltas_or_the_last_base_outweigh_the_state() {
    Play play = waiting(2_000);
    StateLog log = StateLog.of(play.state, LoggedState.KEY);
    long largest = 0;
    long bytes = 0;
    int bases = 0;
    for (int i = 0; i < 2_000; i++) {
      play.signal("go");
      StateLog.Change change = log.next();
      largest = Math.max(largest, change.bytes().length);
      bytes += change.bytes().length;
      bases += change.isBase() ? 1 : 0;
    }

    assertThat(play.state.isDone()).isTrue();
    assertThat(bases).isBetween(3, 40);
    assertThat(bytes).as("linear in what changed").isLessThan(6 * largest);
    assertThat(log.size()).isLessThan(1_000);
  }

  @Test
  void a_change_without_a_mark_is_found_by_the_next_base() {
    Play play = waiting(3);
    StateLog log = StateLog.of(play.state, LoggedState.KEY);
    log.base();
    Token token = java.util.Objects.requireNonNull(play.state.awaits).firstEntry().getValue();

    UnmarkedWrite.move(token, token.ip + 1);

    assertThatThrownBy(log::base)
        .isInstanceOf(StateLog.UnmarkedChange.class)
        .hasMessageContaining("without a mark");
  }

  @Test
  void records_that_are_missing_doubled_swapped_or_of_another_case_are_refused() {
    Play play = waiting(6);
    LoggedState stored = new LoggedState(play.machine, play.state);
    stored.store(true);
    for (int i = 0; i < 4; i++) {
      play.signal("go");
      stored.store(false);
    }
    List<byte[]> good = List.copyOf(stored.records());

    for (int i = 0; i < good.size(); i++) {
      List<byte[]> missing = new ArrayList<>(good);
      missing.remove(i);
      if (i < good.size() - 1) { // without its last record a row is a shorter row
        refused(play, missing);
      }
      List<byte[]> doubled = new ArrayList<>(good);
      doubled.add(i, good.get(i));
      refused(play, doubled);
      for (int k = i + 1; k < good.size(); k++) {
        List<byte[]> swapped = new ArrayList<>(good);
        swapped.set(i, good.get(k));
        swapped.set(k, good.get(i));
        refused(play, swapped);
      }
    }
    StateLog.CaseKey other = new StateLog.CaseKey("another", 1_000);
    assertThatThrownBy(() -> StateRecords.load(play.machine, other, good, _ -> null))
        .isInstanceOf(DamagedBytes.class);
  }

  private static void refused(Play play, List<byte[]> records) {
    assertThatThrownBy(() -> StateRecords.load(play.machine, LoggedState.KEY, records, _ -> null))
        .isInstanceOf(DamagedBytes.class);
  }

  @Test
  void damaged_records_are_refused_or_give_the_same_state() {
    SplittableRandom random = new SplittableRandom(17);
    Play play = waiting(6);
    LoggedState stored = new LoggedState(play.machine, play.state);
    stored.store(true);
    play.signal("go");
    stored.store(false);
    byte[] expected = StateCodec.encode(play.state);
    int refused = 0;
    for (int i = 0; i < 3_000; i++) {
      List<byte[]> records = new ArrayList<>(stored.records());
      int which = random.nextInt(records.size());
      byte[] damaged = records.get(which).clone();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      records.set(
          which, i % 3 == 0 ? Arrays.copyOf(damaged, random.nextInt(damaged.length)) : damaged);
      try {
        StateLog read = StateRecords.load(play.machine, LoggedState.KEY, records, _ -> null);
        assertThat(StateCodec.encode(read.state())).isEqualTo(expected);
      } catch (DamagedBytes e) {
        refused++;
      }
    }

    assertThat(refused).isGreaterThan(2_700);
  }
}
