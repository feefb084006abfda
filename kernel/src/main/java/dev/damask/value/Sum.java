package dev.damask.value;

import java.util.HexFormat;

/// A hash of 128 bits, or the sum of such hashes modulo 2^128. A change of one part of a state
/// updates the sum of all parts without visiting the others.
public record Sum(long high, long low) implements Comparable<Sum> {
  public static final int BYTES = 16;
  public static final Sum ZERO = new Sum(0, 0);

  public Sum plus(Sum other) {
    long sum = low + other.low;
    long carry = Long.compareUnsigned(sum, low) < 0 ? 1 : 0;
    return new Sum(high + other.high + carry, sum);
  }

  public Sum minus(Sum other) {
    long borrow = Long.compareUnsigned(low, other.low) < 0 ? 1 : 0;
    return new Sum(high - other.high - borrow, low - other.low);
  }

  public void write(Encoder out) {
    out.fixed(high);
    out.fixed(low);
  }

  public static Sum read(Decoder in) {
    return new Sum(in.fixed(), in.fixed());
  }

  @Override
  public int compareTo(Sum other) {
    int byHigh = Long.compareUnsigned(high, other.high);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
  }

  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
  }
}
