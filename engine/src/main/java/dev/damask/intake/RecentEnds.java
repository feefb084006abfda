package dev.damask.intake;

import dev.damask.caller.CaseResult;
import dev.damask.value.Context;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// The results of the cases of a shard that ended last, so that `await` does not read an ended case
/// back from the store. A result is added when its commit is durable. Read by any thread.
public final class RecentEnds {
  /// With [#BYTES_MAX] this bounds the memory of a shard's results to 4 MiB.
  public static final int SLOTS = 256;

  public static final int BYTES_MAX = 16 << 10;

  private record End(String caseId, CaseResult<Context> result) {}

  // Written by the thread that holds the shard's lock, read by any thread. A later case replaces
  // an earlier one with the same slot.
  private final AtomicReferenceArray<@Nullable End> slots = new AtomicReferenceArray<>(SLOTS);

  /// Adds the result of a case. A case that is stuck is left out, because it may still end.
  public void add(String caseId, CaseResult<Context> result) {
    boolean isKept =
        switch (result) {
          case CaseResult.Completed(var context) -> context.weight() <= BYTES_MAX;
          case CaseResult.Failed(var failure) -> failure.detail().length() <= BYTES_MAX / 2;
          case CaseResult.Cancelled<Context> _ -> true;
          case CaseResult.Stuck<Context> _ -> false;
        };
    slots.set(slot(caseId), isKept ? new End(caseId, result) : null);
  }

  /// Returns the result of a case; null if it is not among the last.
  public @Nullable CaseResult<Context> get(String caseId) {
    End found = slots.get(slot(caseId));
    return found != null && found.caseId.equals(caseId) ? found.result : null;
  }

  /// The case is removed from the store.
  public void remove(String caseId) {
    if (get(caseId) != null) {
      slots.set(slot(caseId), null);
    }
  }

  public void clear() {
    for (int i = 0; i < SLOTS; i++) {
      slots.set(i, null);
    }
  }

  private static int slot(String caseId) {
    int hash = caseId.hashCode() * 0x9E3779B9;
    return hash >>> 24;
  }
}
