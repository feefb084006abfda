package dev.damask.store;

/// A revision of a case that is not kept was asked for.
public final class RevisionGoneException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /// Creates the exception with the revisions that can be read.
  public RevisionGoneException(String caseId, long revision, long oldest, long newest) {
    super(
        "case %s: revision %d is not kept; choose one from %d to %d"
            .formatted(caseId, revision, oldest, newest));
  }
}
