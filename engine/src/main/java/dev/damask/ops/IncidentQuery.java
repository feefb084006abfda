package dev.damask.ops;

import java.util.Optional;

/// Which incidents to list, retry, skip or fail. An empty part matches every incident.
///
/// @param caseId only incidents of this case
/// @param workflow only incidents of cases of this workflow
/// @param task only incidents of tasks of this name
/// @param type only incidents of effects of this type
/// @param reason only incidents with this reason
public record IncidentQuery(
    Optional<String> caseId,
    Optional<String> workflow,
    Optional<String> task,
    Optional<String> type,
    Optional<String> reason) {
  /// Every incident.
  public static final IncidentQuery ALL =
      new IncidentQuery(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  /// Returns this query for one case.
  public IncidentQuery withCase(String value) {
    return new IncidentQuery(Optional.of(value), workflow, task, type, reason);
  }

  /// Returns this query for one workflow.
  public IncidentQuery withWorkflow(String value) {
    return new IncidentQuery(caseId, Optional.of(value), task, type, reason);
  }

  /// Returns this query for tasks of one name.
  public IncidentQuery withTask(String value) {
    return new IncidentQuery(caseId, workflow, Optional.of(value), type, reason);
  }

  /// Returns this query for effects of one type.
  public IncidentQuery withType(String value) {
    return new IncidentQuery(caseId, workflow, task, Optional.of(value), reason);
  }

  /// Returns this query for one reason.
  public IncidentQuery withReason(String value) {
    return new IncidentQuery(caseId, workflow, task, type, Optional.of(value));
  }

  /// Returns whether an incident matches.
  public boolean matches(Incident incident) {
    return is(caseId, incident.caseId())
        && is(workflow, incident.workflow())
        && is(task, incident.task())
        && is(type, incident.type())
        && is(reason, incident.reason());
  }

  private static boolean is(Optional<String> wanted, String found) {
    return wanted.isEmpty() || wanted.get().equals(found);
  }
}
