package dev.damask.cases;

import dev.damask.store.CaseCommit;
import dev.damask.store.RowChange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What one round of a shard makes durable, and what it tells the outside then.
final class Batch {
  final List<CaseCommit> commits = new ArrayList<>();
  final List<LiveCase> cases = new ArrayList<>();
  final List<String> removals = new ArrayList<>();
  final List<RowChange> rows = new ArrayList<>();
  final AfterCommit telling = new AfterCommit();
  JfrEvents.@Nullable Commit flight; // from when it is handed to the store
  long submittedNanos;
  CompletableFuture<Void> durable = CompletableFuture.completedFuture(null);
}
