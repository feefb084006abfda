package dev.damask.effect;

import dev.damask.exec.SharedContexts;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.SharedValue;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The durable record of what happened to an effect. The receipts of a case are numbered from 1 and
/// linked: the hash of each covers the hash of the one before.
///
/// @param isShared whether large values of its result are stored by themselves and covered by their
///   hashes; receipts of older versions contain them
public record Receipt(long number, Body body, Bytes hash, boolean isShared) {
  /// The hash that the first receipt of a case is linked to.
  public static final Bytes ORIGIN = Bytes.of();

  private static final int SPEC_BYTES = 16;

  /// Beside the kind of a result: a specification and a duration follow. Receipts without them keep
  /// the bytes, and so the hash, that older versions gave them.
  private static final int EXTENDED = 16;

  /// Beside the kind of a result: large values are referred to by their hashes.
  private static final int SHARED = 32;

  /// Creates a receipt that contains all of its values.
  public Receipt(long number, Body body, Bytes hash) {
    this(number, body, hash, false);
  }

  /// Only copied, never fed.
  private static final MessageDigest SHA256 = lookUp();

  /// What happened, to which effect, when.
  ///
  /// @param effect the effect, in the attempt that ended
  /// @param atMillis when the result was received
  /// @param result how the attempt ended
  /// @param spec the hash of the effect's specification, its type and payload; empty in a receipt
  ///   that an older version wrote
  /// @param durationMillis from the call until the result; [#UNKNOWN] if there was no call, or an
  ///   older version wrote the receipt
  public record Body(Effect effect, long atMillis, Result result, Bytes spec, long durationMillis)
      implements Effect.Embedded {
    /// The duration of an attempt without a call.
    public static final long UNKNOWN = -1;

    /// Creates a body as older versions wrote it.
    public Body(Effect effect, long atMillis, Result result) {
      this(effect, atMillis, result, Bytes.of(), UNKNOWN);
    }

    /// Returns what is known of an effect from its call, before there is a result.
    public static Body about(EffectCall call) {
      return new Body(
          call.effect(), 0, new Result.Cancelled(), hash(call.type(), call.with()), UNKNOWN);
    }

    /// Returns the same effect with another result, which came at another time.
    public Body with(Result other, long millis) {
      return new Body(effect, millis, other, spec, UNKNOWN);
    }

    private boolean isExtended() {
      return spec.length() > 0 || durationMillis != UNKNOWN;
    }
  }

  /// Returns the hash of a specification: 16 bytes of SHA-256 over type and payload, secrets as
  /// markers.
  public static Bytes hash(String type, Context with) {
    Encoder out = new Encoder();
    out.text(type);
    out.context(with);
    return Bytes.of(Arrays.copyOf(sha256().digest(out.toBytes()), SPEC_BYTES));
  }

  /// How an effect ended.
  public sealed interface Result {
    /// It has a result.
    record Ok(Context result) implements Result {}

    /// The attempt failed.
    record Failed(String reason, String detail) implements Result {}

    /// It was cancelled: a scope was cancelled, or the time of the attempt was up.
    record Cancelled() implements Result {}

    /// A result for a task that had been cancelled; it changed nothing.
    record Late(Context result) implements Result {}

    /// A second result, or the result of another effect with the same key.
    ///
    /// @param origin the receipt it repeats, as `case#number`
    record Duplicate(String origin, Context result) implements Result {}

    /// It was sent, and its outcome cannot be known.
    record Indeterminate() implements Result {}

    /// An approver decided that it may be sent.
    record Approved(String by) implements Result {}

    /// It was never sent.
    record Refused(String reason) implements Result {}

    /// Returns what the effect returned; empty if there is no result.
    default Context context() {
      return switch (this) {
        case Ok(var result) -> result;
        case Late(var result) -> result;
        case Duplicate(_, var result) -> result;
        case Failed _, Cancelled _, Indeterminate _, Approved _, Refused _ -> Context.empty();
      };
    }
  }

  /// Returns the values of the result that must be stored with the receipt.
  public List<SharedValue> values() {
    if (!isShared) {
      return List.of();
    }
    SharedContexts contexts = new SharedContexts();
    contexts.write(new Encoder(), body.result.context());
    return contexts.used();
  }

  /// Returns the receipt that follows one with the given hash.
  public static Receipt after(Bytes previous, long number, Body body) {
    boolean isShared = SharedContexts.hasLarge(body.result.context());
    return new Receipt(number, body, link(previous, number, body, isShared), isShared);
  }

  /// A copy, which spares the look-up among the providers of security.
  private static MessageDigest sha256() {
    try {
      return (MessageDigest) SHA256.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("the SHA-256 of this platform cannot be copied", e);
    }
  }

  private static MessageDigest lookUp() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /// Returns the hash that the receipt must have after one with the given hash.
  Bytes linked(Bytes previous) {
    return link(previous, number, body, isShared);
  }

  private static Bytes link(Bytes previous, long number, Body body, boolean isShared) {
    Encoder out = new Encoder();
    out.raw(previous);
    write(out, number, body, isShared);
    return Bytes.of(sha256().digest(out.toBytes()));
  }

  /// Returns the stored form of the receipt.
  public byte[] encode() {
    Encoder out = new Encoder();
    write(out);
    return out.toBytes();
  }

  /// Appends the stored form of the receipt.
  public void write(Encoder out) {
    out.natural(hash.length());
    out.raw(hash);
    write(out, number, body, isShared);
  }

  /// Reads what [#encode] returned. Throws `DamagedBytes` if it is not a receipt, or if a value is
  /// missing or corrupt.
  ///
  /// @param values the values of its case
  public static Receipt decode(byte[] bytes, SharedValue.Source values) {
    Decoder in = new Decoder(bytes);
    Bytes hash = Bytes.of(in.raw(in.count()));
    long number = in.natural();
    EffectId id = new EffectId(in.fixed());
    String task = in.text();
    String type = in.text();
    String key = in.text();
    int attempt = in.below(Integer.MAX_VALUE);
    long at = in.whole();
    int kind = in.octet();
    boolean isShared = (kind & SHARED) != 0;
    Result result = result(kind & ~(EXTENDED | SHARED), in, isShared ? values : null);
    boolean isExtended = (kind & EXTENDED) != 0;
    Bytes spec = isExtended ? Bytes.of(in.raw(in.count())) : Bytes.of();
    long duration = isExtended ? in.whole() : Body.UNKNOWN;
    Effect effect = new Effect(id, task, attempt, type, key);
    Body body = new Body(effect, at, result, spec, duration);
    in.requireEnd();
    return new Receipt(number, body, hash, isShared);
  }

  private static void write(Encoder out, long number, Body body, boolean isShared) {
    out.natural(number);
    out.fixed(body.id().lineage());
    out.text(body.task());
    out.text(body.type());
    out.text(body.key());
    out.natural(body.attempt());
    out.whole(body.atMillis);
    int flags = (body.isExtended() ? EXTENDED : 0) | (isShared ? SHARED : 0);
    write(out, flags, body.result);
    if (body.isExtended()) {
      out.natural(body.spec.length());
      out.raw(body.spec);
      out.whole(body.durationMillis);
    }
  }

  private static void write(Encoder out, int flags, Result kept) {
    switch (kept) {
      case Result.Ok(var result) -> {
        out.octet(flags);
        context(out, flags, result);
      }
      case Result.Failed(var reason, var detail) -> {
        out.octet(1 | flags);
        out.text(reason);
        out.text(detail);
      }
      case Result.Cancelled() -> out.octet(2 | flags);
      case Result.Late(var result) -> {
        out.octet(3 | flags);
        context(out, flags, result);
      }
      case Result.Duplicate(var origin, var result) -> {
        out.octet(4 | flags);
        out.text(origin);
        context(out, flags, result);
      }
      case Result.Indeterminate() -> out.octet(5 | flags);
      case Result.Refused(var reason) -> {
        out.octet(6 | flags);
        out.text(reason);
      }
      case Result.Approved(var by) -> {
        out.octet(7 | flags);
        out.text(by);
      }
    }
  }

  private static void context(Encoder out, int flags, Context result) {
    if ((flags & SHARED) != 0) {
      new SharedContexts().write(out, result);
    } else {
      out.context(result);
    }
  }

  private static Context context(Decoder in, SharedValue.@Nullable Source values) {
    return values == null ? in.context() : new SharedContexts().read(in, values);
  }

  private static Result result(int kind, Decoder in, SharedValue.@Nullable Source values) {
    return switch (kind) {
      case 0 -> new Result.Ok(context(in, values));
      case 1 -> new Result.Failed(in.text(), in.text());
      case 2 -> new Result.Cancelled();
      case 3 -> new Result.Late(context(in, values));
      case 4 -> new Result.Duplicate(in.text(), context(in, values));
      case 5 -> new Result.Indeterminate();
      case 6 -> new Result.Refused(in.text());
      case 7 -> new Result.Approved(in.text());
      default -> throw in.damaged("the kind of a receipt");
    };
  }
}
