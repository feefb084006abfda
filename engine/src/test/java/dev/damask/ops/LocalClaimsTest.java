package dev.damask.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.store.MemoryStore;
import dev.damask.task.EffectId;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Claims in a store that one engine writes.
final class LocalClaimsTest {
  private static final long NOW = 1_000;

  private final LocalClaims claims = new LocalClaims(new MemoryStore());

  private static TaskClaim claim(String id, int effect, boolean isOnce) {
    return new TaskClaim(
        "one", new EffectId(effect), id, "worker " + id, "pack", 1, isOnce, NOW, NOW + 10);
  }

  @Test
  void a_task_has_one_living_claim() {
    TaskClaim first = claim("a", 1, false);

    assertThat(claims.take(List.of(first, claim("b", 2, false)), NOW)).hasSize(2);
    assertThat(claims.take(List.of(claim("c", 1, false), claim("d", 3, false)), NOW + 9))
        .extracting(TaskClaim::id)
        .containsExactly("d");
    assertThat(claims.find("one", new EffectId(1))).contains(first);
  }

  @Test
  void a_claim_whose_lease_has_ended_is_replaced_unless_its_task_is_at_most_once() {
    claims.take(List.of(claim("a", 1, false), claim("b", 2, true)), NOW);

    assertThat(claims.expired(NOW + 9, 9)).isEmpty();
    assertThat(claims.expired(NOW + 10, 9)).hasSize(2);
    assertThat(claims.take(List.of(claim("c", 1, false), claim("d", 2, true)), NOW + 10))
        .extracting(TaskClaim::id)
        .containsExactly("c");
  }

  @Test
  void only_the_holder_extends_and_removes_a_claim() {
    TaskClaim first = claim("a", 1, false);
    claims.take(List.of(first), NOW);

    assertThat(claims.extend(claim("x", 1, false), NOW + 50, NOW)).isFalse();
    assertThat(claims.extend(first, NOW + 50, NOW)).isTrue();
    assertThat(claims.expired(NOW + 20, 9)).isEmpty();
    assertThat(claims.extend(first, NOW + 90, NOW + 50)).isFalse();
    assertThat(claims.remove(claim("x", 1, false))).isFalse();
    assertThat(claims.remove(first)).isTrue();
    assertThat(claims.list(null, 9)).isEmpty();
  }
}
