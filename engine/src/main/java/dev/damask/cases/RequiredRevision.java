package dev.damask.cases;

import dev.damask.caller.StaleRevisionException;
import dev.damask.intake.AuditedReply;
import dev.damask.intake.Request;
import dev.damask.store.CaseRecord;
import org.jspecify.annotations.Nullable;

/// Compares the revision that a request requires of its case, in the shard that owns the case and
/// right before the request is applied. A case that has changed since its last commit gets another
/// revision, so it does not have the required one.
final class RequiredRevision {
  private RequiredRevision() {}

  /// Refuses a request that must not be applied to a case. A message that the case has consumed
  /// before changes nothing, so it is not refused.
  static boolean refuses(Shard shard, LiveCase live, Request.Queued request) {
    try {
      require(request, live);
      return false;
    } catch (StaleRevisionException e) {
      boolean isRepeated =
          request instanceof Request.Feed feed
              && feed.messageId() != null
              && shard.runner.consumed(live, feed.messageId()) != null;
      if (!isRepeated) {
        shard.publishing.addCompletion(() -> request.refuse(e));
      }
      return !isRepeated;
    }
  }

  /// Throws [StaleRevisionException] if a request must not be applied to a case in memory.
  static void require(Request request, LiveCase live) {
    long required = AuditedReply.requiredRevision(request.future());
    if (required >= 0 && (live.revision() != required || live.isDirty)) {
      throw problem(live.id, live.revision(), required);
    }
  }

  /// Throws [StaleRevisionException] if a request must not be applied to a stored case.
  ///
  /// @param record null if there is no such case
  static void require(Request request, @Nullable CaseRecord record) {
    long required = AuditedReply.requiredRevision(request.future());
    if (required >= 0 && record != null && record.revision() != required) {
      throw problem(record.caseId(), record.revision(), required);
    }
  }

  private static StaleRevisionException problem(String caseId, long revision, long required) {
    String sentence =
        revision == required
            ? "case %s: it is changing; the request requires revision %d; read the case again"
                .formatted(caseId, required)
            : "case %s: it has revision %d, the request requires %d; read the case again"
                .formatted(caseId, revision, required);
    return new StaleRevisionException(sentence, revision);
  }
}
