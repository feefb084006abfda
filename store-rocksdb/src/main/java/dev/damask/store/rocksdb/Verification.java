package dev.damask.store.rocksdb;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.store.CaseRecord;
import dev.damask.store.PastStates;
import dev.damask.store.StoreException;
import dev.damask.value.Decoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;

/// Checks every case of a store: records decode, receipt chains are intact, and the indexes have
/// exactly one entry per case.
final class Verification {
  /// Iterates over the keys with a prefix.
  @FunctionalInterface
  interface Scan {
    void over(byte[] prefix, byte[] from, BiPredicate<byte[], byte[]> action);
  }

  private final StoreSnapshot store;
  private final RocksStore live;
  private final List<String> problems = new ArrayList<>();
  private final Set<String> statusKeys = new HashSet<>();
  private final Set<String> listedKeys = new HashSet<>();
  private final Set<String> dueKeys = new HashSet<>();
  private final Set<String> factKeys = new HashSet<>();
  private final Map<String, StoredCase> withIntents = new HashMap<>();
  private long cases;

  /// @param store the snapshot to check, so that commits meanwhile are not inconsistencies
  Verification(StoreSnapshot store, RocksStore live) {
    this.store = store;
    this.live = live;
  }

  /// @param before the counts from before the snapshot
  List<String> run(DurableMark.Counts before) {
    collect(Keys.STATUS, statusKeys);
    collect(Keys.LISTED, listedKeys);
    collect(Keys.DUE, dueKeys);
    collect(Keys.FACT, factKeys);
    byte[] prefix = {Keys.CASE};
    store.scan(
        prefix,
        prefix,
        (key, value) -> {
          look(new String(key, 1, key.length - 1, java.nio.charset.StandardCharsets.UTF_8), value);
          cases++;
          return true;
        });
    // A store that was written to meanwhile has another number; the next verification checks it.
    if (cases != before.cases() && before.equals(live.counts())) {
      problems.add("the store has %d cases, expected %d".formatted(cases, before.cases()));
    }
    statusKeys.forEach(key -> problems.add("status index: key without a case: " + key));
    listedKeys.forEach(key -> problems.add("workflow index: key without a case: " + key));
    dueKeys.forEach(key -> problems.add("timer index: key without a case: " + key));
    factKeys.forEach(key -> problems.add("attribute index: key without a case: " + key));
    intents();
    problems.addAll(new RocksTable(store::scan, store::get).verify());
    return problems;
  }

  private void collect(byte kind, Set<String> keys) {
    byte[] prefix = {kind};
    store.scan(prefix, prefix, (key, _) -> keys.add(Arrays.toString(key)));
  }

  private void look(String caseId, byte[] value) {
    try {
      StoredCase stored = StateChain.decode(store::get, caseId, value);
      if (stored.isFar() || stored.isMarked()) {
        withIntents.put(caseId, stored);
      }
      CaseRecord record = stored.record();
      PastStates.verify(StateChain.source(store), record);
      if (!statusKeys.remove(Arrays.toString(Keys.status(record)))) {
        problems.add("case " + caseId + " is missing in the status index");
      }
      if (!listedKeys.remove(Arrays.toString(Keys.listed(record)))) {
        problems.add("case " + caseId + " is missing in the workflow index");
      }
      if (record.dueMillis() != CaseRecord.NEVER
          && !dueKeys.remove(Arrays.toString(Keys.due(record.dueMillis(), caseId)))) {
        problems.add("case " + caseId + " is missing in the timer index");
      }
      for (byte[] key : FactKeys.of(record)) {
        if (!factKeys.remove(Arrays.toString(key))) {
          problems.add("case " + caseId + " is missing in the attribute index");
        }
      }
      List<Receipt> receipts = StateChain.receipts(store, caseId);
      record.receipts().verify(receipts).forEach(each -> problems.add(caseId + ": " + each));
    } catch (Decoder.DamagedBytes | StoreException e) {
      problems.add("case " + caseId + ": " + e.getMessage());
    }
  }

  private void intents() {
    byte[] prefix = {Keys.INTENT};
    store.scan(
        prefix,
        prefix,
        (key, value) -> {
          String caseId = Keys.caseOfIntent(key);
          boolean isMark = Arrays.equals(key, Keys.of(Keys.INTENT, caseId));
          StoredCase stored = withIntents.get(caseId);
          if (stored == null || stored.isFar() == isMark) {
            problems.add("intent without a case: " + caseId);
          } else if (isMark) {
            withIntents.remove(caseId);
          } else {
            try {
              EffectIntent.decode(value, hash -> StateChain.value(store::get, caseId, hash));
            } catch (Decoder.DamagedBytes e) {
              problems.add("case " + caseId + ": corrupt intent: " + e.getMessage());
            }
          }
          return true;
        });
    withIntents.forEach((caseId, stored) -> {
      if (!stored.isFar()) {
        problems.add("case " + caseId + " is missing in the open-effects index");
      }
    });
  }
}
