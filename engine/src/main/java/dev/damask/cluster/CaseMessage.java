package dev.damask.cluster;

import dev.damask.task.EffectId;
import dev.damask.value.Context;

/// A message to a case of any node of a cluster.
///
/// @param messageId unique per case; sending the same message again changes nothing
/// @param kind what is asked for, such as `signal`
/// @param name the workflow, place, task or scope; empty if the kind has none
/// @param body the content in the form that the engine chose, or as an SQL function received it
/// @param isPlain whether an SQL function sent it
public record CaseMessage(
    String caseId, String messageId, String kind, String name, Context body, boolean isPlain) {
  /// Returns the id of the message that reports the outcome of an attempt.
  public static String reportId(EffectId effect, int attempt) {
    return "report-" + effect + "-" + attempt;
  }
}
