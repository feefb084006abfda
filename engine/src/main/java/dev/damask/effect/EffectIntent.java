package dev.damask.effect;

import dev.damask.task.Context;
import dev.damask.task.Decoder;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.task.Encoder;

/// The committed plan to perform an effect. It is durable before the call and goes with the receipt
/// that ends the task.
///
/// @param token the number of the token that waits
/// @param attempt the last attempt it was committed for
/// @param userKey whether the key is the user's and so shared by all effects that name it
/// @param with the payload, with markers in the place of secrets
/// @param sent whether a handler may have been called; false while nobody but the outside answers
/// @param held what it waits for before it is sent
/// @param dueMillis when the time for a decision is up; [#NEVER] when there is no limit
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
    long dueMillis) {
  public static final long NEVER = Long.MAX_VALUE;

  private static final int USER_KEY = 1;
  private static final int SENT = 2;
  private static final int UNKNOWN = 4;
  private static final int DUE = 8;
  private static final int HELD_SHIFT = 4;

  /// What keeps an effect from being sent.
  public enum Held {
    NOT,
    /// It waits for a decision.
    FOR_DECISION,
    /// It was approved and may be sent.
    APPROVED,
    /// It only waits for a time.
    FOR_TIME
  }

  /// The same for another token: what was withdrawn may be wanted again.
  public EffectIntent forToken(int number) {
    return new EffectIntent(
        id, number, task, attempt, type, key, userKey, delivery, with, sent, unknown, held,
        dueMillis);
  }

  /// The same for another attempt.
  public EffectIntent forAttempt(int number, boolean isSent) {
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
        dueMillis);
  }

  /// The same, in another state of its approval.
  public EffectIntent withHeld(Held state, long due) {
    return new EffectIntent(
        id, token, task, attempt, type, key, userKey, delivery, with, sent, unknown, state, due);
  }

  /// Whether there is nothing to send yet.
  public boolean isHeld() {
    return held == Held.FOR_DECISION || held == Held.FOR_TIME;
  }

  /// The same after an attempt without an answer.
  public EffectIntent withUnknown() {
    return new EffectIntent(
        id, token, task, attempt, type, key, userKey, delivery, with, sent, true, held, dueMillis);
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
    out.octet(delivery.ordinal());
    boolean isLimited = dueMillis != NEVER;
    out.octet(
        (userKey ? USER_KEY : 0)
            | (sent ? SENT : 0)
            | (unknown ? UNKNOWN : 0)
            | (isLimited ? DUE : 0)
            | held.ordinal() << HELD_SHIFT);
    if (isLimited) {
      out.whole(dueMillis);
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
    Delivery delivery = Delivery.values()[in.below(Delivery.values().length)];
    int flags = in.below(Held.values().length << HELD_SHIFT);
    long due = (flags & DUE) != 0 ? in.whole() : NEVER;
    Held held = Held.values()[flags >> HELD_SHIFT];
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
        due);
  }
}
