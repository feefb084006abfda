package dev.damask.exec;

import dev.damask.encoding.Hashing;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.Encoder;
import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Contexts outside of a state, such as payloads of inputs. A value that a state would store by
/// itself is referred to by the same hash, so that a case stores it once.
public final class SharedContexts {
  private static final int INLINE = 0;
  private static final int SHARED = 1;

  private final StateLog.CaseKey key;
  private final List<SharedValue> used = new ArrayList<>();
  private @Nullable Hashing hashing; // null until the first large value

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
      throw new DamagedBytes("value " + hash + " is damaged");
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
