package dev.damask.ops;

import dev.damask.store.Store;
import dev.damask.task.EffectId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The claims of a store. Claims are stored apart from cases and change no revision. The commit
/// that ends a task removes its claim: it contains the removal of the row [TaskClaim#key].
///
/// Every method may be called from any thread; what it returns is durable.
public interface TaskClaims {
  /// A store that keeps claims in its own table, for example because several engines share it.
  interface Holder {
    /// Returns the claims of the store.
    TaskClaims claims();
  }

  /// Returns the claims of a store.
  static TaskClaims of(Store store) {
    return store instanceof Holder own ? own.claims() : new LocalClaims(store);
  }

  /// Claims the tasks that no living claim holds, and returns the claims that were made. A task is
  /// never claimed twice at a time.
  List<TaskClaim> take(List<TaskClaim> wanted, long now);

  /// Returns the claim of a task, living or not.
  Optional<TaskClaim> find(String caseId, EffectId effect);

  /// Moves the end of a lease. Returns false if the claim has ended.
  boolean extend(TaskClaim claim, long untilMillis, long now);

  /// Removes a claim. Returns false if another one holds the task or none does.
  boolean remove(TaskClaim claim);

  /// Returns claims in the order of their tasks' cases.
  ///
  /// @param after the last claim of the page before; null for the first page
  List<TaskClaim> list(@Nullable TaskClaim after, int limit);

  /// Returns claims whose lease has ended.
  List<TaskClaim> expired(long now, int limit);
}
