package dev.damask.api;

import dev.damask.caller.CaseOptions;
import dev.damask.document.RunLimits;
import dev.damask.document.WorkflowDocument;

/// The options that the `limits` of a document give its cases.
public final class DocumentTerms {
  private DocumentTerms() {}

  /// Returns the options of a new case of a document.
  public static CaseOptions of(WorkflowDocument document) {
    CaseOptions terms = CaseOptions.DEFAULT;
    RunLimits limits = document.runLimits();
    if (limits.caseTime() != null) {
      terms = terms.withDeadline(limits.caseTime());
    }
    if (limits.quantumSteps() > 0) {
      terms = terms.withQuantum(limits.quantumSteps());
    }
    return terms;
  }
}
