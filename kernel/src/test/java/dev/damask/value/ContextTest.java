package dev.damask.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ContextTest {
  @Test
  void behaves_like_a_sorted_map_through_any_writes_small_and_large() {
    for (long seed = 0; seed < 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int keys = 1 + random.nextInt(seed % 2 == 0 ? 40 : 3_000);
      TreeMap<String, @Nullable Object> model = new TreeMap<>();
      Context context = Context.empty();
      for (int i = 0; i < 600; i++) {
        String key = "k" + random.nextInt(keys);
        if (random.nextInt(3) == 0) {
          model.remove(key);
          context = context.without(key);
        } else {
          Object value = ValuesTest.random(random, 1);
          model.put(key, Values.of(value));
          context = context.with(key, value);
        }
        if (i % 97 == 0) {
          requireSame(seed, model, context);
        }
      }
      requireSame(seed, model, context);
    }
  }

  @Test
  void laying_over_and_leaving_out_are_those_of_a_sorted_map() {
    for (long seed = 0; seed < 500; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TreeMap<String, @Nullable Object> under = random(random);
      TreeMap<String, @Nullable Object> over = random(random);
      Context context = Context.from(under);

      Context both = context.withAll(Context.from(over));
      Context some = both.keeping(key -> key.hashCode() % 3 != 0);
      Context sevens = both.startingWith("k7");

      requireSame(seed, under, context);
      under.putAll(over);
      requireSame(seed, under, both);
      requireSame(seed, new TreeMap<>(under.subMap("k7", "k8")), sevens);
      under.keySet().removeIf(key -> key.hashCode() % 3 == 0);
      requireSame(seed, under, some);
      assertThat(some.keeping(_ -> true)).isSameAs(some);
      assertThat(some.keeping(_ -> false)).isEqualTo(Context.empty());
    }
  }

  @Test
  void what_has_one_beginning_is_found_at_the_front_in_the_middle_and_at_the_end() {
    Context context = Context.of("A", 1, "_", 2).with("__a", 3).with("__b", 4).with("b", 5);

    assertThat(context.startingWith("__")).isEqualTo(Context.of("__a", 3, "__b", 4));
    assertThat(context.startingWith("_").size()).isEqualTo(3);
    assertThat(context.startingWith("A")).isEqualTo(Context.of("A", 1));
    assertThat(context.startingWith("b")).isEqualTo(Context.of("b", 5));
    assertThat(context.startingWith("c")).isSameAs(Context.empty());
    assertThat(context.startingWith("")).isSameAs(context);
  }

  @Test
  void many_changes_at_once_are_those_of_a_sorted_map() {
    for (long seed = 0; seed < 500; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TreeMap<String, @Nullable Object> model = random(random);
      Context before = Context.from(model);
      TreeMap<String, @Nullable Object> unchanged = new TreeMap<>(model);
      ContextEdit edit = before.edit();
      for (int i = random.nextInt(12); i > 0; i--) {
        if (random.nextInt(4) == 0) {
          TreeMap<String, @Nullable Object> more = random(random);
          more.forEach(edit::put);
          model.putAll(more);
        } else {
          String key = "k" + random.nextInt(100);
          Object value = ValuesTest.random(random, 1);
          edit.put(key, value);
          model.put(key, Values.of(value));
        }
        if (random.nextInt(4) == 0) {
          requireSame(seed, model, edit.done());
        }
      }

      Context done = edit.done();
      TreeMap<String, @Nullable Object> ended = new TreeMap<>(model);
      edit.put("k5", "later").put("z", 1);

      requireSame(seed, ended, done);
      requireSame(seed, unchanged, before);
    }
  }

  @Test
  void an_edit_that_changes_nothing_gives_the_very_same_context() {
    Context context = Context.of("a", 1);

    assertThat(context.edit().done()).isSameAs(context);
  }

  private static TreeMap<String, @Nullable Object> random(SplittableRandom random) {
    TreeMap<String, @Nullable Object> map = new TreeMap<>();
    for (int i = random.nextInt(random.nextInt(5) == 0 ? 80 : 20); i > 0; i--) {
      map.put("k" + random.nextInt(100), Values.of(ValuesTest.random(random, 1)));
    }
    return map;
  }

  private static void requireSame(long seed, TreeMap<String, @Nullable Object> model, Context it) {
    assertThat(it.toMap()).as("seed %s", seed).isEqualTo(model);
    assertThat(new ArrayList<>(it.toMap().keySet())).isEqualTo(new ArrayList<>(model.keySet()));
    assertThat(it.size()).isEqualTo(model.size());
    assertThat(it.isEmpty()).isEqualTo(model.isEmpty());
    model.forEach((key, value) -> {
      assertThat(it.get(key)).isEqualTo(value);
      assertThat(it.has(key)).isTrue();
    });
    assertThat(it.has("absent")).isFalse();
    for (int i = 0; i < 100; i++) {
      assertThat(it.has("k" + i)).as("k%s", i).isEqualTo(model.containsKey("k" + i));
    }
    Context rebuilt = Context.from(model);
    assertThat(it).as("seed %s", seed).isEqualTo(rebuilt).hasSameHashCodeAs(rebuilt);
    assertThat(it.weight()).isEqualTo(rebuilt.weight());
    assertThat(it).hasToString(rebuilt.toString());
  }

  @Test
  void a_write_leaves_the_context_it_was_made_from_as_it_was() {
    Context large = Context.empty();
    for (int i = 0; i < 1_000; i++) {
      large = large.with("k" + i, i);
    }

    Context changed = large.with("k5", "new").without("k6");

    assertThat(large.get("k5")).isEqualTo(5L);
    assertThat(large.get("k6")).isEqualTo(6L);
    assertThat(changed.get("k5")).isEqualTo("new");
    assertThat(changed.has("k6")).isFalse();
  }

  @Test
  void a_write_that_changes_nothing_gives_the_very_same_context() {
    Context context = Context.of("k", 1, "n", null);

    assertThat(context.with("k", 1L)).isSameAs(context);
    assertThat(context.with("n", null)).isSameAs(context);
    assertThat(context.without("absent")).isSameAs(context);
  }

  @Test
  void shows_every_difference_from_a_base_in_key_order() {
    Context base = Context.of("a", 1, "b", 2).with("c", 3);
    Context now = base.with("b", 20).without("c").with("d", 4);
    List<String> seen = new ArrayList<>();

    now.changesSince(base, (key, value, present) -> seen.add(key + value + present));

    assertThat(seen).containsExactly("b20true", "cnullfalse", "d4true");
  }

  @Test
  void a_typed_key_refuses_a_missing_entry_and_another_type() {
    Key<Long> amount = Key.of("amount", Long.class);

    assertThat(Context.of("amount", 5).get(amount)).isEqualTo(5L);
    assertThatThrownBy(() -> Context.of("amount", "5").get(amount))
        .isInstanceOf(NoSuchElementException.class)
        .hasMessage("expected Long at 'amount', found 5");
    assertThatThrownBy(() -> Context.empty().get(amount))
        .hasMessage("expected Long at 'amount', found null");
  }

  @Test
  void a_key_that_holds_null_is_there() {
    Context context = Context.of("k", null);

    assertThat(context.has("k")).isTrue();
    assertThat(context.get("k")).isNull();
    assertThat(context).isNotEqualTo(Context.empty());
  }

  @Test
  void the_map_it_gives_cannot_be_changed() {
    Map<String, @Nullable Object> map = Context.of("k", 1).toMap();

    assertThatThrownBy(() -> map.put("x", 1)).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void a_sorted_map_gives_the_same_context_as_any_other() {
    for (int size : new int[] {0, 1, 7, 32, 33, 40}) {
      java.util.TreeMap<String, Object> sorted = new java.util.TreeMap<>();
      for (int i = 0; i < size; i++) {
        sorted.put("k" + i * 7 % 41, i % 2 == 0 ? (Object) i : "v" + i);
      }
      Context one = Context.from(sorted);
      Context other = Context.from(new java.util.HashMap<>(sorted));

      assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
      assertThat(one.weight()).isEqualTo(other.weight());
      assertThat(one.toMap()).isEqualTo(other.toMap());
      assertThat(one.with("k1", "new").get("k1")).isEqualTo("new");
      assertThat(one.with("zz", 1).size()).isEqualTo(size + 1);
    }
  }
}
