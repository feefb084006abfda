package dev.damask.cases;

import dev.damask.effect.Receipt;
import dev.damask.store.Store;
import dev.damask.task.Context;
import dev.damask.task.EffectId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the receipts of a case say about effects that nobody waits for any more.
final class PastReceipts {
  private final Store store;

  PastReceipts(Store store) {
    this.store = store;
  }

  /// What the receipts know of an effect that no longer waits; null when they know nothing.
  Receipt.@Nullable Body known(LiveCase live, EffectId effect) {
    for (Receipt receipt : live.receipts) {
      if (receipt.body().effect().equals(effect)) {
        return receipt.body();
      }
    }
    for (Receipt receipt : store.receipts(live.id)) {
      if (receipt.body().effect().equals(effect)) {
        return receipt.body();
      }
    }
    return null;
  }

  /// Late when the task was withdrawn, a duplicate when it already had its result.
  Receipt.Result lateness(LiveCase live, EffectId effect, Context result) {
    for (List<Receipt> receipts : List.of(store.receipts(live.id), live.receipts)) {
      for (Receipt receipt : receipts) {
        if (receipt.body().effect().equals(effect)
            && receipt.body().result() instanceof Receipt.Result.Ok) {
          return new Receipt.Result.Duplicate(live.id + "#" + receipt.number(), result);
        }
      }
    }
    return new Receipt.Result.Late(result);
  }
}
