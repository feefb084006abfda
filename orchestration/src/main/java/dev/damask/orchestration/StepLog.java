package dev.damask.orchestration;

import dev.damask.document.CanonicalJson;
import dev.damask.task.TaskResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What is kept of one evaluation: the record behind the receipts of a session.
///
/// @param origin the rule, as [#origin] writes it
/// @param branch the branch that was taken
/// @param soft why the step is invalid although no rule says so; null when there is no such reason
record StepLog(
    String origin,
    long cost,
    RuleDocument.Branch branch,
    Map<String, @Nullable Object> payload,
    Map<String, @Nullable Object> apiSaves,
    Map<String, @Nullable Object> contractSaves,
    @Nullable Object execution,
    @Nullable String soft)
    implements TaskResult.Log {
  private static final int DAYS = 365;

  static String origin(String rule, String ruleHash) {
    return CanonicalJson.text(Map.of("rule", rule, "ruleHash", ruleHash));
  }

  /// Sorted by hand: it is written at every step.
  @Override
  public void appendTo(StringBuilder out) {
    String before = "{\"";
    if (!apiSaves.isEmpty()) {
      put(out.append(before), "apiSaves", apiSaves);
      before = ",\"";
    }
    if (!contractSaves.isEmpty()) {
      put(out.append(before), "contractSaves", contractSaves);
      before = ",\"";
    }
    out.append(before).append("cost\":").append(cost);
    if (execution != null) {
      put(out.append(",\""), "execution", execution);
    }
    if (!branch.grants().isEmpty()) {
      put(out.append(",\""), "grants", grants(branch));
    }
    put(out.append(",\""), "payload", payload);
    if (soft != null) {
      put(out.append(",\""), "soft", soft);
    }
    out.append('}');
  }

  private static void put(StringBuilder out, String key, Object value) {
    CanonicalJson.append(value, out.append(key).append("\":"));
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
