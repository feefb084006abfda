package dev.damask.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.effect.EffectLimit;
import dev.damask.effect.PermitAnswer;
import dev.damask.effect.PermitNeed;
import dev.damask.effect.Permits;
import dev.damask.effect.Permits.Owner;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Three nodes that share limits through a store whose answers come late or not at all.
final class SharedPermitsTest {
  private static final int NODES = 3;
  private static final int CALLS = 40;

  /// What the store has: the borrowers of each limit.
  private final Map<String, Map<Integer, PermitShares.Borrower>> rows = new HashMap<>();

  private final List<Node> nodes = new ArrayList<>();
  private final TreeSet<String> ended = new TreeSet<>();
  private Random random = new Random(0);
  private EffectLimit limit = EffectLimit.NONE;
  private long now;
  private boolean isFaulty;

  /// A node. It asks about one list of needs after the other.
  private final class Node implements Permits.Receiver {
    private final int number;
    private final TreeSet<String> running = new TreeSet<>();
    private final Queue<PermitNeed> asked = new ArrayDeque<>();
    private final Queue<Runnable> answers = new ArrayDeque<>();
    private final Permits permits;
    private boolean isWoken;

    Node(int number) {
      this.number = number;
      permits = new Permits(Map.of("pay", limit), 0, Long.MIN_VALUE, this, true);
    }

    @Override
    public void granted(Owner owner) {
      assertThat(running.add(owner.caseId())).isTrue();
    }

    @Override
    public void dueChanged() {}

    @Override
    public void needChanged() {
      isWoken = true;
    }

    /// Asks, lets the store answer one need, or receives an answer.
    void exchange() {
      if (!answers.isEmpty() && random.nextBoolean()) {
        answers.remove().run();
      } else if (!asked.isEmpty()) {
        PermitNeed need = asked.remove();
        int fate = isFaulty ? random.nextInt(8) : 2;
        if (fate == 0) {
          asked.clear(); // the store did not receive it; the rest is not asked
          return;
        }
        PermitAnswer answer = ask(number, need);
        if (fate == 1) {
          asked.clear(); // in doubt
          return;
        }
        answers.add(() -> permits.allow(need, answer, now));
      } else if (answers.isEmpty()) {
        isWoken = false;
        asked.addAll(permits.needs());
      }
    }

    void end() {
      if (!running.isEmpty()) {
        String one = List.copyOf(running).get(random.nextInt(running.size()));
        running.remove(one);
        ended.add(one);
        permits.release(owner(one), now);
      }
    }

    /// The node is fenced: its calls are given up and its permits return.
    void fence() {
      rows.values().forEach(each -> each.remove(number));
      List<String> again = new ArrayList<>(running);
      permits.views().getFirst().first().forEach(each -> again.add(each.owner().caseId()));
      running.clear();
      asked.clear();
      permits.revoke();
      permits.moved(_ -> true, _ -> false, now);
      again.forEach(each -> await(nodes.get((number + 1) % NODES), each));
    }
  }

  private static Owner owner(String id) {
    return new Owner(id, new EffectId(1), 1);
  }

  private static String key(String id) {
    return id.substring(id.indexOf('-') + 1);
  }

  private void await(Node node, String id) {
    node.permits.await(node.permits.waiter(owner(id), "pay", Context.of("k", key(id)), now), now);
  }

  private PermitAnswer ask(int node, PermitNeed need) {
    Map<Integer, PermitShares.Borrower> row =
        rows.computeIfAbsent(need.key(), _ -> new TreeMap<>());
    row.remove(node);
    List<PermitShares.Borrower> all = new ArrayList<>(row.values());
    all.add(new PermitShares.Borrower(node, 0, need.needed(), need.rank()));
    int held = PermitShares.held(node, need.inUse(), need.limit(), all);
    int share = PermitShares.share(node, need.limit(), all);
    if (held > 0 || need.needed() > 0) {
      row.put(node, new PermitShares.Borrower(node, held, need.needed(), need.rank()));
    }
    return new PermitAnswer(Math.min(share, held), held);
  }

  private void check(String where) {
    Map<String, Integer> perKey = new TreeMap<>();
    int all = 0;
    for (Node node : nodes) {
      all += node.running.size();
      node.running.forEach(id -> perKey.merge(key(id), 1, Integer::sum));
    }
    assertThat(all).as(where).isLessThanOrEqualTo(limit.atOnce().orElse(Integer.MAX_VALUE));
    int most = limit.perKey().orElse(Integer.MAX_VALUE);
    assertThat(perKey.values()).as(where).allMatch(each -> each <= most);
  }

  private void play(long seed, boolean withFences) {
    random = new Random(seed);
    limit =
        switch (random.nextInt(3)) {
          case 0 -> EffectLimit.atOnce(1 + random.nextInt(4));
          case 1 -> EffectLimit.perKey("k", 1 + random.nextInt(2));
          default -> EffectLimit.perKey("k", 1).withAtOnce(1 + random.nextInt(3));
        };
    rows.clear();
    ended.clear();
    nodes.clear();
    for (int i = 0; i < NODES; i++) {
      nodes.add(new Node(i));
    }
    isFaulty = true;
    int begun = 0;
    for (int step = 0; step < 1_500; step++) {
      now++;
      Node node = nodes.get(random.nextInt(NODES));
      switch (random.nextInt(12)) {
        case 0, 1 -> {
          if (begun < CALLS) {
            await(node, begun++ + "-k" + random.nextInt(3));
          }
        }
        case 2 -> node.end();
        case 3 -> {
          if (withFences && random.nextInt(20) == 0) {
            node.fence();
          }
        }
        default -> node.exchange();
      }
      check("seed " + seed + " step " + step);
    }
    settle(seed, begun);
  }

  /// The faults end: every call is served, and every permit returns.
  private void settle(long seed, int begun) {
    isFaulty = false;
    for (int step = 0; step < 3_000; step++) {
      now++;
      Node node = nodes.get(step % NODES);
      node.exchange();
      if (step % 7 == 0) {
        node.end();
      }
      check("seed " + seed + " at the end, step " + step);
    }
    assertThat(ended).as("seed %d: %s", seed, rows).hasSize(begun);
    assertThat(rows.values()).as("seed %d", seed).allMatch(Map::isEmpty);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void no_order_of_answers_exceeds_a_limit_or_keeps_a_permit(boolean withFences) {
    for (long seed = 0; seed < 400; seed++) {
      play(seed, withFences);
    }
  }

  @Test
  void a_permit_that_another_node_waits_for_is_returned_at_once() {
    limit = EffectLimit.atOnce(1);
    Node one = new Node(1);
    await(one, "1-a");
    one.permits.allow(one.permits.needs().getFirst(), new PermitAnswer(1, 1), now);
    await(one, "2-a");
    one.permits.allow(one.permits.needs().getFirst(), new PermitAnswer(0, 1), now);
    one.isWoken = false;

    one.permits.release(owner("1-a"), now);

    assertThat(one.isWoken).isTrue();
  }
}
