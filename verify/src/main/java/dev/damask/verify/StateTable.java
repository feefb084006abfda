package dev.damask.verify;

import java.util.Arrays;

/// Numbers states by a 128-bit fingerprint in the order of their first occurrence.
///
/// Two different states with the same fingerprint would be treated as one. For a million states the
/// probability is about 10^-27, far below that of a memory error.
final class StateTable {
  private long[] keys = new long[2 * 256];
  private int[] table = new int[512];
  private int count;
  private long high;
  private long low;

  int size() {
    return count;
  }

  long bytes() {
    return 8L * keys.length + 4L * table.length;
  }

  /// Returns the number of a state, or -1 minus its new number if it is new.
  int put(byte[] bytes, long mask, long extra) {
    hash(bytes, mix(mask) + extra);
    int slot = (int) low & table.length - 1;
    while (table[slot] != 0) {
      int index = table[slot] - 1;
      if (keys[2 * index] == high && keys[2 * index + 1] == low) {
        return index;
      }
      slot = slot + 1 & table.length - 1;
    }
    if (2 * count + 2 > keys.length) {
      keys = Arrays.copyOf(keys, keys.length * 2);
    }
    keys[2 * count] = high;
    keys[2 * count + 1] = low;
    table[slot] = ++count;
    if (count * 2 > table.length) {
      grow();
    }
    return -count;
  }

  private void grow() {
    table = new int[table.length * 2];
    for (int index = 0; index < count; index++) {
      int slot = (int) keys[2 * index + 1] & table.length - 1;
      while (table[slot] != 0) {
        slot = slot + 1 & table.length - 1;
      }
      table[slot] = index + 1;
    }
  }

  private void hash(byte[] bytes, long extra) {
    long one = extra * 0x9E3779B97F4A7C15L + bytes.length;
    long two = ~extra * 0xC2B2AE3D27D4EB4FL;
    long word = 0;
    for (int i = 0; i < bytes.length; i++) {
      word = word << 8 | (bytes[i] & 0xFF);
      if ((i & 7) == 7) {
        one = mix(one ^ word);
        two = mix(two + word * 0xFF51AFD7ED558CCDL);
        word = 0;
      }
    }
    high = mix(one ^ word);
    low = mix(two + word * 0xFF51AFD7ED558CCDL + high);
  }

  private static long mix(long value) {
    long mixed = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 31;
  }
}
