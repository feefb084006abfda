package dev.damask.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cluster.PermitShares.Borrower;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// How nodes share permits.
final class PermitSharesTest {
  private static final long NEVER = Long.MAX_VALUE;

  @Test
  void one_permit_goes_to_the_longest_wait() {
    List<Borrower> all = List.of(new Borrower(1, 1, 3, 20), new Borrower(2, 0, 1, 10));

    assertThat(PermitShares.share(1, 1, all)).isZero();
    assertThat(PermitShares.share(2, 1, all)).isEqualTo(1);
    assertThat(PermitShares.held(1, 1, 1, all)).as("its call runs").isEqualTo(1);
    assertThat(PermitShares.held(2, 0, 1, all)).as("node 1 holds it still").isZero();
  }

  @Test
  void permits_that_others_do_not_need_can_be_used() {
    List<Borrower> all = List.of(new Borrower(1, 0, 9, 5), new Borrower(2, 1, 1, NEVER));

    assertThat(PermitShares.share(1, 4, all)).isEqualTo(3);
    assertThat(PermitShares.held(1, 0, 4, all)).isEqualTo(3);
  }

  @Test
  void whatever_nodes_ask_for_in_whatever_order_no_more_is_held_than_the_limit() {
    Random random = new Random(7);
    for (int run = 0; run < 2_000; run++) {
      int limit = 1 + random.nextInt(6);
      int[] held = new int[4];
      int[] inUse = new int[4];
      int[] needed = new int[4];
      long[] rank = new long[4];
      for (int step = 0; step < 60; step++) {
        int node = random.nextInt(4);
        int used = Math.min(held[node], inUse[node] + random.nextInt(3) - 1);
        inUse[node] = Math.max(0, used);
        needed[node] = inUse[node] + random.nextInt(3);
        rank[node] = random.nextInt(100);
        List<Borrower> all = new ArrayList<>();
        for (int each = 0; each < 4; each++) {
          all.add(new Borrower(each, held[each], needed[each], rank[each]));
        }
        held[node] = PermitShares.held(node, inUse[node], limit, all);
        int sum = 0;
        for (int each : held) {
          sum += each;
        }
        assertThat(sum).as("run %d step %d", run, step).isLessThanOrEqualTo(limit);
      }
    }
  }
}
