package dev.damask.store.postgres;

import dev.damask.value.Encoder;
import dev.damask.value.Sum;

/// The stored form of a value's hash.
final class SumBytes {
  private SumBytes() {}

  static byte[] of(Sum sum) {
    Encoder out = new Encoder();
    sum.write(out);
    return out.toBytes();
  }
}
