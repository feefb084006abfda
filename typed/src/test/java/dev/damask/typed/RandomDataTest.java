package dev.damask.typed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.Key;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
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
}
