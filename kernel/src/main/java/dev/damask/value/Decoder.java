package dev.damask.value;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Reads what [Encoder] wrote and refuses everything else with a [DamagedBytes].
public final class Decoder {
  private static final char REPLACEMENT = '\uFFFD';

  private final byte[] bytes;
  private final int end;
  private int position;

  public Decoder(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  public Decoder(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.position = from;
    this.end = to;
  }

  /// The bytes are not what the encoder wrote.
  public static final class DamagedBytes extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DamagedBytes(String message) {
      super(message);
    }
  }

  /// Returns the exception for wrong bytes at the current position.
  public DamagedBytes damaged(String what) {
    return new DamagedBytes("corrupt bytes at offset " + position + ": " + what);
  }

  /// Returns whether all bytes have been read.
  public boolean atEnd() {
    return position == end;
  }

  /// Throws [DamagedBytes] unless all bytes have been read.
  public void requireEnd() {
    if (!atEnd()) {
      throw damaged("there is more than there should be");
    }
  }

  /// Returns the offset of the next byte.
  public int position() {
    return position;
  }

  /// Reads one byte as a number from 0 to 255.
  public int octet() {
    if (position >= end) {
      throw damaged("the data ends too early");
    }
    return bytes[position++] & 0xFF;
  }

  /// Reads a natural number.
  public long natural() {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      int group = octet();
      value |= (long) (group & 0x7F) << shift;
      if (group < 0x80) {
        return value;
      }
    }
    throw damaged("a number has too many digits");
  }

  /// Reads a count of items that take at least one byte each, so it cannot exceed the bytes left.
  public int count() {
    long value = natural();
    if (value < 0 || value > end - position) {
      throw damaged("a length of " + value + " with " + (end - position) + " bytes left");
    }
    return (int) value;
  }

  /// Reads a natural number below a bound.
  public int below(int bound) {
    long value = natural();
    if (value < 0 || value >= bound) {
      throw damaged("expected a number below " + bound + ", found " + value);
    }
    return (int) value;
  }

  /// Reads a constant that is stored by its number.
  public <E extends Numbered> E oneOf(List<E> byNumber) {
    return oneOf(byNumber, natural());
  }

  /// Returns the constant with a number that has been read.
  public <E extends Numbered> E oneOf(List<E> byNumber, long number) {
    if (number < 0 || number >= byNumber.size()) {
      throw damaged("expected a number below " + byNumber.size() + ", found " + number);
    }
    return byNumber.get((int) number);
  }

  /// Reads an integer.
  public long whole() {
    long value = natural();
    return (value >>> 1) ^ -(value & 1);
  }

  /// Reads eight bytes, the highest first.
  public long fixed() {
    long value = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      value = value << 8 | octet();
    }
    return value;
  }

  /// Reads a boolean.
  public boolean flag() {
    return below(2) == 1;
  }

  /// Reads a number of bytes.
  public byte[] raw(int length) {
    if (length < 0 || length > end - position) {
      throw damaged("the data ends too early");
    }
    byte[] part = java.util.Arrays.copyOfRange(bytes, position, position + length);
    position += length;
    return part;
  }

  /// Reads a string.
  public String text() {
    byte[] part = raw(count());
    String text = new String(part, StandardCharsets.UTF_8);
    if (text.indexOf(REPLACEMENT) < 0) {
      return text;
    }
    // Either the replacement character itself, or an unpaired surrogate, or damage.
    String exact = Surrogates.decode(part);
    if (exact == null) {
      throw damaged("a string is not UTF-8");
    }
    return exact;
  }

  /// Reads a context. Its keys must be in order.
  public Context context() {
    int size = count();
    Context context = Context.empty();
    String last = null;
    for (int i = 0; i < size; i++) {
      String key = text();
      if (last != null && last.compareTo(key) >= 0) {
        throw damaged("keys are not in order");
      }
      last = key;
      context = context.with(key, value());
    }
    return context;
  }

  /// Reads a value.
  public @Nullable Object value() {
    return value(0);
  }

  private @Nullable Object value(int depth) {
    int tag = octet();
    if (tag >= Encoder.SMALL && tag < Encoder.SMALL_END) {
      return (long) tag - Encoder.SMALL;
    }
    return switch (tag) {
      case Encoder.NULL -> null;
      case Encoder.FALSE -> false;
      case Encoder.TRUE -> true;
      case Encoder.LONG -> whole();
      case Encoder.DOUBLE -> Double.longBitsToDouble(fixed());
      case Encoder.DECIMAL -> decimal();
      case Encoder.TEXT -> text();
      case Encoder.BYTES -> Bytes.of(raw(count()));
      case Encoder.LIST -> list(deeper(depth));
      case Encoder.MAP -> map(deeper(depth));
      default -> throw damaged("an unknown kind of value, " + tag);
    };
  }

  private int deeper(int depth) {
    if (depth >= Values.NESTING_MAX) {
      throw damaged("a value nests deeper than " + Values.NESTING_MAX);
    }
    return depth + 1;
  }

  private BigDecimal decimal() {
    long scale = whole();
    byte[] digits = raw(count());
    if (digits.length == 0 || scale < Integer.MIN_VALUE || scale > Integer.MAX_VALUE) {
      throw damaged("a decimal is malformed");
    }
    try {
      return Values.decimal(new BigDecimal(new BigInteger(digits), (int) scale));
    } catch (IllegalArgumentException e) {
      throw damaged(String.valueOf(e.getMessage()));
    }
  }

  private List<@Nullable Object> list(int depth) {
    int size = count();
    // A corrupt size is not believed: it costs no memory before its items are there.
    List<@Nullable Object> items = new ArrayList<>(Math.min(size, 16));
    for (int i = 0; i < size; i++) {
      items.add(value(depth));
    }
    return items;
  }

  private Map<String, @Nullable Object> map(int depth) {
    int size = count();
    TreeMap<String, @Nullable Object> entries = new TreeMap<>();
    for (int i = 0; i < size; i++) {
      String key = text();
      if (!entries.isEmpty() && entries.lastKey().compareTo(key) >= 0) {
        throw damaged("keys are not in order");
      }
      entries.put(key, value(depth));
    }
    return entries;
  }
}
