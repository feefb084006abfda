package dev.damask.value;

import java.util.Arrays;
import java.util.HexFormat;

/// An immutable byte sequence, so that a context can hold binary data and stay a value.
public final class Bytes implements Comparable<Bytes> {
  private final byte[] content;

  private Bytes(byte[] content) {
    this.content = content;
  }

  /// Returns a copy of bytes.
  public static Bytes of(byte... content) {
    return new Bytes(content.clone());
  }

  /// Returns the number of bytes.
  public int length() {
    return content.length;
  }

  /// Not a copy: for those who only read.
  byte[] content() {
    return content;
  }

  /// Returns a copy of the bytes.
  public byte[] toArray() {
    return content.clone();
  }

  @Override
  public int compareTo(Bytes other) {
    return Arrays.compareUnsigned(content, other.content);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes bytes && Arrays.equals(content, bytes.content);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(content);
  }

  @Override
  public String toString() {
    return "0x" + HexFormat.of().formatHex(content);
  }
}
