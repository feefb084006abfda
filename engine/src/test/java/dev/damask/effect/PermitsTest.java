package dev.damask.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.effect.Permits.Owner;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Who gets a permit, and when.
final class PermitsTest {
  private final List<String> granted = new ArrayList<>();

  private final Permits.Receiver receiver =
      new Permits.Receiver() {
        @Override
        public void granted(Owner owner) {
          granted.add(owner.caseId());
        }

        @Override
        public void dueChanged() {}
      };

  private Permits permits(EffectLimit limit) {
    return new Permits(Map.of("pay", limit), 0, Long.MIN_VALUE, receiver);
  }

  private static Owner owner(String id) {
    return new Owner(id, new EffectId(1), 1);
  }

  private static void await(Permits permits, String id, Context context, long since, long now) {
    permits.await(permits.waiter(owner(id), "pay", context, since), now);
  }

  @Test
  void at_once_lets_the_longest_wait_in_first() {
    Permits permits = permits(EffectLimit.atOnce(1));
    await(permits, "a", Context.empty(), 5, 10);
    await(permits, "c", Context.empty(), 9, 10);
    await(permits, "b", Context.empty(), 7, 10);

    permits.release(owner("a"), 11);
    permits.release(owner("b"), 12);

    assertThat(granted).containsExactly("a", "b", "c");
    assertThat(permits.waiting()).isZero();
    assertThat(permits.due()).isEqualTo(Permits.NEVER);
  }

  @Test
  void a_call_that_has_become_due_is_not_forgotten_when_another_type_gets_a_permit_back() {
    EffectLimit rate = EffectLimit.atOnce(9).withRate(1, Duration.ofMillis(300));
    Permits permits =
        new Permits(Map.of("pay", rate, "ship", EffectLimit.atOnce(1)), 0, 1_000, receiver);
    permits.await(permits.waiter(owner("ship"), "ship", Context.empty(), 1_000), 1_000);
    await(permits, "pay", Context.empty(), 1_000, 1_000);
    assertThat(permits.due()).isEqualTo(1_300);

    permits.release(owner("ship"), 1_400);
    assertThat(permits.due()).isLessThanOrEqualTo(1_400);
    permits.advance(1_400);

    assertThat(granted).containsExactly("ship", "pay");
    assertThat(permits.due()).isEqualTo(Permits.NEVER);
  }

  @Test
  void a_key_that_is_busy_does_not_keep_others_waiting() {
    Permits permits = permits(EffectLimit.perKey("customer", 1).withAtOnce(2));
    Context acme = Context.of("customer", "acme");
    await(permits, "a1", acme, 1, 10);
    await(permits, "a2", acme, 2, 10);
    await(permits, "b1", Context.of("customer", "blue"), 3, 10);

    assertThat(granted).containsExactly("a1", "b1");
    assertThat(permits.views().getFirst().first())
        .extracting(each -> each.owner().caseId(), Permits.Waiter::key)
        .containsExactly(org.assertj.core.groups.Tuple.tuple("a2", "acme"));

    permits.release(owner("b1"), 11);
    assertThat(granted).hasSize(2);
    permits.release(owner("a1"), 11);
    assertThat(granted).containsExactly("a1", "b1", "a2");
  }

  @Test
  void a_higher_priority_goes_first_until_a_lower_one_has_waited_long_enough() {
    Permits permits =
        permits(EffectLimit.atOnce(1).withPriority(context -> context.has("urgent") ? 1 : 0));
    long hour = Duration.ofHours(1).toMillis();
    await(permits, "first", Context.empty(), 0, 0);
    await(permits, "plain", Context.empty(), 1, 1);
    await(permits, "urgent", Context.of("urgent", true), 2, 2);
    await(permits, "late", Context.of("urgent", true), hour + 2, hour + 2);

    permits.release(owner("first"), hour + 2);
    permits.release(owner("urgent"), hour + 2);
    permits.release(owner("plain"), hour + 2);

    assertThat(granted).containsExactly("first", "urgent", "plain", "late");
  }

  @Test
  void a_rate_begins_no_more_calls_in_any_period_than_it_allows() {
    Permits permits = permits(EffectLimit.perSecond(2));
    for (int i = 0; i < 5; i++) {
      await(permits, "c" + i, Context.empty(), i, i * 10L);
    }

    assertThat(granted).hasSize(2);
    assertThat(permits.due()).isEqualTo(1_000);
    permits.advance(999);
    assertThat(granted).hasSize(2);
    permits.advance(1_000);
    assertThat(granted).hasSize(3);
    permits.advance(1_010);
    assertThat(granted).hasSize(4);
    assertThat(permits.due()).isEqualTo(2_000);
  }

  @Test
  void after_a_restart_a_rate_waits_for_one_period() {
    Permits permits = new Permits(Map.of("pay", EffectLimit.perSecond(2)), 0, 5_000, receiver);
    await(permits, "a", Context.empty(), 1, 5_000);

    assertThat(granted).isEmpty();
    assertThat(permits.due()).isEqualTo(6_000);
    permits.advance(6_000);
    assertThat(granted).containsExactly("a");
  }

  @Test
  void a_permit_that_was_not_used_is_granted_again_and_counts_once() {
    Permits permits = permits(EffectLimit.atOnce(1));
    await(permits, "a", Context.empty(), 1, 10);
    await(permits, "a", Context.empty(), 1, 10);
    await(permits, "b", Context.empty(), 2, 10);
    assertThat(granted).containsExactly("a", "a");

    permits.release(owner("a"), 10);
    permits.release(owner("a"), 10);
    await(permits, "c", Context.empty(), 3, 10);

    assertThat(granted).containsExactly("a", "a", "b");
  }

  @Test
  void a_direct_call_takes_a_permit_only_if_one_is_free() {
    Permits permits = permits(EffectLimit.atOnce(1));

    Owner first = permits.tryEnter("pay", Context.empty(), 0);

    assertThat(first).isNotNull();
    assertThat(permits.tryEnter("pay", Context.empty(), 0)).isNull();
    permits.release(java.util.Objects.requireNonNull(first), 0);
    assertThat(permits.tryEnter("pay", Context.empty(), 0)).isNotNull();
  }

  private Permits shared(EffectLimit limit) {
    return new Permits(Map.of("pay", limit), 0, Long.MIN_VALUE, receiver, true);
  }

  @Test
  void a_permit_that_is_held_and_must_not_be_used_is_returned() {
    Permits permits = shared(EffectLimit.atOnce(1));
    await(permits, "a", Context.empty(), 1, 1);
    permits.allow(permits.needs().getFirst(), new PermitAnswer(1, 1), 1);
    await(permits, "b", Context.empty(), 2, 2);
    PermitNeed need = permits.needs().getFirst();
    permits.release(owner("a"), 3);
    permits.allow(need, new PermitAnswer(0, 1), 4); // another node waits longer

    permits.release(owner("b"), 5);

    PermitNeed back = permits.needs().getFirst();
    assertThat(back.needed()).isZero();
    permits.allow(back, new PermitAnswer(0, 0), 6);
    assertThat(permits.needs()).isEmpty();
  }

  @Test
  void a_permit_of_a_key_is_returned_when_the_call_that_waits_moves_away() {
    Permits permits = shared(EffectLimit.perKey("k", 1));
    await(permits, "a", Context.of("k", "x"), 1, 1);
    permits.allow(permits.needs().getFirst(), new PermitAnswer(1, 1), 1);
    await(permits, "b", Context.of("k", "x"), 2, 2);
    permits.allow(permits.needs().getFirst(), new PermitAnswer(0, 1), 3);

    permits.moved("b"::equals, _ -> false, 4);
    permits.release(owner("a"), 5);

    assertThat(permits.needs())
        .singleElement()
        .satisfies(need -> assertThat(need.needed()).isZero());
  }

  @Test
  void no_call_begins_while_a_node_asks_that_its_need_does_not_name() {
    Permits permits = shared(EffectLimit.atOnce(3));
    await(permits, "a", Context.empty(), 1, 1);
    await(permits, "b", Context.empty(), 2, 1);
    permits.allow(permits.needs().getFirst(), new PermitAnswer(2, 2), 1);
    permits.release(owner("a"), 2);
    PermitNeed need = permits.needs().getFirst();
    assertThat(need.inUse()).isEqualTo(1);

    await(permits, "c", Context.empty(), 3, 3);
    assertThat(granted).as("the store may have given the second permit away").doesNotContain("c");
    permits.release(owner("b"), 4);

    assertThat(granted).as("one call was named").containsExactly("a", "b", "c");
  }

  @Test
  void a_need_whose_answer_is_lost_is_asked_again() {
    Permits permits = shared(EffectLimit.atOnce(1));
    await(permits, "a", Context.empty(), 1, 1);
    permits.allow(permits.needs().getFirst(), new PermitAnswer(1, 1), 1);
    permits.release(owner("a"), 2);
    PermitNeed lost = permits.needs().getFirst(); // the store may have taken the permit
    await(permits, "b", Context.empty(), 3, 3);

    PermitNeed again = permits.needs().getFirst();

    assertThat(granted).containsExactly("a");
    permits.allow(again, new PermitAnswer(0, 0), 4);
    permits.allow(lost, new PermitAnswer(1, 1), 5);
    assertThat(granted).as("only the last answer counts").containsExactly("a");
  }

  @Test
  void an_answer_from_before_a_fence_allows_nothing() {
    Permits permits = shared(EffectLimit.atOnce(1));
    await(permits, "a", Context.empty(), 1, 1);
    PermitNeed before = permits.needs().getFirst();

    permits.revoke();
    permits.allow(before, new PermitAnswer(1, 1), 2);

    assertThat(granted).isEmpty();
    assertThat(permits.needs()).hasSize(1);
  }

  @Test
  void a_key_with_a_zero_character_fails_its_call_and_no_other() {
    Permits permits = shared(EffectLimit.perKey("k", 1));
    Context bad = Context.of("k", "a\0b");

    assertThatThrownBy(() -> permits.waiter(owner("a"), "pay", bad, 1))
        .hasMessage("the key of a limit must not contain U+0000, got 'a\\u0000b'");
    assertThatThrownBy(() -> permits.tryEnter("pay", bad, 1)).hasMessageContaining("U+0000");

    await(permits, "b", Context.of("k", "b"), 2, 2);
    assertThat(permits.needs()).extracting(PermitNeed::key).containsExactly("=b");
  }

  @Test
  void nonsense_is_refused() {
    assertThatThrownBy(() -> EffectLimit.atOnce(0))
        .hasMessage("limit: atOnce must be between 1 and 1000000, got 0");
    assertThatThrownBy(() -> EffectLimit.NONE.withRate(1, Duration.ZERO))
        .hasMessage(
            "limit: the period of a rate must be between a millisecond and a day, got PT0S");
  }

  @Test
  void no_order_of_events_exceeds_a_limit_or_forgets_a_waiter() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      EffectLimit limit =
          EffectLimit.atOnce(1 + random.nextInt(3))
              .withPerKey("k", 1 + random.nextInt(2))
              .withRate(1 + random.nextInt(4), Duration.ofMillis(50));
      Set<String> holding = new HashSet<>();
      ArrayDeque<Long> begun = new ArrayDeque<>();
      long[] now = {0};
      Permits[] all = new Permits[1];
      all[0] =
          new Permits(
              Map.of("pay", limit),
              0,
              Long.MIN_VALUE,
              new Permits.Receiver() {
                @Override
                public void granted(Owner owner) {
                  assertThat(holding.add(owner.caseId())).isTrue();
                  begun.addLast(now[0]);
                }

                @Override
                public void dueChanged() {}
              });
      int count = 40;
      for (int i = 0; i < count; i++) {
        String key = "k" + random.nextInt(3);
        await(all[0], "c" + i + key, Context.of("k", key), now[0], now[0]);
        check(limit, holding, begun);
        now[0] += random.nextInt(20);
        all[0].advance(now[0]);
        if (!holding.isEmpty() && random.nextBoolean()) {
          end(all[0], holding, random, now[0]);
        }
        check(limit, holding, begun);
      }
      for (int i = 0; i < 1_000 && begun.size() < count; i++) {
        now[0] += 25;
        all[0].advance(now[0]);
        if (!holding.isEmpty()) {
          end(all[0], holding, random, now[0]);
        }
        check(limit, holding, begun);
      }
      assertThat(begun).as("seed %d", seed).hasSize(count);
    }
  }

  private static void end(Permits permits, Set<String> holding, Random random, long now) {
    List<String> sorted = holding.stream().sorted().toList();
    String one = sorted.get(random.nextInt(sorted.size()));
    holding.remove(one);
    permits.release(owner(one), now);
  }

  private static void check(EffectLimit limit, Set<String> holding, ArrayDeque<Long> begun) {
    assertThat(holding.size()).isLessThanOrEqualTo(limit.atOnce().orElseThrow());
    Map<String, Integer> perKey = new HashMap<>();
    holding.forEach(each -> perKey.merge(each.substring(each.length() - 2), 1, Integer::sum));
    assertThat(perKey.values())
        .allSatisfy(n -> assertThat(n).isLessThanOrEqualTo(limit.perKey().orElseThrow()));
    List<Long> times = List.copyOf(begun);
    int calls = limit.rate().orElseThrow().calls();
    for (int i = calls; i < times.size(); i++) {
      assertThat(times.get(i) - times.get(i - calls)).isGreaterThanOrEqualTo(50);
    }
  }
}
