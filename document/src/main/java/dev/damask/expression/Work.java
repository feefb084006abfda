package dev.damask.expression;

import dev.damask.expression.BinaryOperators.Refused;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The work of one evaluation, counted in parts of values that were compared, searched or matched.
/// A short expression can be expensive, because a macro repeats it and a pattern multiplies it, and
/// the other cases of the shard wait for the evaluation.
///
/// A front end whose turn consists of several evaluations, such as a step of a graph, uses one
/// instance for all of them. An instance is used by one thread.
public final class Work {
  /// The maximum work of one evaluation; it takes about a second at most.
  public static final long MAX = 100_000_000;

  /// An instance that does not count, for work that its caller limits.
  static final Work UNBOUNDED = new Work(false);

  /// The number of characters that count as one part.
  private static final int CHARACTERS = 16;

  /// The charge for a new character, so that an evaluation creates at most 25 million.
  private static final int CREATED = 4;

  /// The charge for a list or a map, in addition to its parts.
  private static final int CONTAINER = 4;

  /// The number of characters of a number, a boolean or null, with a separator.
  private static final int DIGITS = 24;

  private final boolean isBounded;
  private long done;

  private Work(boolean isBounded) {
    this.isBounded = isBounded;
  }

  /// Creates an instance that refuses more work than [#MAX].
  public static Work bounded() {
    return new Work(true);
  }

  void charge(long parts) throws Refused {
    if (!isBounded) {
      return;
    }
    done = parts > MAX - done ? MAX + 1 : done + parts;
    if (done > MAX) {
      throw new Refused("the evaluation compares or matches more than " + MAX + " parts");
    }
  }

  /// Charges for new characters, which may all stay in memory until the evaluation ends.
  void create(long characters) throws Refused {
    charge(CREATED * characters);
  }

  /// Charges for reading a string once.
  void charge(String text) throws Refused {
    charge(size(text));
  }

  private static long size(String text) {
    return 1L + text.length() / CHARACTERS;
  }

  /// Charges for reading a value with all its parts; a part that occurs twice counts twice.
  void read(@Nullable Object value, long times) throws Refused {
    if (!(value instanceof Collection<?> || value instanceof Map<?, ?>)) {
      charge(times * (value instanceof String text ? size(text) : 1));
      return;
    }
    Deque<Object> open = new ArrayDeque<>();
    open.push(value);
    while (!open.isEmpty()) {
      Object each = open.pop();
      charge(CONTAINER * times);
      if (each instanceof Map<?, ?> map) {
        for (Object key : map.keySet()) {
          charge(times * size(String.valueOf(key)));
        }
        each = map.values();
      }
      for (Object part : (Collection<?>) each) {
        if (part instanceof Collection<?> || part instanceof Map<?, ?>) {
          open.push(part);
        } else {
          charge(times * (part instanceof String text ? size(text) : 1));
        }
      }
    }
  }

  /// Charges for the text of a value, with the digits of its numbers.
  void write(@Nullable Object value) throws Refused {
    switch (value) {
      case String text -> create(text.length());
      case BigDecimal number -> create(number.precision() + Math.abs((long) number.scale()));
      case TypedNumber number -> write(number.value());
      case List<?> items -> {
        create(2);
        for (Object item : items) {
          write(item);
        }
      }
      case Map<?, ?> entries -> {
        create(2);
        for (Map.Entry<?, ?> entry : entries.entrySet()) {
          create(String.valueOf(entry.getKey()).length());
          write(entry.getValue());
        }
      }
      case null, default -> create(DIGITS);
    }
  }

  /// Returns this work as the functions of a front end see it.
  Functions.Meter meter() {
    return new Functions.Meter() {
      @Override
      public void charge(long parts) {
        refuse(() -> Work.this.charge(parts));
      }

      @Override
      public void read(@Nullable Object value, long times) {
        refuse(() -> Work.this.read(value, times));
      }

      @Override
      public void write(@Nullable Object value) {
        refuse(() -> Work.this.write(value));
      }

      @Override
      public boolean matches(String text, String pattern) {
        boolean[] found = new boolean[1];
        refuse(() -> found[0] = LinearPattern.of(pattern, Work.this).find(text, Work.this));
        return found[0];
      }
    };
  }

  /// One charge against the limit.
  @FunctionalInterface
  private interface Charge {
    void make() throws Refused;
  }

  private static void refuse(Charge charge) {
    try {
      charge.make();
    } catch (Refused refused) {
      throw new IllegalArgumentException(refused.getMessage());
    }
  }
}
