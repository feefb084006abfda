package dev.damask.intake;

import dev.damask.caller.CaseResult;
import dev.damask.value.Context;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// The results of the cases of a shard that ended last, so that `await` does not read an ended case
/// back from the store. A result is added when its commit is durable. Read by any thread.
///
/// Most results are small. They have more slots, because a thousand callers may wait at once: with
/// fewer slots than callers, the ends of the others replace a result before its caller asks for it.
public final class RecentEnds {
  /// With [#BYTES_MAX] this bounds the memory of a shard's large results to 4 MiB.
  public static final int SLOTS = 256;

  public static final int BYTES_MAX = 16 << 10;

  /// With [#SMALL_MAX] this bounds the memory of a shard's small results to 4 MiB.
  public static final int SMALL_SLOTS = 8_192;

  public static final int SMALL_MAX = 512;

  private record End(String caseId, CaseResult<Context> result) {}

  // Written by the thread that holds the shard's lock, read by any thread. A later case replaces
  // an earlier one with the same slot.
  private final AtomicReferenceArray<@Nullable End> large = new AtomicReferenceArray<>(SLOTS);
  private final AtomicReferenceArray<@Nullable End> small = new AtomicReferenceArray<>(SMALL_SLOTS);

  /// Adds the result of a case. A case that is stuck is left out, because it may still end.
  public void add(String caseId, CaseResult<Context> result) {
    int bytes =
        switch (result) {
          case CaseResult.Completed(var context) -> context.weight();
          case CaseResult.Failed(var failure) -> 2 * failure.detail().length();
          case CaseResult.Cancelled<Context> _ -> 0;
          case CaseResult.Stuck<Context> _ -> Integer.MAX_VALUE;
        };
    remove(caseId);
    if (bytes <= BYTES_MAX) {
      var slots = bytes <= SMALL_MAX ? small : large;
      slots.set(slot(caseId, slots), new End(caseId, result));
    }
  }

  /// Returns the result of a case; null if it is not among the last.
  public @Nullable CaseResult<Context> get(String caseId) {
    End found = find(caseId, small);
    found = found == null ? find(caseId, large) : found;
    return found == null ? null : found.result;
  }

  private static @Nullable End find(String caseId, AtomicReferenceArray<@Nullable End> slots) {
    End found = slots.get(slot(caseId, slots));
    return found != null && found.caseId.equals(caseId) ? found : null;
  }

  /// The case is removed from the store.
  public void remove(String caseId) {
    remove(caseId, small);
    remove(caseId, large);
  }

  private static void remove(String caseId, AtomicReferenceArray<@Nullable End> slots) {
    if (find(caseId, slots) != null) {
      slots.set(slot(caseId, slots), null);
    }
  }

  public void clear() {
    clear(small);
    clear(large);
  }

  private static void clear(AtomicReferenceArray<@Nullable End> slots) {
    for (int i = 0; i < slots.length(); i++) {
      slots.set(i, null);
    }
  }

  private static int slot(String caseId, AtomicReferenceArray<@Nullable End> slots) {
    return (caseId.hashCode() * 0x9E3779B9) >>> 12 & slots.length() - 1;
  }
}
