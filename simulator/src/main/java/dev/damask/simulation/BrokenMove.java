package dev.damask.simulation;

/// The move of a case breaks right here, for a reason that is not the workflow's.
final class BrokenMove extends Error {
  private static final long serialVersionUID = 1L;

  BrokenMove(String caseId) {
    super("the move of case " + caseId + " broke", null, false, false);
  }
}
