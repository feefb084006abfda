package dev.damask.orchestration;

import dev.damask.document.CanonicalJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What is kept of one evaluation: the record behind the receipts of a session.
///
/// @param origin the rule, as [#origin] writes it
/// @param soft why the step is invalid although no rule says so; null when there is no such reason
record StepLog(
    String origin,
    Map<String, @Nullable Object> payload,
    Map<String, @Nullable Object> apiSaves,
    Map<String, @Nullable Object> contractSaves,
    @Nullable Object execution,
    @Nullable String soft) {
  private static final int DAYS = 365;
  private static final int TYPICAL_LENGTH = 256;

  /// The part of the line that is the same at every evaluation of a rule.
  static String origin(String rule, String ruleHash) {
    StringBuilder out = new StringBuilder(TYPICAL_LENGTH).append(",\"rule\":");
    CanonicalJson.quote(rule, out);
    CanonicalJson.quote(ruleHash, out.append(",\"ruleHash\":"));
    return out.toString();
  }

  /// Sorted by hand: it is written at every step.
  String json(long cost, RuleDocument document, boolean valid) {
    StringBuilder out = new StringBuilder(TYPICAL_LENGTH).append('{');
    if (!apiSaves.isEmpty()) {
      put(out, "apiSaves", apiSaves);
    }
    if (!contractSaves.isEmpty()) {
      put(out, "contractSaves", contractSaves);
    }
    out.append(out.length() == 1 ? "\"cost\":" : ",\"cost\":").append(cost);
    if (execution != null) {
      put(out, "execution", execution);
    }
    RuleDocument.Branch branch = valid ? document.onValid() : document.onInvalid();
    if (!branch.grants().isEmpty()) {
      put(out, "grants", grants(branch));
    }
    put(out, "payload", payload);
    out.append(origin);
    if (soft != null) {
      put(out, "soft", soft);
    }
    return out.append('}').toString();
  }

  private static void put(StringBuilder out, String key, Object value) {
    out.append(out.length() == 1 ? "\"" : ",\"").append(key).append("\":");
    CanonicalJson.append(value, out);
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
