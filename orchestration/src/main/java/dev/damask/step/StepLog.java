package dev.damask.step;

import dev.damask.json.JsonWriter;
import dev.damask.rule.RuleDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The stored details of an evaluation besides its payload and cost. Most evaluations have none.
///
/// @param branch the branch that was taken
/// @param soft why the step is invalid although no condition failed; null if there is no reason
/// @param failed the first condition that was false; null if none was
record StepLog(
    RuleDocument.Branch branch,
    Map<String, @Nullable Object> apiSaves,
    Map<String, @Nullable Object> contractSaves,
    @Nullable Object execution,
    @Nullable String soft,
    @Nullable String failed) {
  private static final int DAYS = 365;

  /// The details as a JSON object; empty if there are none.
  String json() {
    if (isEmpty()) {
      return "";
    }
    Map<String, @Nullable Object> entries = new TreeMap<>();
    if (!apiSaves.isEmpty()) {
      entries.put("apiSaves", apiSaves);
    }
    if (!contractSaves.isEmpty()) {
      entries.put("contractSaves", contractSaves);
    }
    if (execution != null) {
      entries.put("execution", execution);
    }
    if (!branch.grants().isEmpty()) {
      entries.put("grants", grants(branch));
    }
    if (soft != null) {
      entries.put("soft", soft);
    }
    if (failed != null) {
      entries.put("failedRule", failed);
    }
    return JsonWriter.canonical(entries);
  }

  private boolean isEmpty() {
    return apiSaves.isEmpty()
        && contractSaves.isEmpty()
        && execution == null
        && branch.grants().isEmpty()
        && soft == null
        && failed == null;
  }

  /// The grants of a branch. A grant without a duration lasts as long as the log.
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
