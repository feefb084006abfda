package dev.damask.cluster;

/// A message that is accepted and not yet applied. It will not be lost: the owner of the case
/// applies it later. Sending it again under the same message id is safe.
public final class NotAppliedException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  private final String messageId;

  public NotAppliedException(String caseId, String messageId) {
    super(
        "case %s: message %s is accepted, not yet applied; the owner of the case will apply it"
            .formatted(caseId, messageId));
    this.messageId = messageId;
  }

  /// Returns the id under which the message waits.
  public String messageId() {
    return messageId;
  }
}
