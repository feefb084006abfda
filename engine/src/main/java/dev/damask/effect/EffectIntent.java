package dev.damask.effect;

import dev.damask.exec.SharedContexts;
import dev.damask.task.Delivery;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.Numbered;
import dev.damask.value.SharedValue;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The committed plan to perform an effect. It is durable before the call. The receipt that ends
/// the task removes it.
///
/// @param effect the effect, in the last attempt that the plan was committed for
/// @param token the number of the token that waits
/// @param userKey whether the key is the user's and so shared by all effects that name it
/// @param delivery how often a handler may be called
/// @param with the payload, with markers in the place of secrets
/// @param sent whether a handler may have been called; false while only a caller can end the task
/// @param unknown whether an attempt may have reached the external system without a result
/// @param held what the effect waits for before it is sent
/// @param dueMillis when the time for a decision, a sleep or a call is up; [#NEVER] when there is
///   no limit
/// @param sentMillis when the last attempt was committed to be sent; 0 while none was, and in an
///   intent that an older version wrote
/// @param pause why no attempt is in progress; null while nothing keeps the effect waiting
/// @param step whether the effect is a step of the script that the token waits for
/// @param isShared whether large values of the payload are stored by themselves
public record EffectIntent(
    Effect effect,
    int token,
    boolean userKey,
    Delivery delivery,
    Context with,
    boolean sent,
    boolean unknown,
    Held held,
    long dueMillis,
    long sentMillis,
    @Nullable Pause pause,
    boolean step,
    boolean isShared)
    implements Effect.Embedded {
  /// The due time of an intent without a time limit.
  public static final long NEVER = Long.MAX_VALUE;

  private static final int USER_KEY = 1;
  private static final int SENT = 2;
  private static final int UNKNOWN = 4;
  private static final int DUE = 8;
  private static final int HELD_SHIFT = 4;
  private static final int HELD_MASK = 3;
  private static final int SENT_AT = 64;
  private static final int PAUSED = 128;

  /// Beside the number of the delivery: the effect is a step of a script.
  private static final int STEP = 16;

  /// Beside the number of the delivery: large values of the payload are referred to by hashes.
  private static final int SHARED = 32;

  /// Returns the plan of an effect that was never sent and waits for nothing.
  public static EffectIntent of(
      Effect effect, int token, boolean userKey, Delivery delivery, Context with) {
    return new EffectIntent(
        effect, token, userKey, delivery, with, false, false, Held.NOT, NEVER, 0, null, false,
        false);
  }

  /// What keeps an effect from being sent.
  public enum Held implements Numbered {
    /// Nothing.
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

    /// Returns the constants in the order of their numbers.
    public static List<Held> byNumber() {
      return BY_NUMBER;
    }
  }

  /// A plan whose parts can still be changed.
  private static final class Draft {
    private Effect effect;
    private int token;
    private boolean sent;
    private boolean unknown;
    private Held held;
    private long dueMillis;
    private long sentMillis;
    private @Nullable Pause pause;
    private boolean step;
    private boolean isShared;

    Draft(EffectIntent of) {
      effect = of.effect;
      token = of.token;
      sent = of.sent;
      unknown = of.unknown;
      held = of.held;
      dueMillis = of.dueMillis;
      sentMillis = of.sentMillis;
      pause = of.pause;
      step = of.step;
      isShared = of.isShared;
    }
  }

  private EffectIntent with(Consumer<Draft> change) {
    Draft next = new Draft(this);
    change.accept(next);
    return new EffectIntent(
        next.effect,
        next.token,
        userKey,
        delivery,
        with,
        next.sent,
        next.unknown,
        next.held,
        next.dueMillis,
        next.sentMillis,
        next.pause,
        next.step,
        next.isShared);
  }

  /// Returns the same plan for another token: a cancelled task may be requested again.
  public EffectIntent forToken(int number) {
    return with(next -> next.token = number);
  }

  /// Returns the same plan for another attempt.
  ///
  /// @param isSent whether the attempt is sent
  /// @param now when it is sent, if it is
  public EffectIntent forAttempt(int number, boolean isSent, long now) {
    return with(next -> {
      next.effect = effect.forAttempt(number);
      if (isSent) {
        next.sent = true;
        next.sentMillis = now;
        next.pause = null;
      }
    });
  }

  /// Returns the same plan in another state of its approval.
  public EffectIntent withHeld(Held state, long due) {
    return with(next -> {
      next.held = state;
      next.dueMillis = due;
    });
  }

  /// Returns the same plan as it waits for a permit.
  public EffectIntent waiting(long since) {
    return paused(new Pause.Permit(since));
  }

  /// Returns the plan of a task that has become an incident: nothing is in progress, and an
  /// operator decides about what may have been sent.
  public EffectIntent parked(Pause.Incident incident) {
    return with(next -> {
      next.sent = false;
      next.unknown = false;
      next.held = held == Held.APPROVED ? Held.APPROVED : Held.NOT;
      next.dueMillis = NEVER;
      next.pause = incident;
    });
  }

  /// Returns the same plan as nothing keeps it waiting.
  public EffectIntent continued() {
    return pause == null ? this : paused(null);
  }

  private EffectIntent paused(@Nullable Pause changed) {
    return with(next -> next.pause = changed);
  }

  /// Returns the incident that the task is; empty if it is none.
  public Optional<Pause.Incident> incident() {
    return pause instanceof Pause.Incident incident ? Optional.of(incident) : Optional.empty();
  }

  /// Returns the same plan as a step of a script.
  public EffectIntent asStep() {
    return with(next -> next.step = true);
  }

  /// Returns whether the effect waits for a decision or a time before it is sent.
  public boolean isHeld() {
    return held == Held.FOR_DECISION || held == Held.FOR_TIME;
  }

  /// Returns the same plan after an attempt without a result.
  public EffectIntent withUnknown() {
    return with(next -> next.unknown = true);
  }

  /// Returns the same plan with large values stored by themselves, or not.
  public EffectIntent sharing(boolean shares) {
    boolean isOther = shares ? !isShared && SharedContexts.hasLarge(with) : isShared;
    return isOther ? with(next -> next.isShared = shares) : this;
  }

  /// Returns the values of the payload that must be stored as long as the intent.
  public List<SharedValue> values() {
    if (!isShared) {
      return List.of();
    }
    SharedContexts contexts = new SharedContexts();
    contexts.write(new Encoder(), with);
    return contexts.used();
  }

  /// Returns the call of the attempt, with markers in the place of secrets.
  ///
  /// @param context the context that the task started with
  public EffectCall call(String caseId, Context context) {
    return new EffectCall(caseId, effect, delivery, with, context);
  }

  /// Returns what a receipt records about the effect before there is a result.
  public Receipt.Body receipt() {
    return receipt(new Receipt.Result.Cancelled(), 0);
  }

  /// Returns what a receipt records about the effect and its result.
  public Receipt.Body receipt(Receipt.Result result, long now) {
    long duration =
        sent && sentMillis > 0 && now >= sentMillis ? now - sentMillis : Receipt.Body.UNKNOWN;
    return new Receipt.Body(effect, now, result, Receipt.hash(type(), with), duration);
  }

  /// Returns the stored form of the intent.
  public byte[] encode() {
    Encoder out = new Encoder();
    write(out);
    return out.toBytes();
  }

  /// Appends the stored form of the intent.
  public void write(Encoder out) {
    out.fixed(effect.id().lineage());
    out.natural(token);
    out.text(effect.task());
    out.natural(effect.attempt());
    out.text(effect.type());
    out.text(effect.key());
    out.octet(delivery.number() | (step ? STEP : 0) | (isShared ? SHARED : 0));
    boolean isLimited = dueMillis != NEVER;
    out.octet(
        (userKey ? USER_KEY : 0)
            | (sent ? SENT : 0)
            | (unknown ? UNKNOWN : 0)
            | (isLimited ? DUE : 0)
            | (sentMillis > 0 ? SENT_AT : 0)
            | (pause != null ? PAUSED : 0)
            | held.number() << HELD_SHIFT);
    if (isLimited) {
      out.whole(dueMillis);
    }
    if (sentMillis > 0) {
      out.whole(sentMillis);
    }
    if (isShared) {
      new SharedContexts().write(out, with);
    } else {
      out.context(with);
    }
    if (pause != null) {
      Pause.write(out, pause);
    }
  }

  /// Reads what [#encode] returned. Throws `DamagedBytes` if other bytes follow, or if a value is
  /// missing or corrupt.
  ///
  /// @param values the values of its case
  public static EffectIntent decode(byte[] bytes, SharedValue.Source values) {
    Decoder in = new Decoder(bytes);
    EffectIntent intent = read(in, values);
    in.requireEnd();
    return intent;
  }

  /// Reads what [#write] appended and leaves the bytes after it.
  public static EffectIntent read(Decoder in, SharedValue.Source values) {
    EffectId id = new EffectId(in.fixed());
    int token = in.below(Integer.MAX_VALUE);
    String task = in.text();
    int attempt = in.below(Integer.MAX_VALUE);
    String type = in.text();
    String key = in.text();
    int kind = in.below(SHARED << 1);
    int number = kind & ~(STEP | SHARED);
    if (number >= Delivery.byNumber().size()) {
      throw in.damaged("the delivery of an intent");
    }
    Delivery delivery = Delivery.byNumber().get(number);
    int flags = in.octet();
    long due = (flags & DUE) != 0 ? in.whole() : NEVER;
    long sentAt = (flags & SENT_AT) != 0 ? in.whole() : 0;
    Held held = Held.byNumber().get(flags >> HELD_SHIFT & HELD_MASK);
    boolean isShared = (kind & SHARED) != 0;
    Context with = isShared ? new SharedContexts().read(in, values) : in.context();
    Pause pause = (flags & PAUSED) != 0 ? Pause.read(in) : null;
    return new EffectIntent(
        new Effect(id, task, attempt, type, key),
        token,
        (flags & USER_KEY) != 0,
        delivery,
        with,
        (flags & SENT) != 0,
        (flags & UNKNOWN) != 0,
        held,
        due,
        sentAt,
        pause,
        (kind & STEP) != 0,
        isShared);
  }
}
