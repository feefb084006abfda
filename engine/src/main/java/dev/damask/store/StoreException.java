package dev.damask.store;

/// The store cannot do what it was asked. The sentence says what to do about it.
public sealed class StoreException extends RuntimeException permits CorruptCaseException {
  private static final long serialVersionUID = 1L;

  public StoreException(String sentence) {
    super(sentence);
  }

  public StoreException(String sentence, Throwable cause) {
    super(sentence, cause);
  }
}
