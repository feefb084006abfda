package dev.damask.store.postgres;

import java.util.Optional;

/// A message to a case, as it waits in table `inbox`.
///
/// @param messageId unique per case; sending the same message again changes nothing
/// @param kind `start`, `signal`, `complete`, `fail`, `cancel`, `migrate`, `retry` or `wake`
/// @param name the workflow, place, task or scope; empty if the kind has none
/// @param body the bytes that the library sent; empty for a message of an SQL function
/// @param payload the JSON that an SQL function sent
@SuppressWarnings("ArrayRecordComponent") // messages are compared by their ids
public record InboxMessage(
    String caseId,
    String messageId,
    String kind,
    String name,
    byte[] body,
    Optional<String> payload) {
  public InboxMessage {
    requireText("case id", caseId);
    requireText("message id", messageId);
    requireText("kind", kind);
    if (name.indexOf(0) >= 0) {
      throw new IllegalArgumentException("message " + messageId + ": name contains U+0000");
    }
  }

  private static void requireText(String what, String value) {
    if (value.isEmpty() || value.indexOf(0) >= 0) {
      throw new IllegalArgumentException(
          what + " must not be empty or contain U+0000, got '" + value.replace("\0", "\\0") + "'");
    }
  }
}
