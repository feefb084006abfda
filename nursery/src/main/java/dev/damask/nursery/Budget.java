package dev.damask.nursery;

import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A pool of operations, spawns, effects and memory units that those who share it use up.
///
/// Taking is all or nothing: either every amount is there and all are taken, or none is. A part can
/// be carved out for somebody; what they leave over comes back. Nothing is made or lost on the way
/// (N8): what was granted is what is left here, plus what is left in the parts, plus what was
/// spent.
///
/// Any thread may use any method.
public final class Budget {

  private static final Budget UNLIMITED = new Budget(Amounts.BOUNDLESS, null);

  private final @Nullable Budget pool; // what this one was carved from; null for a pool itself
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

  /// A pool with so much in it.
  public static Budget of(Amounts amounts) {
    return new Budget(amounts, null);
  }

  /// A pool that is never used up.
  public static Budget unlimited() {
    return UNLIMITED;
  }

  /// Takes all of the cost, or nothing and says false.
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

  /// Takes all of the cost; waits for a recharge as long as it is not there.
  public void take(Amounts cost) throws InterruptedException {
    take(cost, () -> {});
  }

  /// As `take`, but asks `check` before each wait whether to go on; it throws if not.
  void take(Amounts cost, Runnable check) throws InterruptedException {
    if (isUnlimited) {
      return;
    }
    lock.lockInterruptibly();
    try {
      while (!takeIfThere(cost)) {
        if (isReturned) {
          throw new IllegalStateException("expected a budget in use, found one that was returned");
        }
        check.run();
        recharged.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Takes a part of this budget to be used apart; empty if that much is not there.
  public Optional<Budget> carve(Amounts part) {
    return tryTake(part) ? Optional.of(part(part, this)) : Optional.empty();
  }

  /// Adds to this budget and wakes those who wait for it. A pool grows; a part takes the amounts
  /// from the pool it was carved from, and says false if they are not there or the part was given
  /// back.
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

  /// Gives what is left back to the pool it was carved from. Only the first call does anything; for
  /// a pool it does nothing.
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

  /// What is left.
  public Amounts left() {
    lock.lock();
    try {
      return left;
    } finally {
      lock.unlock();
    }
  }

  /// Puts back what was taken from here; to the pool, if this part has been given back meanwhile.
  void restore(Amounts amounts) {
    if (!add(amounts) && pool != null) {
      pool.restore(amounts);
    }
  }

  /// A part of a pool from which the amounts have just been taken.
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
