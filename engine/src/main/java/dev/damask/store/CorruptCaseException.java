package dev.damask.store;

/// The stored data of one case cannot be read. Other cases are not affected.
public final class CorruptCaseException extends StoreException {
  private static final long serialVersionUID = 1L;

  private final String caseId;

  public CorruptCaseException(String caseId, String what, Throwable cause) {
    super(
        "case %s is corrupt, %s: verify the store, then restore a backup or salvage what is left"
            .formatted(caseId, what),
        cause);
    this.caseId = caseId;
  }

  /// Returns the id of the corrupt case.
  public String caseId() {
    return caseId;
  }
}
