package dev.damask.intake;

import dev.damask.cluster.SharedStore;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Users' idempotency keys across the nodes of a cluster: one call with a type and key runs at a
/// time. The others wait until it has a receipt, has failed, or its node is gone.
public final class KeyClaims {
  private static final long PAUSE_MIN_MILLIS = 20;
  private static final long PAUSE_MAX_MILLIS = 500;

  private record Claim(String type, String key, String caseId, long effect) {
    static Claim of(EffectCall call) {
      return new Claim(call.type(), call.key(), call.caseId(), call.id().lineage());
    }
  }

  private final SharedStore store;
  private final Set<Claim> held = ConcurrentHashMap.newKeySet();

  public KeyClaims(SharedStore store) {
    this.store = store;
  }

  /// Returns the result of an earlier effect with the type and key of a call; null if there is none
  /// and the caller may call now. Waits while another call has the key.
  ///
  /// @param finished looks for the receipt of an earlier effect
  public @Nullable EffectResult await(EffectCall call, Supplier<@Nullable EffectResult> finished) {
    long pause = PAUSE_MIN_MILLIS;
    while (true) {
      EffectResult known = finished.get();
      if (known != null) {
        return known;
      }
      if (store.claim(call.type(), call.key(), call.caseId(), call.id().lineage())) {
        held.add(Claim.of(call));
        return afterClaim(call, finished);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pause));
      if (Thread.currentThread().isInterrupted()) {
        return new EffectResult.Interrupted();
      }
      pause = Math.min(2 * pause, PAUSE_MAX_MILLIS);
    }
  }

  /// The effect before may have got its receipt between the look and the claim.
  private @Nullable EffectResult afterClaim(
      EffectCall call, Supplier<@Nullable EffectResult> finished) {
    EffectResult known = finished.get();
    if (known != null) {
      ended(call, known);
    }
    return known;
  }

  /// A call has ended. Without a receipt that carries its key the next one may try; a receipt
  /// releases the key with its commit.
  public void ended(EffectCall call, EffectResult result) {
    Claim claim = Claim.of(call);
    boolean hasReceipt = result instanceof EffectResult.Ok || result instanceof EffectResult.Joined;
    if (held.remove(claim) && !hasReceipt) {
      store.unclaim(claim.type, claim.key, claim.caseId, claim.effect);
    }
  }
}
