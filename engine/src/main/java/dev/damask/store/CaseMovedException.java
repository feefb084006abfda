package dev.damask.store;

/// A commit of a case that belongs to another node of the cluster, or whose stored revision is not
/// the one before. Nothing of it was stored.
public final class CaseMovedException extends StoreException {
  private static final long serialVersionUID = 1L;

  public CaseMovedException(String sentence) {
    super(sentence);
  }
}
