package dev.damask.value;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The canonical map of an object with fixed fields, such as a record. It equals any other map with
/// the same entries, takes less room than one, and may carry the object that it encodes.
///
/// The object is not part of the value: it is not encoded, compared or shown.
public final class StructValue extends AbstractMap<String, @Nullable Object> {
  /// What the value was decoded to.
  ///
  /// @param by who decoded it, compared by identity
  private record Decoded(Object by, Object object) {}

  private final String[] names; // sorted, shared by all values of a type, never changed
  private final @Nullable Object[] values;
  private final int nesting;
  private int weight = -1; // computed by the first thread that asks

  private @Nullable Decoded decoded; // any thread may write it; the pair is immutable

  private StructValue(String[] names, @Nullable Object[] values, int nesting) {
    this.names = names;
    this.values = values;
    this.nesting = nesting;
  }

  /// The names of a type's fields, in the order that [#of] expects the values.
  ///
  /// @param sorted without duplicates, in the order of `String.compareTo`
  public record Shape(List<String> sorted) {
    public Shape {
      sorted = List.copyOf(sorted);
      for (int i = 1; i < sorted.size(); i++) {
        if (sorted.get(i - 1).compareTo(sorted.get(i)) >= 0) {
          throw new IllegalArgumentException("the fields are not sorted: " + sorted);
        }
      }
    }
  }

  /// Makes values of one shape.
  public static final class Maker {
    private final String[] names;

    public Maker(Shape shape) {
      this.names = shape.sorted().toArray(new String[0]);
    }

    /// The value with these fields. Refuses values outside the closed set, as [Values#of] does, and
    /// keeps the array.
    public StructValue of(@Nullable Object[] values) {
      if (values.length != names.length) {
        throw new IllegalArgumentException(
            "expected " + names.length + " values, got " + values.length);
      }
      int deepest = 0;
      for (int i = 0; i < values.length; i++) {
        Object canonical = Values.of(values[i]);
        values[i] = canonical;
        if (canonical instanceof List || canonical instanceof Map) {
          deepest = Math.max(deepest, Values.nesting(canonical));
        }
      }
      if (deepest >= Values.NESTING_MAX) {
        throw new IllegalArgumentException("a value nests deeper than " + Values.NESTING_MAX);
      }
      return new StructValue(names, values, deepest + 1);
    }
  }

  /// How many lists and maps are inside each other, this one included.
  int nesting() {
    return nesting;
  }

  int weight() {
    if (weight < 0) {
      int sum = Values.HEADER_BYTES;
      for (int i = 0; i < names.length; i++) {
        sum += Values.weight(names[i]) + Values.weight(values[i]);
      }
      weight = sum;
    }
    return weight;
  }

  /// What this value was decoded to by the same decoder; null when it has not been.
  public @Nullable Object decodedBy(Object decoder) {
    Decoded known = decoded;
    return known != null && known.by() == decoder ? known.object() : null;
  }

  /// Keeps an object that this value encodes. It must be deeply immutable.
  public void keep(Object decoder, Object object) {
    decoded = new Decoded(decoder, object);
  }

  private int find(@Nullable Object key) {
    for (int i = 0; i < names.length; i++) {
      if (names[i] == key) {
        return i;
      }
    }
    return key instanceof String name ? Arrays.binarySearch(names, name) : -1;
  }

  @Override
  public @Nullable Object get(@Nullable Object key) {
    int at = find(key);
    return at < 0 ? null : values[at];
  }

  @Override
  public boolean containsKey(@Nullable Object key) {
    return find(key) >= 0;
  }

  @Override
  public int size() {
    return names.length;
  }

  @Override
  public Set<Map.Entry<String, @Nullable Object>> entrySet() {
    return new Entries();
  }

  private final class Entries extends AbstractSet<Map.Entry<String, @Nullable Object>> {
    @Override
    public int size() {
      return names.length;
    }

    @Override
    public Iterator<Map.Entry<String, @Nullable Object>> iterator() {
      return new Iterator<>() {
        private int at;

        @Override
        public boolean hasNext() {
          return at < names.length;
        }

        @Override
        public Map.Entry<String, @Nullable Object> next() {
          if (at == names.length) {
            throw new NoSuchElementException();
          }
          return new SimpleImmutableEntry<>(names[at], values[at++]);
        }
      };
    }
  }
}
