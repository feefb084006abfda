package dev.damask.store;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.value.SharedValue;
import java.util.Arrays;
import java.util.List;

/// Everything that a store has of one case, in the bytes that all stores share.
///
/// @param record the case without its state, unless an old version has written the state into it
/// @param states the bases and deltas of the kept revisions
/// @param values the large values that only states refer to
/// @param lasting the large values that the journal refers to
public record CaseImage(
    CaseRecord record,
    List<EffectIntent> intents,
    List<Receipt> receipts,
    List<CaseCommit.KeyUse> keys,
    List<CaseCommit.Message> consumed,
    List<Store.RevisionRecord> states,
    List<SharedValue> values,
    List<SharedValue> lasting,
    List<Store.RevisionInputs> journal,
    List<Store.RevisionInputs> trace) {
  public CaseImage {
    intents = List.copyOf(intents);
    receipts = List.copyOf(receipts);
    keys = List.copyOf(keys);
    consumed = List.copyOf(consumed);
    states = List.copyOf(states);
    values = List.copyOf(values);
    lasting = List.copyOf(lasting);
    journal = List.copyOf(journal);
    trace = List.copyOf(trace);
  }

  /// Returns whether another image has the same bytes.
  public boolean hasBytesOf(CaseImage other) {
    return Arrays.equals(record.encode(), other.record.encode())
        && intents.equals(other.intents)
        && receipts.equals(other.receipts)
        && keys.equals(other.keys)
        && consumed.equals(other.consumed)
        && hashes(states.stream().map(each -> each.record().bytes()).toList())
            .equals(hashes(other.states.stream().map(each -> each.record().bytes()).toList()))
        && ofValues(values).equals(ofValues(other.values))
        && ofValues(lasting).equals(ofValues(other.lasting))
        && ofParts(journal).equals(ofParts(other.journal))
        && ofParts(trace).equals(ofParts(other.trace));
  }

  private static List<String> hashes(List<byte[]> all) {
    return all.stream().map(Arrays::toString).toList();
  }

  private static List<String> ofValues(List<SharedValue> all) {
    return all.stream().map(each -> each.hash() + Arrays.toString(each.bytes())).sorted().toList();
  }

  private static List<String> ofParts(List<Store.RevisionInputs> all) {
    return all.stream().map(each -> each.revision() + Arrays.toString(each.bytes())).toList();
  }
}
