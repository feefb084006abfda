package dev.damask.exec;

import dev.damask.encoding.Hashing;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.Encoder;
import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Contexts outside of a state, such as payloads of inputs and results in receipts. A value that a
/// state would store by itself is referred to by the same hash, so that a case stores it once.
public final class SharedContexts {
  private static final int INLINE = 0;
  private static final int SHARED = 1;

  /// The hashes of values are the same in all cases of a store.
  private static final StateLog.CaseKey ANY_CASE = new StateLog.CaseKey("", 0);

  /// How many bytes a number, a boolean or the head of a string, list or map needs at most.
  private static final int HEAD_BYTES = 12;

  private static final int CHARACTER_BYTES = 3;

  private final StateLog.CaseKey key;
  private final List<SharedValue> used = new ArrayList<>();
  private @Nullable Hashing hashing; // null until the first large value

  /// Creates a writer or reader for contexts of any case.
  public SharedContexts() {
    this(ANY_CASE);
  }

  /// Returns whether a context has a value that is stored by itself.
  public static boolean hasLarge(Context context) {
    boolean[] isFound = new boolean[1];
    context.forEach((_, value) -> isFound[0] |= isLarge(value));
    return isFound[0];
  }

  private static boolean isLarge(@Nullable Object value) {
    if (bytesAtMost(value) < Hashing.SHARED_MIN) {
      return false;
    }
    Encoder scratch = new Encoder(2 * Hashing.SHARED_MIN);
    scratch.value(value);
    return scratch.length() >= Hashing.SHARED_MIN;
  }

  /// A bound on the encoded size, which is cheaper than encoding. It stops counting when the value
  /// may be large.
  private static int bytesAtMost(@Nullable Object value) {
    return switch (value) {
      case null -> HEAD_BYTES;
      case Boolean _, Long _, Double _ -> HEAD_BYTES;
      case String text when text.length() < Hashing.SHARED_MIN ->
          HEAD_BYTES + CHARACTER_BYTES * text.length();
      case List<?> list when list.size() < Hashing.SHARED_MIN -> {
        int sum = HEAD_BYTES;
        for (int i = 0; i < list.size() && sum < Hashing.SHARED_MIN; i++) {
          sum += bytesAtMost(list.get(i));
        }
        yield sum;
      }
      case Map<?, ?> map when map.size() < Hashing.SHARED_MIN -> {
        int sum = HEAD_BYTES;
        for (Map.Entry<?, ?> each : map.entrySet()) {
          sum += bytesAtMost(each.getKey()) + bytesAtMost(each.getValue());
          if (sum >= Hashing.SHARED_MIN) {
            break;
          }
        }
        yield sum;
      }
      case BigDecimal number -> 2 * HEAD_BYTES + number.unscaledValue().bitLength();
      default -> Hashing.SHARED_MIN;
    };
  }

  /// Creates a writer or reader for the contexts of a case.
  public SharedContexts(StateLog.CaseKey key) {
    this.key = key;
  }

  /// Writes a context.
  public void write(Encoder out, Context context) {
    out.natural(context.size());
    context.forEach((name, value) -> {
      out.text(name);
      value(out, value);
    });
  }

  /// Writes one value.
  public void value(Encoder out, @Nullable Object value) {
    Encoder scratch = new Encoder(64);
    scratch.value(value);
    if (scratch.length() < Hashing.SHARED_MIN) {
      out.octet(INLINE);
      out.raw(scratch);
      return;
    }
    byte[] bytes = scratch.toBytes();
    Sum hash = hashing().shared(bytes, bytes.length);
    out.octet(SHARED);
    hash.write(out);
    used.add(new SharedValue(hash, bytes));
  }

  /// Returns the values that were referred to, which must be stored.
  public List<SharedValue> used() {
    return List.copyOf(used);
  }

  /// Reads a context. Throws [DamagedBytes] if a value is missing or corrupt.
  public Context read(Decoder in, SharedValue.Source source) {
    Context context = Context.empty();
    for (int left = in.count(); left > 0; left--) {
      String name = in.text();
      context = context.with(name, value(in, source));
    }
    return context;
  }

  /// Reads one value. Throws [DamagedBytes] if it is missing or corrupt.
  public @Nullable Object value(Decoder in, SharedValue.Source source) {
    if (in.below(2) == INLINE) {
      return in.value();
    }
    Sum hash = Sum.read(in);
    byte[] bytes = source.get(hash);
    if (bytes == null) {
      throw new DamagedBytes("value " + hash + " is missing");
    }
    if (!hashing().shared(bytes, bytes.length).equals(hash)) {
      throw new DamagedBytes("value " + hash + " is corrupt");
    }
    Decoder shared = new Decoder(bytes);
    Object value = shared.value();
    shared.requireEnd();
    return value;
  }

  private Hashing hashing() {
    if (hashing == null) {
      hashing = new Hashing(key.caseId(), key.valueKey());
    }
    return Objects.requireNonNull(hashing);
  }
}
