package dev.damask.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/// Random clusters. Nodes 1 to 6 may own slots; some of them live.
final class SlotPlanTest {
  private static final int ROUNDS = 40;
  private static final int NODES = 6;

  private static Map<Integer, Integer> counts(Set<Integer> living, int[] owners) {
    Map<Integer, Integer> counts = new TreeMap<>();
    living.forEach(node -> counts.put(node, 0));
    for (int owner : owners) {
      counts.merge(owner, 1, Integer::sum);
    }
    return counts;
  }

  private static int moves(int[] before, int[] after) {
    int moves = 0;
    for (int slot = 0; slot < before.length; slot++) {
      moves += before[slot] == after[slot] ? 0 : 1;
    }
    return moves;
  }

  /// The fewest moves that any balanced division needs: a node keeps at most its share, and the
  /// larger shares go to nodes that can fill them.
  private static int fewestMoves(Set<Integer> living, int[] owners) {
    int share = owners.length / living.size();
    int larger = owners.length % living.size();
    int kept = 0;
    for (int node : living) {
      int has = (int) Arrays.stream(owners).filter(owner -> owner == node).count();
      kept += Math.min(has, share);
      if (has > share && larger > 0) {
        kept++;
        larger--;
      }
    }
    return owners.length - kept;
  }

  private static Set<Integer> living(Random random) {
    Set<Integer> living = new TreeSet<>();
    while (living.isEmpty()) {
      for (int node = 1; node <= NODES; node++) {
        if (random.nextBoolean()) {
          living.add(node);
        }
      }
    }
    return living;
  }

  private static int[] owners(Random random) {
    int bound = 1 + random.nextInt(NODES + 1);
    return random.ints(1 + random.nextInt(60), 0, bound).toArray();
  }

  @RepeatedTest(ROUNDS)
  void a_plan_is_total_balanced_and_moves_as_few_slots_as_possible(RepetitionInfo round) {
    Random random = new Random(round.getCurrentRepetition());
    Set<Integer> living = living(random);
    int[] owners = owners(random);

    int[] planned = SlotPlan.balance(living, owners);

    Map<Integer, Integer> counts = counts(living, planned);
    assertThat(counts.keySet()).isEqualTo(living);
    assertThat(Collections.max(counts.values()) - Collections.min(counts.values()))
        .isLessThanOrEqualTo(1);
    assertThat(moves(owners, planned)).isEqualTo(fewestMoves(living, owners));
    assertThat(SlotPlan.balance(living, planned)).isEqualTo(planned);
  }

  /// Each node gives away only its own slots, when it gets to it.
  @RepeatedTest(ROUNDS)
  void givers_reach_the_balance_in_any_order_with_the_same_number_of_moves(RepetitionInfo round) {
    Random random = new Random(1_000 + round.getCurrentRepetition());
    Set<Integer> living = living(random);
    int[] owners = owners(random);
    List<Integer> givers = new ArrayList<>(living);
    Collections.shuffle(givers, random);

    int[] now = owners;
    int moves = 0;
    for (int giver : givers) {
      int[] next = SlotPlan.give(giver, LivingNodes.of(living), now);
      for (int slot = 0; slot < now.length; slot++) {
        assertThat(next[slot] == now[slot] || now[slot] == giver || !living.contains(now[slot]))
            .as("slot %d was taken from %d by %d", slot, now[slot], giver)
            .isTrue();
      }
      moves += moves(now, next);
      now = next;
    }

    assertThat(SlotPlan.balance(living, now)).isEqualTo(now);
    assertThat(moves).isEqualTo(fewestMoves(living, owners));
  }

  @RepeatedTest(ROUNDS)
  void adoption_gives_away_only_slots_without_a_living_owner(RepetitionInfo round) {
    Random random = new Random(2_000 + round.getCurrentRepetition());
    Set<Integer> living = living(random);
    int[] owners = owners(random);

    int[] planned = SlotPlan.adopt(LivingNodes.of(living), owners);

    for (int slot = 0; slot < owners.length; slot++) {
      assertThat(living).contains(planned[slot]);
      if (living.contains(owners[slot])) {
        assertThat(planned[slot]).isEqualTo(owners[slot]);
      }
    }
  }

  /// The owner learns of it only with its next poll, and its commits would pass the fence.
  @RepeatedTest(ROUNDS)
  void slots_of_a_node_that_leaves_are_given_by_itself_only(RepetitionInfo round) {
    Random random = new Random(3_000 + round.getCurrentRepetition());
    Set<Integer> takers = living(random);
    Set<Integer> leaving = living(random);
    leaving.removeAll(takers);
    LivingNodes living = new LivingNodes(takers, leaving);
    int[] owners = owners(random);
    int giver = 1 + random.nextInt(NODES);

    int[] adopted = SlotPlan.adopt(living, owners);
    int[] given = SlotPlan.give(giver, living, owners);

    for (int slot = 0; slot < owners.length; slot++) {
      if (leaving.contains(owners[slot])) {
        assertThat(adopted[slot]).isEqualTo(owners[slot]);
        if (owners[slot] != giver) {
          assertThat(given[slot]).isEqualTo(owners[slot]);
        } else {
          assertThat(takers).contains(given[slot]);
        }
      } else {
        assertThat(takers).contains(adopted[slot]);
      }
    }
  }

  @Test
  void without_living_nodes_no_slot_has_an_owner() {
    assertThat(SlotPlan.balance(List.of(), new int[] {1, 0, 2})).containsOnly(SlotPlan.NO_NODE);
    assertThat(SlotPlan.adopt(LivingNodes.of(Set.of()), new int[] {1, 0, 2}))
        .containsOnly(SlotPlan.NO_NODE);
  }

  @Test
  void a_third_node_gets_a_third_of_all_slots_and_the_others_keep_the_rest() {
    int[] two = new int[Slots.COUNT];
    for (int slot = 0; slot < two.length; slot++) {
      two[slot] = 1 + slot % 2;
    }

    int[] three = SlotPlan.balance(Set.of(1, 2, 3), two);

    assertThat(moves(two, three)).isEqualTo(Slots.COUNT / 3);
    assertThat(counts(Set.of(), three).values()).containsExactlyInAnyOrder(1366, 1365, 1365);
  }
}
