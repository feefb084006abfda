package dev.damask.nursery;

import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A pool of operations, spawns, effects and memory units that its users share and spend.
///
/// Taking is atomic: all amounts are taken, or none. A part can be carved out of a pool and used
/// separately; the unspent rest returns to the pool. The total is constant (N8): the granted
/// amounts equal the amounts left here, plus those left in the parts, plus those spent.
///
/// Thread-safe.
public final class Budget {

  private static final Budget UNLIMITED = new Budget(Amounts.BOUNDLESS, null);

  private final @Nullable Budget pool; // the pool it was carved from; null for a pool
  private final boolean isUnlimited;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition recharged = lock.newCondition();

  // both read and written under the lock
  private Amounts left;
  private boolean isReturned;

  private Budget(Amounts left, @Nullable Budget pool) {
    this.left = left;
    this.pool = pool;
    this.isUnlimited = left.equals(Amounts.BOUNDLESS);
  }

  /// Creates a pool with these amounts.
  public static Budget of(Amounts amounts) {
    return new Budget(amounts, null);
  }

  /// Creates a pool with unlimited amounts.
  public static Budget unlimited() {
    return UNLIMITED;
  }

  /// Takes the whole cost and returns true, or takes nothing and returns false.
  public boolean tryTake(Amounts cost) {
    if (isUnlimited) {
      return true;
    }
    lock.lock();
    try {
      return takeIfThere(cost);
    } finally {
      lock.unlock();
    }
  }

  /// Takes the whole cost. Waits for a recharge while the amounts are insufficient.
  public void take(Amounts cost) throws InterruptedException {
    take(cost, () -> {});
  }

  /// Takes the whole cost like `take`. Runs `check` before each wait; an exception from it ends the
  /// wait.
  void take(Amounts cost, Runnable check) throws InterruptedException {
    if (isUnlimited) {
      return;
    }
    lock.lockInterruptibly();
    try {
      while (!takeIfThere(cost)) {
        if (isReturned) {
          throw new IllegalStateException("the budget was returned to its pool; carve a new part");
        }
        check.run();
        recharged.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Carves a part out of this budget. Returns empty if the amounts are insufficient.
  public Optional<Budget> carve(Amounts part) {
    return tryTake(part) ? Optional.of(part(part, this)) : Optional.empty();
  }

  /// Adds to this budget and wakes the threads that wait for it. A pool grows. A part takes the
  /// amounts from the pool it was carved from; returns false if the pool has too little or the part
  /// was returned.
  public boolean recharge(Amounts amounts) {
    if (pool != null && !pool.tryTake(amounts)) {
      return false;
    }
    boolean isAdded = add(amounts);
    if (!isAdded && pool != null) {
      pool.restore(amounts);
    }
    return isAdded;
  }

  /// Returns the unspent amounts to the pool that this part was carved from. Further calls, and
  /// calls on a pool, have no effect.
  public void giveBack() {
    if (pool == null) {
      return;
    }
    Amounts rest;
    lock.lock();
    try {
      isReturned = true;
      rest = left;
      left = Amounts.NONE;
      recharged.signalAll();
    } finally {
      lock.unlock();
    }
    pool.restore(rest);
  }

  /// Returns the amounts that are left.
  public Amounts left() {
    lock.lock();
    try {
      return left;
    } finally {
      lock.unlock();
    }
  }

  /// Restores amounts that were taken from this part, or from the pool if this part was returned
  /// meanwhile.
  void restore(Amounts amounts) {
    Budget target = this;
    while (!target.add(amounts) && target.pool != null) {
      target = target.pool;
    }
  }

  /// Creates a part of a pool from which the amounts have just been taken.
  static Budget part(Amounts amounts, Budget pool) {
    return new Budget(amounts, pool);
  }

  private boolean add(Amounts amounts) {
    if (isUnlimited) {
      return true;
    }
    lock.lock();
    try {
      if (isReturned) {
        return false;
      }
      left = left.plus(amounts);
      recharged.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private boolean takeIfThere(Amounts cost) {
    if (isReturned || !cost.fitsInto(left)) {
      return false;
    }
    left = left.minus(cost);
    return true;
  }
}
