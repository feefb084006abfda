package dev.damask.intake;

import dev.damask.effect.Computation;
import dev.damask.effect.EffectIntent;
import dev.damask.task.EffectId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The intents of the effects that a case waits for, and the tokens that wait for them. What a
/// commit needs to know about all of them is counted, so that a commit visits none.
public final class OpenEffects {
  private final Set<EffectId> elsewhere = new HashSet<>(0);

  // Most waiting cases have none, so the tables are created with the first one.
  private Map<EffectId, EffectIntent> byId = Map.of();
  private Map<Integer, EffectId> byToken = Map.of();

  /// How many intents are due at a time; without those that never are.
  private TreeMap<Long, Integer> due = NONE_DUE;

  private int sent;
  private int computations;

  private static final TreeMap<Long, Integer> NONE_DUE = new TreeMap<>(); // never changed

  public @Nullable EffectIntent get(EffectId id) {
    return byId.get(id);
  }

  /// The intent of the effect that a token waits for; null when it waits for none.
  public @Nullable EffectIntent ofToken(int token) {
    EffectId id = byToken.get(token);
    return id == null ? null : byId.get(id);
  }

  public boolean contains(EffectId id) {
    return byId.containsKey(id);
  }

  /// All intents, the oldest first.
  public Collection<EffectIntent> all() {
    return byId.values();
  }

  /// Adds an intent, or replaces the one of the same effect.
  public void put(EffectIntent intent) {
    elsewhere.remove(intent.id());
    if (byId.isEmpty()) {
      byId = new LinkedHashMap<>();
      byToken = new HashMap<>();
    }
    EffectIntent before = byId.put(intent.id(), intent);
    if (before != null) {
      count(before, -1);
    }
    count(intent, 1);
    if (!intent.step()) {
      byToken.put(intent.token(), intent.id());
    }
  }

  /// Removes the intent of an effect and the token that waits for it.
  public void remove(EffectIntent intent) {
    if (byId.isEmpty()) {
      return;
    }
    remove(intent.id());
    byToken.remove(intent.token(), intent.id());
  }

  private void remove(EffectId id) {
    EffectIntent before = byId.isEmpty() ? null : byId.remove(id);
    if (before != null) {
      count(before, -1);
    }
  }

  private void count(EffectIntent intent, int by) {
    sent += intent.sent() ? by : 0;
    computations += isComputation(intent) ? by : 0;
    if (intent.dueMillis() != EffectIntent.NEVER) {
      due = due == NONE_DUE ? new TreeMap<>() : due;
      due.merge(intent.dueMillis(), by, (one, other) -> one + other == 0 ? null : one + other);
    }
  }

  /// Whether an intent is the function of a task that runs outside.
  public static boolean isComputation(EffectIntent intent) {
    return intent.type().equals(Computation.TYPE);
  }

  /// Whether a call may be in progress.
  public boolean anySent() {
    return sent > 0;
  }

  /// Whether the function of a task runs outside.
  public boolean anyComputation() {
    return computations > 0;
  }

  /// When the first intent is due; [EffectIntent#NEVER] when none is.
  public long firstDue() {
    return due.isEmpty() ? EffectIntent.NEVER : due.firstKey();
  }

  /// Takes back changes.
  ///
  /// @param replaced the intent before the change by effect; empty if there was none
  /// @param keepsFunctions whether functions that run outside stay
  public void restore(Map<EffectId, Optional<EffectIntent>> replaced, boolean keepsFunctions) {
    replaced.forEach((id, before) -> {
      remove(id);
      before.ifPresent(this::put);
    });
    if (!keepsFunctions) {
      all().stream().filter(OpenEffects::isComputation).toList().forEach(this::remove);
    }
    if (!byToken.isEmpty()) {
      byToken.clear();
      for (EffectIntent each : byId.values()) {
        if (!each.step()) {
          byToken.put(each.token(), each.id());
        }
      }
    }
  }

  /// The effects whose calls run on other nodes of a cluster. The caller may change the set; an
  /// effect that is planned again leaves it.
  public Set<EffectId> elsewhere() {
    return elsewhere;
  }
}
