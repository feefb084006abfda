package dev.damask.exec;

/// Names for tokens, frames and effects that depend only on how they came about, never on the order
/// in which a scheduler interleaved them with others.
final class Lineage {
  static final long JOIN = -1;
  static final long COMPLETE = -2;
  static final long HANDLER = -3;
  static final long TIMEOUT = -4;
  static final long END = -5;
  static final long UNDO = -6;

  private Lineage() {}

  /// The lineage of the n-th thing that came from another.
  static long of(long origin, long ordinal) {
    long mixed = origin * 0x9E3779B97F4A7C15L + ordinal * 0xD1B54A32D192ED03L + 0x632BE59BD9B4E019L;
    mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 31;
  }
}
