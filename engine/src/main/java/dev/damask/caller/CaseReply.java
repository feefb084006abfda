package dev.damask.caller;

import dev.damask.event.Reply;

/// How a case replied to an input, with the durable revision that contains the reply.
///
/// @param revision the revision of the case that contains what the input changed; the last one if
///   it changed nothing
public record CaseReply(Reply kind, long revision) {
  /// Returns whether the case accepted the input.
  public boolean isAccepted() {
    return kind == Reply.ACCEPTED;
  }
}
