package dev.damask.store;

/// A message of the inbox that a commit applies: the same transaction removes it and stores the
/// reply.
///
/// @param isConsumed whether the case remembers the message; false if it was refused
public record AppliedMessage(
    String caseId, String messageId, MessageReply reply, boolean isConsumed) {}
