package dev.damask.intake;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectResult;
import dev.damask.effect.Receipt;
import dev.damask.event.Failure;
import dev.damask.store.Store;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The receipts of effects that a case no longer waits for.
public final class PastReceipts {
  private final Store store;

  public PastReceipts(Store store) {
    this.store = store;
  }

  /// What the receipts know of an effect that no longer waits; null when they know nothing.
  public Receipt.@Nullable Body known(String caseId, List<Receipt> recent, EffectId effect) {
    for (Receipt receipt : recent) {
      if (receipt.body().id().equals(effect)) {
        return receipt.body();
      }
    }
    for (Receipt receipt : store.receipts(caseId)) {
      if (receipt.body().id().equals(effect)) {
        return receipt.body();
      }
    }
    return null;
  }

  /// What an effect gets whose key has a receipt: its result, or a failure if the payload was
  /// another one. A receipt that an older version wrote has no hash and fits every payload.
  public static @Nullable EffectResult repeated(Store.KeyedReceipt found, EffectCall call) {
    String origin = found.caseId() + "#" + found.receipt().number();
    Receipt.Body body = found.receipt().body();
    if (!(body.result() instanceof Receipt.Result.Ok(var result))) {
      return null;
    }
    boolean isSame =
        body.spec().length() == 0 || body.spec().equals(Receipt.hash(call.type(), call.with()));
    return isSame
        ? new EffectResult.Same(origin, result)
        : new EffectResult.Failed(
            Failure.KEY_CONFLICT,
            "key '%s' was used with another payload, see receipt %s".formatted(call.key(), origin));
  }

  /// Late if the task was cancelled, a duplicate when it already had its result.
  public Receipt.Result lateness(
      String caseId, List<Receipt> recent, EffectId effect, Context result) {
    for (List<Receipt> receipts : List.of(store.receipts(caseId), recent)) {
      for (Receipt receipt : receipts) {
        if (receipt.body().id().equals(effect)
            && receipt.body().result() instanceof Receipt.Result.Ok) {
          return new Receipt.Result.Duplicate(caseId + "#" + receipt.number(), result);
        }
      }
    }
    return new Receipt.Result.Late(result);
  }
}
