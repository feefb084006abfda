package dev.damask.linear;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The checker on histories whose verdicts are known: of a register that holds one number.
final class LinearizabilityTest {
  private static final long SEED = 5L;
  private static final int READ = -1;

  /// A call is a number to write, or [#READ]; the answer is what was read, or what was written.
  private static final SequentialModel<Integer, Integer, Integer> REGISTER =
      new SequentialModel<>() {
        @Override
        public Integer initial() {
          return 0;
        }

        @Override
        public List<Step<Integer, Integer>> steps(Integer state, Integer call) {
          return List.of(call == READ ? new Step<>(state, state) : new Step<>(call, call));
        }
      };

  private static Operation<Integer, Integer> write(int value, long invoked, long returned) {
    return new Operation<>(value, value, invoked, returned);
  }

  private static Operation<Integer, Integer> read(int value, long invoked, long returned) {
    return new Operation<>(READ, value, invoked, returned);
  }

  private static Operation<Integer, Integer> lost(int value, long invoked) {
    return Operation.pending(value, invoked);
  }

  private static boolean isLinearizable(List<Operation<Integer, Integer>> history) {
    return Linearizability.check(REGISTER, history) instanceof Linearization.Linearizable;
  }

  @Test
  void nothing_at_all_is_linearizable() {
    assertThat(isLinearizable(List.of())).isTrue();
  }

  @Test
  void one_after_the_other_each_sees_what_was_before() {
    assertThat(
            isLinearizable(List.of(write(1, 1, 2), read(1, 3, 4), write(2, 5, 6), read(2, 7, 8))))
        .isTrue();
    assertThat(isLinearizable(List.of(write(1, 1, 2), read(0, 3, 4)))).isFalse();
    assertThat(isLinearizable(List.of(read(1, 1, 2), write(1, 3, 4)))).isFalse();
  }

  @Test
  void while_a_write_is_under_way_both_values_may_be_read_but_not_back_again() {
    assertThat(isLinearizable(List.of(write(1, 1, 10), read(0, 2, 3), read(1, 4, 5)))).isTrue();
    assertThat(isLinearizable(List.of(write(1, 1, 10), read(1, 2, 3), read(0, 4, 5)))).isFalse();
  }

  @Test
  void two_writes_at_once_have_one_order_for_every_reader() {
    assertThat(
            isLinearizable(
                List.of(write(1, 1, 10), write(2, 1, 10), read(1, 11, 12), read(1, 13, 14))))
        .isTrue();
    assertThat(
            isLinearizable(
                List.of(write(1, 1, 10), write(2, 1, 10), read(1, 11, 12), read(2, 13, 14))))
        .isFalse();
    assertThat(
            isLinearizable(
                List.of(
                    write(1, 1, 10),
                    write(2, 1, 10),
                    read(1, 2, 3),
                    read(2, 4, 5),
                    read(2, 11, 12))))
        .isTrue();
  }

  @Test
  void a_pending_call_may_have_happened_at_any_time_since_or_never() {
    assertThat(isLinearizable(List.of(lost(1, 1), read(0, 2, 3)))).isTrue();
    assertThat(isLinearizable(List.of(lost(1, 1), read(1, 2, 3)))).isTrue();
    assertThat(isLinearizable(List.of(lost(1, 1), read(0, 2, 3), read(1, 4, 5)))).isTrue();
  }

  @Test
  void a_pending_call_happens_once_and_not_before_it_was_made() {
    assertThat(isLinearizable(List.of(lost(1, 1), read(1, 2, 3), write(2, 4, 5), read(1, 6, 7))))
        .isFalse();
    assertThat(isLinearizable(List.of(read(1, 1, 2), lost(1, 3)))).isFalse();
    assertThat(isLinearizable(List.of(lost(1, 1), read(1, 2, 3), read(0, 4, 5)))).isFalse();
  }

  @Test
  void the_verdict_tells_an_order_or_where_it_ends() {
    Operation<Integer, Integer> one = write(1, 1, 10);
    Operation<Integer, Integer> two = write(2, 2, 9);
    Operation<Integer, Integer> reads = read(1, 11, 12);
    Operation<Integer, Integer> stale = read(2, 13, 14);

    assertThat(Linearizability.check(REGISTER, List.of(one, two, reads)))
        .isEqualTo(new Linearization.Linearizable<>(List.of(two, one, reads), 6));
    var refuted = Linearizability.check(REGISTER, List.of(one, two, reads, stale));
    assertThat(refuted)
        .isEqualTo(
            new Linearization.NotLinearizable<>(List.of(two, one, reads), List.of(stale), 6));
    assertThat(refuted.toString()).contains("11 …     12 -1: 1", "then any of these:\n");
  }

  @Test
  void a_search_that_is_too_long_says_so_and_nothing_else() {
    List<Operation<Integer, Integer>> history = new ArrayList<>();
    for (int i = 1; i <= 16; i++) {
      history.add(write(i, i, 100));
    }
    history.add(read(99, 101, 102));

    assertThat(Linearizability.check(REGISTER, history, 1_000))
        .isInstanceOf(Linearization.GaveUp.class);
  }

  @Test
  void it_agrees_with_trying_every_order_on_small_random_histories() {
    Random random = new Random(SEED);
    int linearizable = 0;
    int runs = 4_000;
    for (int run = 0; run < runs; run++) {
      List<Operation<Integer, Integer>> history = random(random);
      boolean expected = anyOrder(history, new BitSet(), 0);

      assertThat(isLinearizable(history)).as("seed " + SEED + ", %s", history).isEqualTo(expected);
      linearizable += expected ? 1 : 0;
    }
    // Both verdicts are met often, or the comparison says little.
    assertThat(linearizable).isBetween(runs / 5, runs * 4 / 5);
  }

  private static List<Operation<Integer, Integer>> random(Random random) {
    List<Operation<Integer, Integer>> history = new ArrayList<>();
    int size = 2 + random.nextInt(5);
    for (int i = 0; i < size; i++) {
      long invoked = 2L * random.nextInt(8);
      long returned = invoked + 1 + 2L * random.nextInt(5);
      int value = random.nextInt(3);
      if (random.nextInt(5) == 0) {
        history.add(lost(value, invoked));
      } else if (random.nextBoolean()) {
        history.add(write(value, invoked, returned));
      } else {
        history.add(read(value, invoked, returned));
      }
    }
    return history;
  }

  /// Tries every order of every set of calls that holds all that have returned.
  private static boolean anyOrder(
      List<Operation<Integer, Integer>> history, BitSet taken, int value) {
    boolean isComplete = true;
    for (int i = 0; i < history.size(); i++) {
      isComplete &= taken.get(i) || history.get(i).isPending();
    }
    if (isComplete) {
      return true;
    }
    for (int i = 0; i < history.size(); i++) {
      Integer after = taken.get(i) ? null : after(history, taken, i, value);
      if (after != null) {
        BitSet more = (BitSet) taken.clone();
        more.set(i);
        if (anyOrder(history, more, after)) {
          return true;
        }
      }
    }
    return false;
  }

  /// The register after a call; null when the call cannot be next.
  private static @Nullable Integer after(
      List<Operation<Integer, Integer>> history, BitSet taken, int call, int value) {
    Operation<Integer, Integer> next = history.get(call);
    for (int i = 0; i < history.size(); i++) {
      if (!taken.get(i) && history.get(i).returned() < next.invoked()) {
        return null;
      }
    }
    if (next.call() != READ) {
      return next.call();
    }
    return next.isPending() || Integer.valueOf(value).equals(next.answer()) ? value : null;
  }
}
