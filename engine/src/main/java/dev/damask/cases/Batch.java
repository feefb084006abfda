package dev.damask.cases;

import dev.damask.caller.CaseResult;
import dev.damask.intake.AuditedReply;
import dev.damask.intake.ChildRow;
import dev.damask.intake.InboxReply;
import dev.damask.intake.JfrEvents;
import dev.damask.ops.KeptCases;
import dev.damask.store.AppliedMessage;
import dev.damask.store.AuditEntry;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseMovedException;
import dev.damask.store.CommitBatch;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What one round of a shard makes durable, and what it publishes then.
///
/// On a store that nodes share, each case has a part of its own: if the case has moved to another
/// node, the store refuses its part and commits the others.
final class Batch {
  private final @Nullable Map<String, Batch> parts; // by case; null if it has no parts

  /// Why the part is lost, although the store may have it; null unless an earlier part of its case
  /// was refused.
  @Nullable CaseMovedException lost;

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

  /// What became of this part in the store.
  CompletableFuture<Void> stored = CompletableFuture.completedFuture(null);

  /// @param isShared whether each case has a part of its own
  Batch(boolean isShared) {
    this.parts = isShared ? new LinkedHashMap<>() : null;
  }

  /// Returns the part of a case, or this batch if it has no parts.
  Batch of(String caseId) {
    return parts == null ? this : parts.computeIfAbsent(caseId, _ -> new Batch(false));
  }

  /// Returns the part of a case if there is one.
  @Nullable Batch part(String caseId) {
    return parts == null ? null : parts.get(caseId);
  }

  /// Returns the parts, with what belongs to no case as the last one.
  List<Batch> parts() {
    List<Batch> all = new ArrayList<>();
    if (parts != null) {
      all.addAll(parts.values());
    }
    all.add(this);
    return all;
  }

  /// Returns a batch without parts that has everything of these.
  static Batch of(List<Batch> parts) {
    Batch all = new Batch(false);
    for (Batch each : parts) {
      all.commits.addAll(each.commits);
      all.cases.addAll(each.cases);
      all.removals.addAll(each.removals);
      all.rows.addAll(each.rows);
      all.telling.append(each.telling);
    }
    return all;
  }

  /// Appends what another batch publishes.
  void tellAlso(Batch later) {
    if (parts != null && later.parts != null) {
      later.parts.forEach((caseId, part) -> of(caseId).telling.append(part.telling));
    }
    telling.append(later.telling);
  }

  boolean isRemoving(String caseId) {
    Batch part = part(caseId);
    return (part == null ? this : part).removals.contains(caseId);
  }

  /// Removes a case with everything that belongs to it.
  void remove(Store store, String caseId) {
    removals.add(caseId);
    rows.addAll(KeptCases.rowsRemovedWith(store, caseId));
    rows.addAll(CasePauses.removedWith(store, caseId));
    rows.addAll(ChildRow.removedWith(store, caseId));
  }

  /// Returns what the store makes durable of this part.
  CommitBatch written() {
    return new CommitBatch(commits, List.of(), removals, List.copyOf(rows), applied, audit);
  }

  /// Adds what a case publishes, and the rows that it changes.
  void tell(LiveCase each) {
    Batch part = of(each.id);
    part.rows.addAll(each.takeRows());
    part.telling.append(each.telling, each.revision());
  }

  /// @param result of a case that has ended; null for any other
  void add(LiveCase each, CaseCommit commit, @Nullable CaseResult<Context> result) {
    Batch part = of(each.id);
    part.commits.add(commit);
    part.cases.add(each);
    part.rows.addAll(each.takeRows());
    if (result != null) {
      each.telling.ends.add(new AfterCommit.End(each.id, result));
    }
  }

  /// Whether there is nothing to make durable.
  boolean isEmpty() {
    return parts().stream().noneMatch(Batch::hasOwn);
  }

  /// Whether there is something to make durable that belongs to no other part.
  boolean hasOwn() {
    return !(commits.isEmpty()
        && removals.isEmpty()
        && applied.isEmpty()
        && rows.isEmpty()
        && audit.isEmpty());
  }

  /// Notes which messages of the inbox it applies and who asked for what it does.
  void note(long now) {
    parts().forEach(each -> each.noteOwn(now));
  }

  private void noteOwn(long now) {
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
    parts().forEach(each -> each.refuseOwn(why));
  }

  /// Tells those who wait for this part, and for no other one, that there is no answer.
  void refuseOwn(RuntimeException why) {
    telling.refuse(why);
    awaited.forEach(ack -> ack.future().completeExceptionally(why));
  }
}
