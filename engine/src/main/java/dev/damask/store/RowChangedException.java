package dev.damask.store;

/// A row that was to be replaced is not the one that was read: another node has changed it. Nothing
/// was written; read it again.
public final class RowChangedException extends StoreException {
  private static final long serialVersionUID = 1L;

  public RowChangedException(String message) {
    super(message);
  }
}
