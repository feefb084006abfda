package dev.damask.store;

/// The owner's reply to a message.
///
/// @param answer the number of the answer
/// @param revision the revision of the case that contains what the message changed
/// @param detail for people; the reason if the message was refused
public record MessageReply(int answer, long revision, String detail) {
  /// The answer to a message whose caller broke a contract, as `IllegalArgumentException`.
  public static final int BAD_ARGUMENT = 100;

  /// The answer to a message that the case cannot take now, as `IllegalStateException`.
  public static final int BAD_STATE = 101;

  /// The answer to a message that requires another revision, as `StaleRevisionException`.
  public static final int STALE = 102;
}
