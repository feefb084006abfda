package dev.damask.ops;

import dev.damask.store.CommitBatch;
import dev.damask.store.RowChange;
import dev.damask.store.Store;
import dev.damask.store.Table;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The claims of a store that one engine writes: rows of its [Table]. One thread at a time decides,
/// and it waits until its decision is durable.
public final class LocalClaims implements TaskClaims {
  private static final int PAGE = 500;

  private final Store store;
  private final ReentrantLock lock = new ReentrantLock();
  private final CorruptRows corrupt = new CorruptRows();

  public LocalClaims(Store store) {
    this.store = store;
  }

  @Override
  public List<TaskClaim> take(List<TaskClaim> wanted, long now) {
    lock.lock();
    try {
      List<TaskClaim> taken = new ArrayList<>();
      List<RowChange> rows = new ArrayList<>();
      for (TaskClaim each : wanted) {
        Optional<TaskClaim> held = find(each.caseId(), each.effect());
        boolean isFree = held.isEmpty() || (!held.get().isLiving(now) && !held.get().isOnce());
        if (isFree) {
          taken.add(each);
          rows.add(new RowChange.Put(each.row()));
        }
      }
      commit(rows);
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void commit(List<RowChange> rows) {
    if (!rows.isEmpty()) {
      try {
        store.commit(CommitBatch.ofRows(rows)).join();
      } catch (CompletionException e) {
        throw e.getCause() instanceof RuntimeException known ? known : e;
      }
    }
  }

  @Override
  public Optional<TaskClaim> find(String caseId, EffectId effect) {
    return store
        .table()
        .find(TaskClaim.KIND, TaskClaim.key(caseId, effect).key(), 1)
        .map(TaskClaim::of);
  }

  private boolean isHeld(TaskClaim claim) {
    return find(claim.caseId(), claim.effect()).filter(e -> e.id().equals(claim.id())).isPresent();
  }

  @Override
  public boolean extend(TaskClaim claim, long untilMillis, long now) {
    lock.lock();
    try {
      TaskClaim held = find(claim.caseId(), claim.effect()).orElse(null);
      boolean isOwn = held != null && held.id().equals(claim.id()) && held.isLiving(now);
      if (held != null && isOwn) {
        commit(List.of(new RowChange.Put(held.until(untilMillis).row())));
      }
      return isOwn;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean remove(TaskClaim claim) {
    lock.lock();
    try {
      boolean isOwn = isHeld(claim);
      if (isOwn) {
        commit(List.of(new RowChange.Remove(TaskClaim.key(claim.caseId(), claim.effect()))));
      }
      return isOwn;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<TaskClaim> list(@Nullable TaskClaim after, int limit) {
    TableRow last = after == null ? null : TaskClaim.key(after.caseId(), after.effect());
    return store.table().rows(TaskClaim.KIND, last, limit).stream().map(TaskClaim::of).toList();
  }

  @Override
  public List<TaskClaim> expired(long now, int limit) {
    List<TaskClaim> found = new ArrayList<>();
    TableRow last = null;
    List<TableRow> page;
    do {
      page = store.table().rows(TaskClaim.KIND, last, PAGE);
      for (TableRow row : page) {
        last = row;
        TaskClaim each = corrupt.read(row, TaskClaim::of);
        if (each != null && !each.isLiving(now) && found.size() < limit) {
          found.add(each);
        }
      }
    } while (page.size() == PAGE && found.size() < limit);
    return found;
  }
}
