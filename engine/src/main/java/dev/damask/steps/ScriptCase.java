package dev.damask.steps;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.effect.WaitingEffect;
import dev.damask.event.EffectRequest;
import dev.damask.event.Input;
import dev.damask.event.Reply;
import dev.damask.event.TokenId;
import dev.damask.family.ChildCase;
import dev.damask.script.ScriptRun;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A case in memory, as its scripts see it. Everything belongs to the thread that holds the lock of
/// the case's shard; what is told, called and started happens after the next commit.
public interface ScriptCase {
  /// Returns the id of the case.
  String id();

  /// Returns whether something of the case is not committed.
  boolean isDirty();

  /// Returns whether the case was quarantined.
  boolean isQuarantined();

  /// Notes that the case must be committed.
  void setDirty();

  /// Returns the scripts that the case waits for, by the effect of their task.
  Map<EffectId, LiveScript> scripts();

  /// Adds a script.
  void put(LiveScript script);

  /// Applies an input to the machine at a time.
  Reply apply(Input input, long now);

  /// Returns the open intent of an effect; null if there is none.
  @Nullable EffectIntent intent(EffectId id);

  /// Returns whether another node makes the call of an effect.
  boolean isElsewhere(EffectId id);

  /// Returns all open intents, the oldest first.
  Collection<EffectIntent> intents();

  /// Adds an intent or replaces it.
  void plan(EffectIntent intent);

  /// Removes an intent.
  void drop(EffectIntent intent);

  /// Notes that the function of a task runs outside.
  void compute(EffectIntent intent);

  /// Appends a receipt.
  void receipt(Receipt.Body body);

  /// Notes that a user's key has the receipt that was appended last.
  void settled(EffectIntent intent);

  /// Counts the cost of an effect that starts.
  void charge(BigDecimal cost);

  /// Returns the time at which the case ends at the latest.
  long deadlineMillis();

  /// Returns why an effect must not start, as a word, a colon and a sentence; null if it may.
  @Nullable String refusal(EffectRequest request, String type, long now);

  /// Returns the intent as it waits for a decision, or unchanged if it needs none.
  EffectIntent held(EffectIntent intent, long now) throws EffectException;

  /// Returns the intent of a call that is made now, with the time limit of its type.
  EffectIntent limited(EffectIntent intent, long now);

  /// Returns what becomes of an effect whose time for a decision is up.
  WaitingEffect.TimeUp timeUp(EffectIntent intent);

  /// Returns whether the program has a place of this name.
  boolean hasPlace(String name);

  /// Returns what lies on an external place, the oldest first.
  List<Context> signals(String place);

  /// Returns whether a token waits for an effect or a function.
  boolean isWaiting(TokenId token);

  /// Calls a handler.
  void call(EffectIntent intent, Context context, EffectHandler handler, long deadlineMillis);

  /// Plans a call that waits for a permit of its type's limit; false if its type has none.
  boolean needsPermit(EffectIntent intent, Context context, long now);

  /// Starts the child case of a step. Throws [EffectException] if it must not be started.
  void startChild(EffectRequest request, EffectIntent step, ChildCase child) throws EffectException;

  /// Cancels the child case of a step; does nothing if the step waits for none.
  void cancelChild(EffectIntent step);

  /// Makes the workflow of a child known.
  void know(ChildCase child);

  /// Withdraws a call.
  void withdraw(EffectId id);

  /// Removes a call that was not made yet.
  void retract(EffectId id);

  /// Starts a run.
  void start(EffectCall call, ScriptRun run);

  /// Makes the task of a script an incident.
  void park(EffectRequest request, String reason, String detail, long now);

  /// Tells a run something.
  void tell(Runnable news);
}
