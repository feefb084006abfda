package dev.damask.value;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.Checksum;
import org.jspecify.annotations.Nullable;

/// Writes numbers, strings, values and contexts as a compact, canonical byte sequence.
///
/// A long array is not copied when it is added: the encoder keeps the array, which must not change
/// until the bytes are taken. So the bytes of a state are copied once on their way to a store.
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

  /// An array of at least so many bytes is kept instead of copied.
  public static final int KEPT_MIN = 512;

  private static final int ROOM = 256;
  private static final int ROOM_MIN = 32;
  private static final byte[] NO_BYTES = {};
  private static final List<Kept> NONE = List.of();

  private byte[] buffer;
  private int length; // of the buffer
  private List<Kept> kept = NONE;
  private int keptLength;

  /// An array that is before a position of the buffer.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Kept(int at, byte[] bytes, int count) {}

  /// Receives the bytes of an encoder in order.
  @FunctionalInterface
  public interface Pieces {
    /// Accepts the next bytes.
    ///
    /// @param isKept whether the array stays unchanged; other arrays are valid during this call
    ///   only
    void add(byte[] bytes, int from, int count, boolean isKept);
  }

  /// Creates an encoder with room for a few hundred bytes. It grows as needed.
  public Encoder() {
    this(ROOM);
  }

  /// Creates an encoder with room for a number of bytes. It grows as needed.
  public Encoder(int room) {
    buffer = new byte[Math.max(1, room)];
  }

  /// Returns a copy of everything written so far.
  public byte[] toBytes() {
    if (kept.isEmpty()) {
      return Arrays.copyOf(buffer, length);
    }
    byte[] all = new byte[length()];
    int[] at = {0};
    forEach((bytes, from, count, _) -> {
      System.arraycopy(bytes, from, all, at[0], count);
      at[0] += count;
    });
    return all;
  }

  /// Returns the number of bytes written so far.
  public int length() {
    return length + keptLength;
  }

  /// Passes everything written so far to a receiver.
  public void forEach(Pieces pieces) {
    int from = 0;
    for (Kept each : kept) {
      pieces.add(buffer, from, each.at - from, false);
      pieces.add(each.bytes, 0, each.count, true);
      from = each.at;
    }
    pieces.add(buffer, from, length - from, false);
  }

  /// Returns the array whose first [#length] bytes are those written so far, until more is written.
  /// It must not be changed.
  public byte[] array() {
    flatten();
    return buffer;
  }

  private void flatten() {
    if (!kept.isEmpty()) {
      byte[] all = toBytes();
      buffer = all;
      length = all.length;
      kept = NONE;
      keptLength = 0;
    }
  }

  /// Removes everything written so far.
  public void clear() {
    length = 0;
    kept = NONE;
    keptLength = 0;
  }

  /// Removes everything written so far and frees its memory. The encoder can be used again.
  public void release() {
    clear();
    buffer = NO_BYTES;
  }

  /// Removes everything after a length.
  public void truncate(int to) {
    flatten();
    length = Math.min(length, to);
  }

  /// Writes the lowest eight bits of a number.
  public void octet(int value) {
    if (length == buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.max(ROOM_MIN, length * 2));
    }
    buffer[length++] = (byte) value;
  }

  /// Writes a natural number in seven-bit groups, the lowest first.
  public void natural(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      octet((int) (rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    octet((int) rest);
  }

  /// Writes an integer. Numbers of small magnitude are short.
  public void whole(long value) {
    natural((value << 1) ^ (value >> 63));
  }

  /// Writes eight bytes, the highest first.
  public void fixed(long value) {
    for (int shift = 56; shift >= 0; shift -= 8) {
      octet((int) (value >>> shift));
    }
  }

  /// Writes a boolean as one byte.
  public void flag(boolean value) {
    octet(value ? 1 : 0);
  }

  /// Adds bytes without their length. An array of [#KEPT_MIN] or more bytes must not change until
  /// the bytes of this encoder are taken.
  public void raw(byte[] bytes) {
    raw(bytes, bytes.length);
  }

  /// Adds a copy of everything that another encoder has written, which may be cleared then.
  public void raw(Encoder other) {
    reserve(other.length());
    other.forEach((bytes, from, count, _) -> {
      System.arraycopy(bytes, from, buffer, length, count);
      length += count;
    });
  }

  private void reserve(int count) {
    if (length + count > buffer.length) {
      int room = Math.max(ROOM_MIN, buffer.length * 2);
      buffer = Arrays.copyOf(buffer, Math.max(room, length + count));
    }
  }

  private void raw(byte[] bytes, int count) {
    if (count >= KEPT_MIN) {
      kept = kept.isEmpty() ? new ArrayList<>(2) : kept;
      kept.add(new Kept(length, bytes, count));
      keptLength += count;
      return;
    }
    reserve(count);
    System.arraycopy(bytes, 0, buffer, length, count);
    length += count;
  }

  /// Adds everything written so far to a checksum.
  public void addTo(Checksum checksum) {
    if (kept.isEmpty()) {
      checksum.update(buffer, 0, length);
    } else {
      forEach((bytes, from, count, _) -> checksum.update(bytes, from, count));
    }
  }

  /// Adds bytes without their length.
  public void raw(Bytes bytes) {
    raw(bytes.content(), bytes.length());
  }

  /// Writes a string in UTF-8, after its length. Unpaired surrogates are kept.
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

  /// Writes the entries of a context in the order of their keys.
  public void context(Context context) {
    natural(context.size());
    context.forEach((key, value) -> {
      text(key);
      value(value);
    });
  }

  /// Writes a value in the form that [Values] returns. Throws `IllegalArgumentException` for any
  /// other object.
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
