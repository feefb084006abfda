package dev.damask.store;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.task.EffectId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The next revision of one case and everything that belongs to it.
///
/// @param record the case as it is from now on
/// @param state how its state is changed; null if the record has the whole state
/// @param journal the inputs since the last commit
/// @param trace what was traced since the last commit; empty when nothing was
/// @param traceDropped the revision whose part of the trace is removed; 0 for none. In that
///   revision the case was running: stores may keep the part of any other revision with its other
///   data
/// @param changesFacts whether the facts of the record may differ from those of the revision before
@SuppressWarnings("ArrayRecordComponent") // commits are handed over, never compared
public record CaseCommit(
    CaseRecord record,
    @Nullable StateChange state,
    List<Message> consumed,
    List<Receipt> receipts,
    List<EffectIntent> intentsAdded,
    List<EffectId> intentsRemoved,
    List<KeyUse> keys,
    JournalPart journal,
    byte[] trace,
    long traceDropped,
    boolean changesFacts) {
  public CaseCommit {
    consumed = List.copyOf(consumed);
    receipts = List.copyOf(receipts);
    intentsAdded = List.copyOf(intentsAdded);
    intentsRemoved = List.copyOf(intentsRemoved);
    keys = List.copyOf(keys);
  }

  /// A commit with the whole state in its record.
  public CaseCommit(
      CaseRecord record,
      List<Message> consumed,
      List<Receipt> receipts,
      List<EffectIntent> intentsAdded,
      List<EffectId> intentsRemoved,
      List<KeyUse> keys,
      byte[] trace,
      long traceDropped) {
    this(
        record,
        null,
        consumed,
        receipts,
        intentsAdded,
        intentsRemoved,
        keys,
        JournalPart.NONE,
        trace,
        traceDropped,
        true);
  }

  /// How many bytes the state of the case takes in this commit.
  public long stateBytes() {
    return state != null
        ? state.bytes()
        : record.state() instanceof StoredState.Whole(var bytes) ? bytes.length : 0;
  }

  /// A commit that removes nothing from the trace.
  public CaseCommit(
      CaseRecord record,
      List<Message> consumed,
      List<Receipt> receipts,
      List<EffectIntent> intentsAdded,
      List<EffectId> intentsRemoved,
      List<KeyUse> keys,
      byte[] trace) {
    this(record, consumed, receipts, intentsAdded, intentsRemoved, keys, trace, 0);
  }

  /// A message that was taken, and the number of the answer it got.
  public record Message(String id, int answer) {}

  /// A user's idempotency key that was used up by one of the receipts.
  public record KeyUse(String type, String key, long receipt) {}
}
