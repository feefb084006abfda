package dev.damask.value;

import java.util.AbstractMap;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.SortedMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The data of one token: an immutable map from text to the closed set of [Values].
///
/// Entries are kept in key order, so equal contexts look, iterate and encode alike wherever they
/// came from. Up to [#SMALL_MAX] entries live in one array that a write copies; beyond that they
/// live in a tree that shares everything a write does not touch.
public final class Context implements TaskResult {
  static final int SMALL_MAX = 32;

  private static final Context EMPTY = new Context(new Object[0], null, 0, 0, 0);

  /// Keys and values in turn, in key order; empty when the tree holds the entries.
  final @Nullable Object[] cells;

  /// Holds the entries of a large context; null in a small one.
  final @Nullable EntryTree tree;

  final int size;
  final int weight;

  /// A [#mark] for every key in the cells, and perhaps for some that were there before: most keys
  /// that are asked for are absent, and are known to be at a glance.
  final long marks;

  Context(@Nullable Object[] cells, @Nullable EntryTree tree, int size, int weight, long marks) {
    this.cells = cells;
    this.tree = tree;
    this.size = size;
    this.weight = weight;
    this.marks = marks;
  }

  private static Context large(EntryTree tree, int size, int weight) {
    return new Context(EMPTY.cells, tree, size, weight, 0);
  }

  static long mark(String key) {
    return 1L << key.hashCode();
  }

  /// Returns the context without entries.
  public static Context empty() {
    return EMPTY;
  }

  /// Returns a context with one entry.
  public static Context of(String key, @Nullable Object value) {
    return EMPTY.with(key, value);
  }

  /// Returns a context with two entries.
  public static Context of(
      String key, @Nullable Object value, String key2, @Nullable Object value2) {
    return EMPTY.with(key, value).with(key2, value2);
  }

  /// Returns a context with the entries of a map. Throws `IllegalArgumentException` for a value
  /// that [Values] does not allow.
  public static Context from(Map<String, ? extends @Nullable Object> entries) {
    if (entries instanceof SortedMap<String, ?> sorted
        && sorted.comparator() == null
        && sorted.size() <= SMALL_MAX) {
      return fromSorted(sorted);
    }
    Context context = EMPTY;
    for (Map.Entry<String, ? extends @Nullable Object> entry : entries.entrySet()) {
      context = context.with(entry.getKey(), entry.getValue());
    }
    return context;
  }

  /// Entries that come in the order of the cells need not be put in their places one by one.
  private static Context fromSorted(SortedMap<String, ? extends @Nullable Object> entries) {
    @Nullable Object[] cells = new Object[2 * entries.size()];
    int weight = 0;
    int at = 0;
    long marks = 0;
    for (Map.Entry<String, ? extends @Nullable Object> entry : entries.entrySet()) {
      Object canonical = Values.of(entry.getValue());
      cells[at++] = entry.getKey();
      cells[at++] = canonical;
      weight += weight(entry.getKey(), canonical);
      marks |= mark(entry.getKey());
    }
    return at == 0 ? EMPTY : new Context(cells, null, at / 2, weight, marks);
  }

  /// Returns the value of a key; null when the key is absent or its value is null. [#has]
  /// distinguishes the two.
  public @Nullable Object get(String key) {
    if (tree != null) {
      return tree.get(key);
    }
    int at = isAbsent(key) ? -1 : find(key);
    return at < 0 ? null : cells[at + 1];
  }

  /// Returns the value of a typed key. Throws `NoSuchElementException` if the entry is missing or
  /// has another type.
  public <T> T get(Key<T> key) {
    return key.read(
        new Key.Reader() {
          @Override
          @SuppressWarnings("unchecked") // the class was checked; type arguments cannot be
          public <V> V entry(Key<V> entry) {
            Object value = get(entry.name());
            if (!entry.type().raw().isInstance(value)) {
              throw new NoSuchElementException(
                  "expected " + entry.type() + " at '" + entry.name() + "', found " + value);
            }
            return (V) value;
          }
        });
  }

  /// Returns whether there is an entry, also one whose value is null.
  public boolean has(String key) {
    return tree != null ? tree.has(key) : !isAbsent(key) && find(key) >= 0;
  }

  /// Whether a key is certainly not in the cells.
  private boolean isAbsent(String key) {
    return (marks & mark(key)) == 0;
  }

  /// Returns the number of entries.
  public int size() {
    return size;
  }

  /// Returns whether there are no entries.
  public boolean isEmpty() {
    return size == 0;
  }

  /// Returns approximately the encoded size in bytes.
  public int weight() {
    return weight;
  }

  /// This context with one entry replaced or added; this very object when nothing changes.
  public Context with(String key, @Nullable Object value) {
    Object canonical = Values.of(value);
    int added = Values.weight(canonical);
    if (tree != null) {
      return withInTree(tree, key, canonical, added);
    }
    int at = isAbsent(key) ? search(cells, size, key) : find(key);
    if (at >= 0) {
      Object old = cells[at + 1];
      if (old == canonical || (old != null && old.equals(canonical))) {
        return this;
      }
      @Nullable Object[] copy = cells.clone();
      copy[at + 1] = canonical;
      return new Context(copy, null, size, weight + added - Values.weight(old), marks);
    }
    int grown = weight + added + key.length() + 2;
    if (size == SMALL_MAX) {
      EntryTree larger = EntryTree.of(cells).with(key, canonical);
      return large(larger, size + 1, grown);
    }
    int insertion = -at - 1;
    @Nullable Object[] copy = new Object[cells.length + 2];
    System.arraycopy(cells, 0, copy, 0, insertion);
    copy[insertion] = key;
    copy[insertion + 1] = canonical;
    System.arraycopy(cells, insertion, copy, insertion + 2, cells.length - insertion);
    return new Context(copy, null, size + 1, grown, marks | mark(key));
  }

  private Context withInTree(EntryTree entries, String key, @Nullable Object value, int added) {
    boolean had = entries.has(key);
    Object old = entries.get(key);
    if (had && Objects.equals(old, value)) {
      return this;
    }
    int grown = had ? added - Values.weight(old) : added + key.length() + 2;
    return large(entries.with(key, value), had ? size : size + 1, weight + grown);
  }

  /// Returns this context with the entries of another, which override existing keys.
  public Context withAll(Context other) {
    if (isEmpty() || other.isEmpty()) {
      return isEmpty() ? other : this;
    }
    if (tree == null && other.tree == null && size + other.size <= SMALL_MAX) {
      return merged(other);
    }
    Context[] result = {this};
    other.forEach((key, value) -> result[0] = result[0].with(key, value));
    return result[0];
  }

  /// Both are sorted, so one pass finds every entry its place.
  private Context merged(Context other) {
    @Nullable Object[] theirs = other.cells;
    @Nullable Object[] both = new Object[cells.length + theirs.length];
    int sum = weight + other.weight;
    boolean isBehind = compare(keyAt(cells, cells.length - 2), keyAt(theirs, 0)) < 0;
    int i = isBehind ? cells.length : 0;
    int j = 0;
    int end = i;
    System.arraycopy(cells, 0, both, 0, i);
    while (i < cells.length && j < theirs.length) {
      String key = keyAt(cells, i);
      int order = compare(key, keyAt(theirs, j));
      boolean isMine = order < 0;
      both[end] = isMine ? key : theirs[j];
      both[end + 1] = isMine ? cells[i + 1] : theirs[j + 1];
      end += 2;
      if (order == 0) {
        sum -= weight(key, cells[i + 1]);
      }
      i += order <= 0 ? 2 : 0;
      j += order >= 0 ? 2 : 0;
    }
    System.arraycopy(cells, i, both, end, cells.length - i);
    end += cells.length - i;
    System.arraycopy(theirs, j, both, end, theirs.length - j);
    end += theirs.length - j;
    @Nullable Object[] fitting = end == both.length ? both : Arrays.copyOf(both, end);
    return new Context(fitting, null, end / 2, sum, marks | other.marks);
  }

  static int weight(String key, @Nullable Object value) {
    return Values.weight(value) + key.length() + 2;
  }

  /// This context with only those entries whose keys pass.
  public Context keeping(Predicate<String> keys) {
    if (tree != null) {
      Context[] result = {this};
      forEach((key, _) -> result[0] = keys.test(key) ? result[0] : result[0].without(key));
      return result[0];
    }
    @Nullable Object[] kept = new Object[cells.length];
    int end = 0;
    int left = weight;
    long keptMarks = 0;
    for (int i = 0; i < cells.length; i += 2) {
      String key = keyAt(cells, i);
      if (keys.test(key)) {
        kept[end++] = key;
        kept[end++] = cells[i + 1];
        keptMarks |= mark(key);
      } else {
        left -= weight(key, cells[i + 1]);
      }
    }
    if (end == 0 || end == cells.length) {
      return end == 0 ? EMPTY : this;
    }
    return new Context(Arrays.copyOf(kept, end), null, end / 2, left, keptMarks);
  }

  /// The entries whose keys begin with a string; they lie side by side.
  public Context startingWith(String prefix) {
    if (tree != null) {
      return keeping(key -> key.startsWith(prefix));
    }
    int begin = 0;
    while (begin < cells.length && !keyAt(cells, begin).startsWith(prefix)) {
      begin += 2;
    }
    int end = begin;
    int sum = 0;
    long found = 0;
    while (end < cells.length && keyAt(cells, end).startsWith(prefix)) {
      sum += weight(keyAt(cells, end), cells[end + 1]);
      found |= mark(keyAt(cells, end));
      end += 2;
    }
    if (begin == end || end - begin == cells.length) {
      return begin == end ? EMPTY : this;
    }
    @Nullable Object[] range = Arrays.copyOfRange(cells, begin, end);
    return new Context(range, null, range.length / 2, sum, found);
  }

  /// This context without a key.
  public Context without(String key) {
    if (tree != null) {
      if (!tree.has(key)) {
        return this;
      }
      int lost = weight(key, tree.get(key));
      EntryTree smaller = tree.without(key);
      if (size - 1 > SMALL_MAX) {
        return large(smaller, size - 1, weight - lost);
      }
      long all = -1; // they are not worth counting again
      return new Context(smaller.toCells(size - 1), null, size - 1, weight - lost, all);
    }
    int at = isAbsent(key) ? -1 : find(key);
    if (at < 0) {
      return this;
    }
    int lost = weight(key, cells[at + 1]);
    @Nullable Object[] copy = new Object[cells.length - 2];
    System.arraycopy(cells, 0, copy, 0, at);
    System.arraycopy(cells, at + 2, copy, at, copy.length - at);
    return new Context(copy, null, size - 1, weight - lost, marks);
  }

  /// Shows every entry in key order.
  public void forEach(BiConsumer<String, @Nullable Object> action) {
    if (tree != null) {
      tree.forEach(action);
      return;
    }
    for (int i = 0; i < cells.length; i += 2) {
      action.accept(keyAt(cells, i), cells[i + 1]);
    }
  }

  /// Shows every key whose entry differs between a base and this context, in key order, with its
  /// value here and whether it is present here. A key that was removed is shown as not present.
  /// What two large contexts share is not visited.
  public void changesSince(Context base, Change action) {
    if (this == base) {
      return;
    }
    if (tree != null && base.tree != null) {
      EntryDifference.show(base.tree, tree, action);
      return;
    }
    @Nullable Object[] mine = toCells();
    @Nullable Object[] theirs = base.toCells();
    int i = 0;
    int j = 0;
    while (i < mine.length || j < theirs.length) {
      int order =
          i == mine.length
              ? 1
              : j == theirs.length ? -1 : compare(keyAt(mine, i), keyAt(theirs, j));
      if (order < 0) {
        action.changed(keyAt(mine, i), mine[i + 1], true);
        i += 2;
      } else if (order > 0) {
        action.changed(keyAt(theirs, j), null, false);
        j += 2;
      } else {
        if (mine[i + 1] != theirs[j + 1] && !Objects.equals(mine[i + 1], theirs[j + 1])) {
          action.changed(keyAt(mine, i), mine[i + 1], true);
        }
        i += 2;
        j += 2;
      }
    }
  }

  /// Receives one difference between two contexts.
  @FunctionalInterface
  public interface Change {
    /// Receives one key.
    ///
    /// @param present whether the changed context has the key; false when it was removed
    void changed(String key, @Nullable Object value, boolean present);
  }

  /// The entries as an unmodifiable map in key order.
  public Map<String, @Nullable Object> toMap() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    forEach(map::put);
    return Collections.unmodifiableMap(map);
  }

  private @Nullable Object[] toCells() {
    return tree == null ? cells : tree.toCells(size);
  }

  private int find(String key) {
    return find(cells, size, key);
  }

  /// The index of the key's cell among the first entries, or minus the insertion point minus one.
  static int find(@Nullable Object[] table, int size, String key) {
    // Keys are mostly literals, so the same object is found without comparing any text. Those of
    // the engine come first in order, and those of the user are asked for more often.
    for (int i = 2 * size - 2; i >= 0; i -= 2) {
      if (table[i] == key) {
        return i;
      }
    }
    return search(table, size, key);
  }

  /// Binary search over the keys of a cell array.
  static int search(@Nullable Object[] table, int size, String key) {
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = compare(keyAt(table, middle * 2), key);
      if (order == 0) {
        return middle * 2;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -(low * 2) - 1;
  }

  static int compare(String one, String other) {
    return one == other ? 0 : one.compareTo(other);
  }

  static String keyAt(@Nullable Object[] table, int index) {
    return (String) Objects.requireNonNull(table[index]);
  }

  /// Begins to change several entries at once.
  public ContextEdit edit() {
    return new ContextEdit(this);
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof Context context
            && size == context.size
            && weight == context.weight
            && Arrays.equals(toCells(), context.toCells()));
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(toCells());
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    forEach((key, value) -> {
      text.append(text.length() > 1 ? ", " : "");
      text.append(new AbstractMap.SimpleImmutableEntry<>(key, value));
    });
    return text.append('}').toString();
  }
}
