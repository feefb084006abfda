package dev.damask.history;

import dev.damask.store.StoredState;
import dev.damask.value.Sum;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/// What the store was given of a case: the records that it may not have yet, and the values that
/// stay as long as the case. A turn that was undone submitted nothing.
@SuppressWarnings("exports") // the state is for our own modules
public final class Submissions {
  private final ArrayDeque<Trimming.Submitted> records = new ArrayDeque<>(1);
  private Set<Sum> lasting = Collections.emptySet();

  /// Returns the records that the store may not have yet, the oldest first.
  public Collection<Trimming.Submitted> records() {
    return records;
  }

  /// Returns the hashes of values that need not be stored again. Those that were stored before the
  /// case was read are not among them.
  public Set<Sum> lasting() {
    return lasting;
  }

  /// Notes what a commit stores.
  public void add(long revision, NextRevision next) {
    records.addLast(new Trimming.Submitted(revision, next.change()));
    if (!next.journal().values().isEmpty()) {
      lasting = lasting.isEmpty() ? new HashSet<>() : lasting;
      next.journal().values().forEach(value -> lasting.add(value.hash()));
    }
  }

  /// Takes back the last commit, which the store has refused. Values that earlier commits stored
  /// are stored again.
  public void takeBack() {
    records.removeLast();
    lasting = Collections.emptySet();
  }

  /// The store has everything up to a revision.
  public void durable(long revision) {
    while (!records.isEmpty() && records.getFirst().revision() <= revision) {
      records.removeFirst();
    }
  }

  /// Returns the chain of a store with what it may not have yet.
  public StoredState.Chain after(StoredState.Chain stored) {
    StoredState.Chain chain = stored;
    for (Trimming.Submitted each : records) {
      if (each.revision() > chain.last()) {
        chain = chain.plus(each.revision(), each.change());
      }
    }
    return chain;
  }
}
