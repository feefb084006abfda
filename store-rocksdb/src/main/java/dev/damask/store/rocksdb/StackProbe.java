package dev.damask.store.rocksdb;

/// Finds out whether the stack of the current thread has room for a write. The stack of a caller
/// may be nearly full. A stack overflow in the middle of a write would stop the store.
final class StackProbe {
  /// Each frame keeps eight numbers, so this many frames need at least 16 KiB.
  private static final int FRAMES = 256;

  private StackProbe() {}

  static boolean hasRoom() {
    try {
      return descend(FRAMES, 1, 2, 3, new long[] {4}) != 0;
    } catch (StackOverflowError e) {
      return false;
    }
  }

  private static long descend(int frames, long a, long b, long c, long[] d) {
    if (frames == 0) {
      return a | 1;
    }
    long e = a + d[0];
    long f = b ^ e;
    long g = c + f;
    long h = e * 31 + g;
    long below = descend(frames - 1, f, g, h, d);
    return below | (a ^ b ^ c ^ e ^ f ^ g ^ h) | 1; // all of them live across the call
  }
}
