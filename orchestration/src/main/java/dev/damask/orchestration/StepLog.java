package dev.damask.orchestration;

import dev.damask.document.CanonicalJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What is kept of one evaluation: the record behind the receipts of a session.
///
/// @param soft why the step is invalid although no rule says so; null when there is no such reason
record StepLog(
    String rule,
    String ruleHash,
    Map<String, @Nullable Object> payload,
    Map<String, @Nullable Object> apiSaves,
    Map<String, @Nullable Object> contractSaves,
    @Nullable Object execution,
    @Nullable String soft) {
  private static final int DAYS = 365;

  String json(long cost, RuleDocument document, boolean valid) {
    Map<String, @Nullable Object> all = new TreeMap<>();
    all.put("rule", rule);
    all.put("ruleHash", ruleHash);
    all.put("payload", payload);
    all.put("cost", cost);
    putIfAny(all, "apiSaves", apiSaves);
    putIfAny(all, "contractSaves", contractSaves);
    if (execution != null) {
      all.put("execution", execution);
    }
    if (soft != null) {
      all.put("soft", soft);
    }
    RuleDocument.Branch branch = valid ? document.onValid() : document.onInvalid();
    if (!branch.grants().isEmpty()) {
      all.put("grants", grants(branch));
    }
    return CanonicalJson.text(all);
  }

  private static void putIfAny(
      Map<String, @Nullable Object> all, String key, Map<String, @Nullable Object> entries) {
    if (!entries.isEmpty()) {
      all.put(key, entries);
    }
  }

  /// A grant without a time of its own lasts as long as the log.
  private static List<Object> grants(RuleDocument.Branch branch) {
    Integer days = branch.logExpireDays();
    int fallback = days == null || days == 0 ? DAYS : days;
    List<Object> grants = new ArrayList<>();
    for (RuleDocument.Grant grant : branch.grants()) {
      Map<String, Object> entry = new TreeMap<>();
      entry.put("address", grant.address());
      entry.put("rights", (long) grant.rights());
      entry.put("expireDays", (long) (grant.expireDays() == 0 ? fallback : grant.expireDays()));
      grants.add(entry);
    }
    return grants;
  }
}
