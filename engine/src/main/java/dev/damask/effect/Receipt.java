package dev.damask.effect;

import dev.damask.task.Bytes;
import dev.damask.task.Context;
import dev.damask.task.Decoder;
import dev.damask.task.EffectId;
import dev.damask.task.Encoder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// The lasting record of what became of an effect. The receipts of a case are numbered from 1 and
/// linked: the hash of each covers the hash of the one before.
public record Receipt(long number, Body body, Bytes hash) {
  /// What the first receipt of a case is linked to.
  public static final Bytes ORIGIN = Bytes.of();

  /// Only copied, never fed.
  private static final MessageDigest SHA256 = lookUp();

  /// What happened, to which effect, when.
  public record Body(
      EffectId effect,
      String task,
      String type,
      String key,
      int attempt,
      long atMillis,
      Result result) {}

  /// How it ended.
  public sealed interface Result {
    record Ok(Context result) implements Result {}

    record Failed(String reason, String detail) implements Result {}

    /// Withdrawn: a scope was cancelled, or the time of the attempt was up.
    record Cancelled() implements Result {}

    /// A result for a task that had been withdrawn; it changed nothing.
    record Late(Context result) implements Result {}

    /// A second result, or the result of another effect with the same key.
    ///
    /// @param origin the receipt it repeats, as `case#number`
    record Duplicate(String origin, Context result) implements Result {}

    /// It was sent and nobody can know with what outcome.
    record Indeterminate() implements Result {}

    /// Somebody decided that it may be sent.
    record Approved(String by) implements Result {}

    /// It was never sent.
    record Refused(String reason) implements Result {}
  }

  /// The receipt that follows one with the given hash.
  public static Receipt after(Bytes previous, long number, Body body) {
    return new Receipt(number, body, link(previous, number, body));
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

  static Bytes link(Bytes previous, long number, Body body) {
    Encoder out = new Encoder();
    out.raw(previous);
    write(out, number, body);
    return Bytes.of(sha256().digest(out.toBytes()));
  }

  public byte[] encode() {
    Encoder out = new Encoder();
    write(out);
    return out.toBytes();
  }

  /// As [#encode], behind what has been written before.
  public void write(Encoder out) {
    out.natural(hash.length());
    out.raw(hash);
    write(out, number, body);
  }

  public static Receipt decode(byte[] bytes) {
    Decoder in = new Decoder(bytes);
    Bytes hash = Bytes.of(in.raw(in.count()));
    long number = in.natural();
    Body body =
        new Body(
            new EffectId(in.fixed()),
            in.text(),
            in.text(),
            in.text(),
            in.below(Integer.MAX_VALUE),
            in.whole(),
            result(in));
    in.requireEnd();
    return new Receipt(number, body, hash);
  }

  private static void write(Encoder out, long number, Body body) {
    out.natural(number);
    out.fixed(body.effect.lineage());
    out.text(body.task);
    out.text(body.type);
    out.text(body.key);
    out.natural(body.attempt);
    out.whole(body.atMillis);
    switch (body.result) {
      case Result.Ok(var result) -> {
        out.octet(0);
        out.context(result);
      }
      case Result.Failed(var reason, var detail) -> {
        out.octet(1);
        out.text(reason);
        out.text(detail);
      }
      case Result.Cancelled() -> out.octet(2);
      case Result.Late(var result) -> {
        out.octet(3);
        out.context(result);
      }
      case Result.Duplicate(var origin, var result) -> {
        out.octet(4);
        out.text(origin);
        out.context(result);
      }
      case Result.Indeterminate() -> out.octet(5);
      case Result.Refused(var reason) -> {
        out.octet(6);
        out.text(reason);
      }
      case Result.Approved(var by) -> {
        out.octet(7);
        out.text(by);
      }
    }
  }

  private static Result result(Decoder in) {
    int kind = in.octet();
    return switch (kind) {
      case 0 -> new Result.Ok(in.context());
      case 1 -> new Result.Failed(in.text(), in.text());
      case 2 -> new Result.Cancelled();
      case 3 -> new Result.Late(in.context());
      case 4 -> new Result.Duplicate(in.text(), in.context());
      case 5 -> new Result.Indeterminate();
      case 6 -> new Result.Refused(in.text());
      case 7 -> new Result.Approved(in.text());
      default -> throw in.damaged("the kind of a receipt");
    };
  }
}
