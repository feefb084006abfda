package dev.damask.store;

/// A failure of the store. The message says what is wrong and what to do.
public sealed class StoreException extends RuntimeException
    permits CaseMovedException, CorruptCaseException, SupersededStateException {
  private static final long serialVersionUID = 1L;

  public StoreException(String sentence) {
    super(sentence);
  }

  public StoreException(String sentence, Throwable cause) {
    super(sentence, cause);
  }
}
