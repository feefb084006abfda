package dev.damask.store.rocksdb;

import dev.damask.effect.EffectIntent;
import dev.damask.effect.Receipt;
import dev.damask.store.CaseRecord;
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

  private final Scan scan;
  private final RocksStore store;
  private final List<String> problems = new ArrayList<>();
  private final Set<String> statusKeys = new HashSet<>();
  private final Set<String> dueKeys = new HashSet<>();
  private final Map<String, StoredCase> withIntents = new HashMap<>();
  private long cases;

  Verification(Scan scan, RocksStore store) {
    this.scan = scan;
    this.store = store;
  }

  List<String> run() {
    DurableMark.Counts before = store.counts();
    collect(Keys.STATUS, statusKeys);
    collect(Keys.DUE, dueKeys);
    byte[] prefix = {Keys.CASE};
    scan.over(
        prefix,
        prefix,
        (key, value) -> {
          look(new String(key, 1, key.length - 1, java.nio.charset.StandardCharsets.UTF_8), value);
          cases++;
          return true;
        });
    // A store that was written to meanwhile has another number; the next verification checks it.
    if (cases != before.cases() && before.equals(store.counts())) {
      problems.add("the store has %d cases, expected %d".formatted(cases, before.cases()));
    }
    statusKeys.forEach(key -> problems.add("status index: key without a case: " + key));
    dueKeys.forEach(key -> problems.add("timer index: key without a case: " + key));
    intents();
    return problems;
  }

  private void collect(byte kind, Set<String> keys) {
    byte[] prefix = {kind};
    scan.over(prefix, prefix, (key, _) -> keys.add(Arrays.toString(key)));
  }

  private void look(String caseId, byte[] value) {
    try {
      StoredCase stored = StoredCase.decode(caseId, value);
      if (stored.isFar() || stored.isMarked()) {
        withIntents.put(caseId, stored);
      }
      CaseRecord record = stored.record();
      store.record(caseId).orElse(record).state().verify(record.key());
      if (!statusKeys.remove(Arrays.toString(Keys.status(record)))) {
        problems.add("case " + caseId + " is missing in the status index");
      }
      if (record.dueMillis() != CaseRecord.NEVER
          && !dueKeys.remove(Arrays.toString(Keys.due(record.dueMillis(), caseId)))) {
        problems.add("case " + caseId + " is missing in the timer index");
      }
      List<Receipt> receipts = store.receipts(caseId);
      record.receipts().verify(receipts).forEach(each -> problems.add(caseId + ": " + each));
    } catch (Decoder.DamagedBytes | StoreException e) {
      problems.add("case " + caseId + ": " + e.getMessage());
    }
  }

  private void intents() {
    byte[] prefix = {Keys.INTENT};
    scan.over(
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
              EffectIntent.decode(value);
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
