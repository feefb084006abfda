package dev.damask.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.effect.Computation;
import dev.damask.effect.Effect;
import dev.damask.effect.EffectIntent;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// What is counted about the open effects of a case is what visiting them would find.
final class OpenEffectsTest {
  private final OpenEffects open = new OpenEffects();

  private static EffectIntent intent(SplittableRandom random) {
    int number = random.nextInt(8);
    String type = random.nextInt(3) == 0 ? Computation.TYPE : "ask";
    Effect effect = new Effect(new EffectId(number), "task", 1, type, "key");
    long due = random.nextBoolean() ? EffectIntent.NEVER : random.nextLong(4);
    return EffectIntent.of(effect, number, false, Delivery.KEYED, Context.empty())
        .withHeld(EffectIntent.Held.NOT, due)
        .forAttempt(1, random.nextBoolean(), 0);
  }

  private void agrees(Map<EffectId, EffectIntent> expected) {
    assertThat(open.all()).containsExactlyElementsOf(expected.values());
    assertThat(open.anySent()).isEqualTo(expected.values().stream().anyMatch(EffectIntent::sent));
    assertThat(open.anyComputation())
        .isEqualTo(expected.values().stream().anyMatch(OpenEffects::isComputation));
    assertThat(open.firstDue())
        .isEqualTo(
            expected.values().stream()
                .mapToLong(EffectIntent::dueMillis)
                .min()
                .orElse(EffectIntent.NEVER));
    for (int i = 0; i < 8; i++) {
      assertThat(open.ofToken(i)).isEqualTo(expected.get(new EffectId(i)));
    }
  }

  @Test
  void counts_follow_every_change() {
    SplittableRandom random = new SplittableRandom(1);
    Map<EffectId, EffectIntent> expected = new LinkedHashMap<>();
    for (int i = 0; i < 2_000; i++) {
      EffectIntent intent = intent(random);
      if (random.nextBoolean()) {
        open.put(intent);
        expected.put(intent.id(), intent);
      } else {
        open.remove(intent);
        expected.remove(intent.id());
      }
      agrees(expected);
    }
  }

  @Test
  void an_undone_turn_restores_what_was_there() {
    SplittableRandom random = new SplittableRandom(2);
    for (int round = 0; round < 200; round++) {
      Map<EffectId, Optional<EffectIntent>> replaced = new HashMap<>();
      Map<EffectId, EffectIntent> before = new HashMap<>();
      open.all().forEach(intent -> before.put(intent.id(), intent));
      for (int i = random.nextInt(6); i > 0; i--) {
        EffectIntent intent = intent(random);
        replaced.putIfAbsent(intent.id(), Optional.ofNullable(open.get(intent.id())));
        if (random.nextBoolean()) {
          open.put(intent);
        } else {
          open.remove(intent);
        }
      }
      if (random.nextBoolean()) {
        boolean keeps = random.nextBoolean();
        open.restore(replaced, keeps);
        before.values().removeIf(intent -> !keeps && OpenEffects.isComputation(intent));
        assertThat(open.all()).containsExactlyInAnyOrderElementsOf(before.values());
      }
      Map<EffectId, EffectIntent> now = new LinkedHashMap<>();
      open.all().forEach(intent -> now.put(intent.id(), intent));
      agrees(now);
    }
  }
}
