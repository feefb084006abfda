package dev.damask.encoding;

import dev.damask.value.Context;
import dev.damask.value.Encoder;
import dev.damask.value.Sum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The contexts that the records of a case have defined since its last base, by number. A new one
/// is defined by what differs from one of them. Number 0 is the empty context.
public final class ContextNumbers {
  public static final int NONE = -1;

  /// The tags of a changed entry. They are stored.
  public static final int REMOVED = 0;

  public static final int INLINE = 1;
  public static final int SHARED = 2;

  private static final int FEW = 8;

  /// A difference of so few entries needs no better one.
  private static final int NEAR = 2;

  private final Hashing hashing;
  private final List<Context> contexts = new ArrayList<>(2);
  private Sum[] sums = new Sum[2];

  /// Finds contexts; null while there are few.
  private @Nullable Index index;

  private final Encoder definitions = new Encoder(64);
  private int defined;
  private final SharedValues values;
  private final Encoder scratch = new Encoder(64);

  /// Whether large values are written with the others.
  private final boolean isInline;

  public ContextNumbers(Hashing hashing, SharedValues values) {
    this(hashing, values, false);
  }

  private ContextNumbers(Hashing hashing, SharedValues values, boolean isInline) {
    this.hashing = hashing;
    this.values = values;
    this.isInline = isInline;
    add(Context.empty(), Sum.ZERO);
  }

  /// Numbers for bytes that have all values in them.
  public static ContextNumbers inline(Hashing hashing) {
    return new ContextNumbers(hashing, new SharedValues(), true);
  }

  /// Other numbers for the same contexts.
  ///
  /// @param count how many numbers are given, used or not
  /// @param numbers the other number of each context
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Renumbering(int count, int[] numbers) {}

  /// The same contexts under other numbers. A number that no context has is never used: it belongs
  /// to the empty context, which is only known as number 0.
  public ContextNumbers renumbered(Renumbering others) {
    int[] from = new int[others.count];
    for (int i = 1; i < others.numbers.length; i++) {
      from[others.numbers[i]] = i;
    }
    ContextNumbers renumbered = new ContextNumbers(hashing, values);
    for (int number = 1; number < others.count; number++) {
      renumbered.add(contexts.get(from[number]), sums[from[number]]);
    }
    return renumbered;
  }

  /// The contexts by number.
  public List<Context> all() {
    return contexts;
  }

  /// The context of a number; null when there is none.
  public @Nullable Context at(int number) {
    return number > 0 && number < contexts.size() ? contexts.get(number) : null;
  }

  public Sum sum(int number) {
    return sums[number];
  }

  /// How many were defined since the definitions were last taken.
  public int defined() {
    return defined;
  }

  /// Writes the definitions, and forgets them.
  public void takeDefinitions(Encoder out) {
    out.natural(defined);
    out.raw(definitions);
    definitions.clear();
    defined = 0;
  }

  /// Frees the memory that only writing needs.
  public void release() {
    definitions.release();
    scratch.release();
  }

  /// The number of a context, which is defined if it is new.
  ///
  /// @param hints contexts it may differ little from; the best is used
  public int number(Context context, @Nullable Context... hints) {
    int known = find(context);
    if (known != NONE) {
      return known;
    }
    Difference best = null;
    for (Context hint : hints) {
      int number = hint == null || hint.isEmpty() ? NONE : find(hint);
      if (number != NONE && hint != null && (best == null || best.changes.size() > NEAR)) {
        Difference other = new Difference(context, hint, number);
        best = best == null || other.changes.size() < best.changes.size() ? other : best;
      }
    }
    boolean isFar = best == null || best.changes.size() > context.size();
    return define(context, isFar ? new Difference(context, Context.empty(), 0) : best);
  }

  private int define(Context context, @Nullable Difference least) {
    Difference difference = java.util.Objects.requireNonNull(least);
    int mark = definitions.length();
    definitions.natural(difference.from);
    definitions.natural(difference.changes.size());
    Sum sum = sums[difference.from];
    List<SharedValues.Use> uses = new ArrayList<>();
    for (Change change : difference.changes) {
      if (change.wasPresent) {
        sum = sum.minus(hashing.entry(change.key, hash(change.before)));
      }
      if (change.isPresent) {
        sum = sum.plus(hashing.entry(change.key, entry(change, uses)));
      } else {
        definitions.text(change.key);
        definitions.octet(REMOVED);
      }
    }
    int same = find(sum);
    if (same != NONE) {
      definitions.truncate(mark);
      if (index != null) {
        index.byIdentity.put(context, same);
      }
      return same;
    }
    uses.forEach(values::use);
    defined++;
    return add(context, sum);
  }

  /// Writes a changed entry and returns the hash of its value.
  private Sum entry(Change change, List<SharedValues.Use> uses) {
    definitions.text(change.key);
    scratch.clear();
    scratch.value(change.after);
    Sum hash = hashing.value(scratch);
    if (isInline || scratch.length() < Hashing.SHARED_MIN) {
      definitions.octet(INLINE);
      definitions.raw(scratch);
    } else {
      definitions.octet(SHARED);
      hash.write(definitions);
      uses.add(new SharedValues.Use(hash, scratch.toBytes()));
    }
    return hash;
  }

  private Sum hash(@Nullable Object value) {
    scratch.clear();
    scratch.value(value);
    return hashing.value(scratch);
  }

  /// Adds a context that a record has defined.
  ///
  /// @param from the number of the context it differs from
  public int read(Context context, int from) {
    Sum sum = sums[from];
    for (Change change : new Difference(context, contexts.get(from), from).changes) {
      sum = change.wasPresent ? sum.minus(hashing.entry(change.key, hash(change.before))) : sum;
      sum = change.isPresent ? sum.plus(hashing.entry(change.key, hash(change.after))) : sum;
    }
    return add(context, sum);
  }

  private int add(Context context, Sum sum) {
    int number = contexts.size();
    contexts.add(context);
    if (number == sums.length) {
      sums = Arrays.copyOf(sums, 2 * number);
    }
    sums[number] = sum;
    if (index != null) {
      index.add(context, sum, number);
    } else if (number == FEW) {
      index = new Index();
      for (int i = 0; i <= number; i++) {
        index.add(contexts.get(i), sums[i], i);
      }
    }
    return number;
  }

  /// The numbers of many contexts.
  private static final class Index {
    final IdentityHashMap<Context, Integer> byIdentity = new IdentityHashMap<>();
    final Map<Sum, Integer> bySum = new HashMap<>();

    void add(Context context, Sum sum, int number) {
      byIdentity.put(context, number);
      bySum.putIfAbsent(sum, number);
    }
  }

  /// The number of a context or of an equal one; [#NONE] if it has none.
  public int find(Context context, Sum sum) {
    int known = find(context);
    return known == NONE ? find(sum) : known;
  }

  private int find(Context context) {
    if (context.isEmpty()) {
      return 0;
    }
    if (index != null) {
      return index.byIdentity.getOrDefault(context, NONE);
    }
    for (int i = 0; i < contexts.size(); i++) {
      if (contexts.get(i) == context) {
        return i;
      }
    }
    return NONE;
  }

  private int find(Sum sum) {
    if (index != null) {
      return index.bySum.getOrDefault(sum, NONE);
    }
    for (int i = 0; i < contexts.size(); i++) {
      if (sums[i].equals(sum)) {
        return i;
      }
    }
    return NONE;
  }

  /// One entry that differs.
  private record Change(
      String key,
      boolean wasPresent,
      @Nullable Object before,
      boolean isPresent,
      @Nullable Object after) {}

  /// What differs between a context and a known one.
  private static final class Difference {
    final int from;
    final List<Change> changes = new ArrayList<>();

    Difference(Context context, Context known, int from) {
      this.from = from;
      context.changesSince(
          known,
          (key, value, isPresent) ->
              changes.add(new Change(key, known.has(key), known.get(key), isPresent, value)));
    }
  }
}
