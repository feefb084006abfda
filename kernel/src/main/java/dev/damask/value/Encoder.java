package dev.damask.value;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.Checksum;
import org.jspecify.annotations.Nullable;

/// Writes numbers, texts, values and contexts as a compact, canonical run of bytes.
public final class Encoder {
  static final int NULL = 0;
  static final int FALSE = 1;
  static final int TRUE = 2;
  static final int LONG = 3;
  static final int DOUBLE = 4;
  static final int DECIMAL = 5;
  static final int TEXT = 6;
  static final int BYTES = 7;
  static final int LIST = 8;
  static final int MAP = 9;

  /// Small natural numbers are one byte: the tag plus the number.
  static final int SMALL = 16;

  static final int SMALL_END = 240;

  private static final int ROOM = 256;

  private byte[] buffer;
  private int length;

  public Encoder() {
    this(ROOM);
  }

  /// With room for so many bytes; more find theirs.
  public Encoder(int room) {
    buffer = new byte[Math.max(1, room)];
  }

  public byte[] toBytes() {
    return Arrays.copyOf(buffer, length);
  }

  public int length() {
    return length;
  }

  /// The bytes written so far are the first [#length] of this array, until more is written. It must
  /// not be changed.
  public byte[] array() {
    return buffer;
  }

  /// Copies everything written so far to a place in an array.
  public void copyTo(byte[] target, int at) {
    System.arraycopy(buffer, 0, target, at, length);
  }

  /// Begins again with nothing.
  public void clear() {
    length = 0;
  }

  /// Forgets everything behind a length.
  public void truncate(int to) {
    length = Math.min(length, to);
  }

  public void octet(int value) {
    if (length == buffer.length) {
      buffer = Arrays.copyOf(buffer, length * 2);
    }
    buffer[length++] = (byte) value;
  }

  /// A natural number in seven-bit groups, the lowest first.
  public void natural(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      octet((int) (rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    octet((int) rest);
  }

  /// Any whole number, small magnitudes first.
  public void whole(long value) {
    natural((value << 1) ^ (value >> 63));
  }

  public void fixed(long value) {
    for (int shift = 56; shift >= 0; shift -= 8) {
      octet((int) (value >>> shift));
    }
  }

  public void flag(boolean value) {
    octet(value ? 1 : 0);
  }

  public void raw(byte[] bytes) {
    raw(bytes, bytes.length);
  }

  /// Everything that another one has written.
  public void raw(Encoder other) {
    raw(other.buffer, other.length);
  }

  private void reserve(int count) {
    if (length + count > buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + count));
    }
  }

  private void raw(byte[] bytes, int count) {
    reserve(count);
    System.arraycopy(bytes, 0, buffer, length, count);
    length += count;
  }

  /// Adds everything written so far to a checksum.
  public void addTo(Checksum checksum) {
    checksum.update(buffer, 0, length);
  }

  public void raw(Bytes bytes) {
    raw(bytes.content(), bytes.length());
  }

  public void text(String text) {
    int size = text.length();
    int begin = length;
    natural(size);
    reserve(size);
    copy(text, size);
    int all = 0;
    for (int i = 0; i < size; i++) {
      all |= text.charAt(i);
    }
    length += size;
    if (all >= 0x80) {
      length = begin;
      wideText(text);
    }
  }

  /// Of plain characters the platform copies many at a time, and straight into the buffer.
  @SuppressWarnings("deprecation") // the lower half of each character is all there is
  private void copy(String text, int size) {
    text.getBytes(0, size, buffer, length);
  }

  private void wideText(String text) {
    byte[] bytes =
        Surrogates.areUnpaired(text)
            ? Surrogates.encode(text)
            : text.getBytes(StandardCharsets.UTF_8);
    natural(bytes.length);
    raw(bytes);
  }

  public void context(Context context) {
    natural(context.size());
    context.forEach((key, value) -> {
      text(key);
      value(value);
    });
  }

  /// A canonical value of [Values].
  public void value(@Nullable Object value) {
    switch (value) {
      case null -> octet(NULL);
      case Boolean flag -> octet(flag ? TRUE : FALSE);
      case Long number -> number(number);
      case Double number -> {
        octet(DOUBLE);
        fixed(Double.doubleToLongBits(number));
      }
      case BigDecimal number -> {
        octet(DECIMAL);
        byte[] digits = number.unscaledValue().toByteArray();
        whole(number.scale());
        natural(digits.length);
        raw(digits);
      }
      case String text -> {
        octet(TEXT);
        text(text);
      }
      case Bytes bytes -> {
        octet(BYTES);
        natural(bytes.length());
        raw(bytes);
      }
      case List<?> items -> {
        octet(LIST);
        natural(items.size());
        for (Object item : items) {
          value(item);
        }
      }
      case Map<?, ?> entries -> {
        octet(MAP);
        natural(entries.size());
        for (Map.Entry<?, ?> entry : entries.entrySet()) {
          text((String) entry.getKey());
          value(entry.getValue());
        }
      }
      default -> throw new IllegalArgumentException("not a context value: " + value.getClass());
    }
  }

  private void number(long number) {
    if (number >= 0 && number < SMALL_END - SMALL) {
      octet(SMALL + (int) number);
    } else {
      octet(LONG);
      whole(number);
    }
  }
}
