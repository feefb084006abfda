package dev.damask.state;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Which parts of one state were changed since its last delta. A state that no [StateLog] writes
/// has marks that are off and cost a comparison.
public final class PartMarks {
  private static final @Nullable Part[] NO_PARTS = {};

  // Most states are never written, so the tables are created with the first change.
  private @Nullable Part[] listed = NO_PARTS;
  private int count;
  private boolean isOn;

  private @Nullable Entries ofCase;

  /// The entries that belong to the case itself.
  public Entries ofCase() {
    if (ofCase == null) {
      ofCase = new Entries();
    }
    return ofCase;
  }

  /// Begins to keep marks.
  public void turnOn() {
    isOn = true;
  }

  public boolean isOn() {
    return isOn;
  }

  /// Puts a part on the list, once.
  void list(Part part) {
    if (!isOn || part.isListed) {
      return;
    }
    part.isListed = true;
    if (count == listed.length) {
      listed = Arrays.copyOf(listed, Math.max(2, 2 * count));
    }
    listed[count++] = part;
  }

  /// Whether nothing was changed.
  public boolean isClear() {
    return count == 0 && (ofCase == null || !ofCase.isTouched());
  }

  /// The parts that were changed, or that entries of were, and clears the list.
  public List<Part> take() {
    List<Part> parts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Part part = listed[i];
      listed[i] = null;
      if (part != null) {
        part.isListed = false;
        parts.add(part);
      }
    }
    count = 0;
    if (listed.length > 1_024) {
      listed = NO_PARTS;
    }
    return parts;
  }

  /// The growing lists and tables of one frame, or of the case: each entry is stored by itself, so
  /// that one more costs one.
  public static final class Entries {
    /// The kinds of entries. The numbers are stored.
    public static final int GOT = 3;

    public static final int PLACE = 4;
    public static final int UNDO = 5;
    public static final int REST = 6;
    public static final int NODE = 7;
    public static final int COUNT = 8;
    public static final int CANCELLED = 9;
    public static final int LATE = 10;

    private static final int KIND_SHIFT = 56;
    private static final long[] NO_KEYS = {};

    /// What is stored of an entry.
    public record Stored(long high, long low, int size) {}

    public final Map<Long, Stored> stored = new HashMap<>();
    private long[] touched = NO_KEYS;
    private int count;

    public static long key(int kind, long number) {
      return (long) kind << KIND_SHIFT | number;
    }

    public static int kind(long key) {
      return (int) (key >>> KIND_SHIFT);
    }

    public static long number(long key) {
      return key & ((1L << KIND_SHIFT) - 1);
    }

    /// The number of a token on a place.
    public static long token(int place, long number) {
      return (long) place << 32 | number;
    }

    public void touch(long key) {
      if (count > 0 && touched[count - 1] == key) {
        return;
      }
      if (count == touched.length) {
        touched = Arrays.copyOf(touched, Math.max(2, 2 * count));
      }
      touched[count++] = key;
    }

    public boolean isTouched() {
      return count > 0;
    }

    /// The keys that were touched, in order and each once, and forgets them.
    public long[] take() {
      if (count == 0) {
        return NO_KEYS;
      }
      long[] keys = Arrays.copyOf(touched, count);
      count = 0;
      if (touched.length > 64) {
        touched = NO_KEYS;
      }
      Arrays.sort(keys);
      int end = 0;
      for (int i = 0; i < keys.length; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) {
          keys[end++] = keys[i];
        }
      }
      return Arrays.copyOf(keys, end);
    }
  }
}
