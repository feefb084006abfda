package dev.damask.cases;

import dev.damask.caller.CaseResult;
import dev.damask.intake.AuditedReply;
import dev.damask.intake.InboxReply;
import dev.damask.intake.JfrEvents;
import dev.damask.store.AppliedMessage;
import dev.damask.store.AuditEntry;
import dev.damask.store.CaseCommit;
import dev.damask.store.RowChange;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What one round of a shard makes durable, and what it publishes then.
final class Batch {
  final List<CaseCommit> commits = new ArrayList<>();
  final List<LiveCase> cases = new ArrayList<>();
  final List<String> removals = new ArrayList<>();
  final RowChange.Queue rows = new RowChange.Queue();
  final AfterCommit telling = new AfterCommit();

  /// The messages of the inbox that it applies.
  List<AppliedMessage> applied = List.of();

  /// The entries of the audit log about what it applies.
  List<AuditEntry> audit = List.of();

  /// The answers to those who await an end that is in this batch.
  final List<AfterCommit.Ack<CaseResult<Context>>> awaited = new ArrayList<>();

  JfrEvents.@Nullable Commit flight; // from when it is handed to the store
  long submittedNanos;
  CompletableFuture<Void> durable = CompletableFuture.completedFuture(null);

  /// @param result of a case that has ended; null for any other
  void add(LiveCase each, CaseCommit commit, @Nullable CaseResult<Context> result) {
    commits.add(commit);
    cases.add(each);
    rows.addAll(each.takeRows());
    if (result != null) {
      each.telling.ends.add(new AfterCommit.End(each.id, result));
    }
  }

  /// Whether there is nothing to make durable.
  boolean isEmpty() {
    return commits.isEmpty()
        && removals.isEmpty()
        && applied.isEmpty()
        && rows.isEmpty()
        && audit.isEmpty();
  }

  /// Notes which messages of the inbox it applies and who asked for what it does.
  void note(long now) {
    applied = ClusterNode.applied(telling.acks);
    for (AfterCommit.Ack<?> ack : telling.acks) {
      if (ack.future() instanceof AuditedReply<?> || ack.future() instanceof InboxReply) {
        AuditEntry entry = AuditedReply.entry(ack.future(), ack.value().apply(ack.revision()), now);
        if (entry != null) {
          audit = audit.isEmpty() ? new ArrayList<>() : audit;
          audit.add(entry);
        }
      }
    }
  }

  void refuse(RuntimeException why) {
    telling.refuse(why);
    awaited.forEach(ack -> ack.future().completeExceptionally(why));
  }
}
