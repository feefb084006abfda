package dev.damask.store;

/// The store cannot do what it was asked. The sentence says what to do about it.
public sealed class StoreFailure extends RuntimeException permits DamagedCase {
  private static final long serialVersionUID = 1L;

  public StoreFailure(String sentence) {
    super(sentence);
  }

  public StoreFailure(String sentence, Throwable cause) {
    super(sentence, cause);
  }
}
