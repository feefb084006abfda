package dev.damask.effect;

import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.Numbered;
import java.util.List;

/// The committed plan to perform an effect. It is durable before the call and goes with the receipt
/// that ends the task.
///
/// @param token the number of the token that waits
/// @param attempt the last attempt it was committed for
/// @param userKey whether the key is the user's and so shared by all effects that name it
/// @param with the payload, with markers in the place of secrets
/// @param sent whether a handler may have been called; false while nobody but the outside answers
/// @param held what it waits for before it is sent
/// @param dueMillis when the time for a decision, a sleep or a call is up; [#NEVER] when there is
///   no limit
/// @param sentMillis when the last attempt was committed to be sent; 0 while none was, and in an
///   intent that an older version wrote
/// @param unknown whether an attempt may have reached the outside without an answer
public record EffectIntent(
    EffectId id,
    int token,
    String task,
    int attempt,
    String type,
    String key,
    boolean userKey,
    Delivery delivery,
    Context with,
    boolean sent,
    boolean unknown,
    Held held,
    long dueMillis,
    long sentMillis) {
  public static final long NEVER = Long.MAX_VALUE;

  private static final int USER_KEY = 1;
  private static final int SENT = 2;
  private static final int UNKNOWN = 4;
  private static final int DUE = 8;
  private static final int HELD_SHIFT = 4;
  private static final int SENT_AT = 64;

  /// Without the time it was sent.
  public EffectIntent(
      EffectId id,
      int token,
      String task,
      int attempt,
      String type,
      String key,
      boolean userKey,
      Delivery delivery,
      Context with,
      boolean sent,
      boolean unknown,
      Held held,
      long dueMillis) {
    this(
        id, token, task, attempt, type, key, userKey, delivery, with, sent, unknown, held,
        dueMillis, 0);
  }

  /// What keeps an effect from being sent.
  public enum Held implements Numbered {
    NOT(0),
    /// It waits for a decision.
    FOR_DECISION(1),
    /// It was approved and may be sent.
    APPROVED(2),
    /// It only waits for a time.
    FOR_TIME(3);

    private static final List<Held> BY_NUMBER = Numbered.ordered(values());

    private final int number;

    Held(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }

    public static List<Held> byNumber() {
      return BY_NUMBER;
    }
  }

  /// The same for another token: what was withdrawn may be wanted again.
  public EffectIntent forToken(int number) {
    return new EffectIntent(
        id,
        number,
        task,
        attempt,
        type,
        key,
        userKey,
        delivery,
        with,
        sent,
        unknown,
        held,
        dueMillis,
        sentMillis);
  }

  /// The same for another attempt.
  ///
  /// @param now when it is sent, if it is
  public EffectIntent forAttempt(int number, boolean isSent, long now) {
    return new EffectIntent(
        id,
        token,
        task,
        number,
        type,
        key,
        userKey,
        delivery,
        with,
        sent || isSent,
        unknown,
        held,
        dueMillis,
        isSent ? now : sentMillis);
  }

  /// The same, in another state of its approval.
  public EffectIntent withHeld(Held state, long due) {
    return new EffectIntent(
        id,
        token,
        task,
        attempt,
        type,
        key,
        userKey,
        delivery,
        with,
        sent,
        unknown,
        state,
        due,
        sentMillis);
  }

  /// Whether there is nothing to send yet.
  public boolean isHeld() {
    return held == Held.FOR_DECISION || held == Held.FOR_TIME;
  }

  /// The same after an attempt without an answer.
  public EffectIntent withUnknown() {
    return new EffectIntent(
        id,
        token,
        task,
        attempt,
        type,
        key,
        userKey,
        delivery,
        with,
        sent,
        true,
        held,
        dueMillis,
        sentMillis);
  }

  /// What a receipt says about this effect, before there is a result.
  public Receipt.Body receipt() {
    return receipt(new Receipt.Result.Cancelled(), 0);
  }

  /// The receipt of this effect.
  public Receipt.Body receipt(Receipt.Result result, long now) {
    long duration =
        sent && sentMillis > 0 && now >= sentMillis ? now - sentMillis : Receipt.Body.UNKNOWN;
    return new Receipt.Body(
        id, task, type, key, attempt, now, result, Receipt.hash(type, with), duration);
  }

  public byte[] encode() {
    Encoder out = new Encoder();
    write(out);
    return out.toBytes();
  }

  /// As [#encode], behind what has been written before.
  public void write(Encoder out) {
    out.fixed(id.lineage());
    out.natural(token);
    out.text(task);
    out.natural(attempt);
    out.text(type);
    out.text(key);
    out.octet(delivery.number());
    boolean isLimited = dueMillis != NEVER;
    out.octet(
        (userKey ? USER_KEY : 0)
            | (sent ? SENT : 0)
            | (unknown ? UNKNOWN : 0)
            | (isLimited ? DUE : 0)
            | (sentMillis > 0 ? SENT_AT : 0)
            | held.number() << HELD_SHIFT);
    if (isLimited) {
      out.whole(dueMillis);
    }
    if (sentMillis > 0) {
      out.whole(sentMillis);
    }
    out.context(with);
  }

  public static EffectIntent decode(byte[] bytes) {
    Decoder in = new Decoder(bytes);
    EffectIntent intent = read(in);
    in.requireEnd();
    return intent;
  }

  /// As [#decode], with something else behind it.
  public static EffectIntent read(Decoder in) {
    EffectId id = new EffectId(in.fixed());
    int token = in.below(Integer.MAX_VALUE);
    String task = in.text();
    int attempt = in.below(Integer.MAX_VALUE);
    String type = in.text();
    String key = in.text();
    Delivery delivery = in.oneOf(Delivery.byNumber());
    int flags = in.below(SENT_AT << 1);
    long due = (flags & DUE) != 0 ? in.whole() : NEVER;
    long sentAt = (flags & SENT_AT) != 0 ? in.whole() : 0;
    Held held = Held.byNumber().get((flags & ~SENT_AT) >> HELD_SHIFT);
    Context with = in.context();
    return new EffectIntent(
        id,
        token,
        task,
        attempt,
        type,
        key,
        (flags & USER_KEY) != 0,
        delivery,
        with,
        (flags & SENT) != 0,
        (flags & UNKNOWN) != 0,
        held,
        due,
        sentAt);
  }
}
