package dev.damask.store;

/// A failure of the store. The message names the problem and the remedy.
public sealed class StoreException extends RuntimeException
    permits CaseMovedException,
        CorruptCaseException,
        RowChangedException,
        StoreException.Held,
        SupersededStateException {
  private static final long serialVersionUID = 1L;

  public StoreException(String sentence) {
    super(sentence);
  }

  public StoreException(String sentence, Throwable cause) {
    super(sentence, cause);
  }

  /// A store cannot be opened because another engine or command has it open.
  public static final class Held extends StoreException {
    private static final long serialVersionUID = 1L;

    private final String holder;

    /// Creates the exception.
    ///
    /// @param holder who holds the store, such as `process 4711`
    public Held(String sentence, String holder) {
      super(sentence);
      this.holder = holder;
    }

    /// Returns who holds the store, such as `process 4711`.
    public String holder() {
      return holder;
    }
  }
}
