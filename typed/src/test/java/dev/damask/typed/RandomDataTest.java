package dev.damask.typed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.value.Bytes;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.Key;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Randomly generated values come back equal, from memory and from the bytes of a store.
final class RandomDataTest {
  sealed interface Item {
    record Leaf(String text, double weight, Optional<Instant> at) implements Item {}

    record Box(List<Item> items, Map<Integer, Item> byNumber) implements Item {}
  }

  record Root(
      Item item, BigDecimal amount, BigInteger big, LocalDate day, Duration time, char letter) {}

  private static Item item(Random random, int depth) {
    if (depth == 0 || random.nextInt(3) == 0) {
      Optional<Instant> at =
          random.nextBoolean()
              ? Optional.empty()
              : Optional.of(Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000)));
      return new Item.Leaf(text(random), random.nextGaussian(), at);
    }
    List<Item> items = new ArrayList<>();
    Map<Integer, Item> byNumber = new HashMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      items.add(item(random, depth - 1));
      byNumber.put(random.nextInt(), item(random, depth - 1));
    }
    return new Item.Box(items, byNumber);
  }

  private static String text(Random random) {
    char[] text = new char[random.nextInt(6)];
    for (int i = 0; i < text.length; i++) {
      text[i] = (char) random.nextInt(0x10000); // also unpaired surrogates
    }
    return new String(text);
  }

  private static Root root(Random random) {
    return new Root(
        item(random, 4),
        new BigDecimal(new BigInteger(random.nextInt(100), random), random.nextInt(21) - 10),
        new BigInteger(random.nextInt(200), random).negate(),
        LocalDate.ofEpochDay(random.nextInt(1_000_000)),
        Duration.ofSeconds(random.nextLong() / 4, random.nextInt(1_000_000_000)),
        (char) random.nextInt(0x10000));
  }

  @Test
  void random_values_come_back_equal() {
    BoundKey<Root> key = BoundKey.of(Key.of(Root.class));
    for (long seed = 0; seed < 2_000; seed++) {
      Root value = root(new Random(seed));
      Context context = Context.of("root", key.encode(value));
      Encoder out = new Encoder();
      out.context(context);
      Context read = new Decoder(out.toBytes()).context();

      assertThat(read).as("seed " + seed).isEqualTo(context);
      assertThat(key.read(context)).as("seed " + seed).isEqualTo(value);
      assertThat(key.read(read)).as("seed " + seed).isEqualTo(value);
    }
  }

  enum Size {
    SMALL,
    LARGE
  }

  @SuppressWarnings("ArrayRecordComponent") // users may have such records
  record Wide(
      Optional<List<Size>> sizes,
      Map<Size, Item> bySize,
      Set<Duration> times,
      int[] numbers,
      byte[] bytes,
      float fraction,
      UUID id,
      URI link,
      Root root) {}

  private static final List<String> WORDS =
      List.of(
          "item",
          "amount",
          "big",
          "day",
          "time",
          "letter",
          "text",
          "weight",
          "at",
          "items",
          "byNumber",
          "$type",
          "Leaf",
          "Box",
          "sizes",
          "bySize",
          "SMALL",
          "times",
          "numbers",
          "bytes",
          "fraction",
          "id",
          "link",
          "root",
          "1",
          "2026-01-01",
          "PT1S",
          "");

  private static @Nullable Object stored(Random random, int depth) {
    return switch (random.nextInt(depth == 0 ? 7 : 9)) {
      case 0 -> null;
      case 1 -> random.nextBoolean();
      case 2 -> random.nextInt(4) == 0 ? random.nextLong() : (long) random.nextInt(70_000);
      case 3 -> random.nextInt(4) == 0 ? Double.NaN : random.nextGaussian() * 1e10;
      case 4 -> new BigDecimal(new BigInteger(70, random), random.nextInt(400) - 200);
      case 5 -> random.nextBoolean() ? word(random) : text(random);
      case 6 -> Bytes.of((byte) random.nextInt());
      case 7 -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          list.add(stored(random, depth - 1));
        }
        yield list;
      }
      default -> {
        Map<String, @Nullable Object> map = new HashMap<>();
        for (int i = random.nextInt(8); i > 0; i--) {
          map.put(word(random), stored(random, depth - 1));
        }
        yield map;
      }
    };
  }

  private static String word(Random random) {
    return WORDS.get(random.nextInt(WORDS.size()));
  }

  /// A value of the right shape in which one part is another value.
  private static @Nullable Object damaged(@Nullable Object value, Random random) {
    if (value instanceof Map<?, ?> map && !map.isEmpty()) {
      Map<String, @Nullable Object> all = new HashMap<>();
      int at = random.nextInt(map.size());
      int i = 0;
      for (Map.Entry<?, ?> each : map.entrySet()) {
        boolean isHere = i++ == at;
        all.put(
            String.valueOf(each.getKey()),
            isHere ? damaged(each.getValue(), random) : each.getValue());
      }
      return all;
    }
    if (value instanceof List<?> list && !list.isEmpty()) {
      List<@Nullable Object> all = new ArrayList<>(list);
      int at = random.nextInt(all.size());
      all.set(at, damaged(all.get(at), random));
      return all;
    }
    return stored(random, 2);
  }

  @Test
  void any_stored_value_is_read_or_refused_with_one_sentence() {
    BoundKey<Root> root = BoundKey.of(Key.of(Root.class));
    BoundKey<Wide> wide = BoundKey.of(Key.of(Wide.class));
    int read = 0;
    for (long seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      Object any =
          random.nextBoolean() ? stored(random, 4) : damaged(root.encode(root(random)), random);
      for (BoundKey<?> key : List.of(root, wide)) {
        try {
          Object value = key.decode(any);
          assertThat(key.decode(key.encode(value))).as("seed " + seed).isNotNull();
          read++;
        } catch (ValueException e) {
          assertThat(e.getMessage()).as("seed " + seed).startsWith(key.entry());
        } catch (RuntimeException | Error e) {
          throw new AssertionError("seed " + seed + ": " + any, e);
        }
      }
    }
    assertThat(read).isPositive();
  }
}
