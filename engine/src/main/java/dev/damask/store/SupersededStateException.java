package dev.damask.store;

/// The state of a record was replaced by a later commit before it was read. The case is intact; its
/// present record can be read.
public final class SupersededStateException extends StoreException {
  private static final long serialVersionUID = 1L;

  /// @param revision the revision whose state is gone
  public SupersededStateException(String caseId, long revision) {
    super(
        "case %s: the state of revision %d was replaced by a later commit; read the case again"
            .formatted(caseId, revision));
  }
}
