package dev.damask.store;

/// What the store has of one case cannot be read. The other cases are not concerned.
public final class DamagedCase extends StoreFailure {
  private static final long serialVersionUID = 1L;

  private final String caseId;

  public DamagedCase(String caseId, String what, Throwable cause) {
    super(
        "case %s is damaged, %s: verify the store, then restore a backup or salvage what is left"
            .formatted(caseId, what),
        cause);
    this.caseId = caseId;
  }

  public String caseId() {
    return caseId;
  }
}
