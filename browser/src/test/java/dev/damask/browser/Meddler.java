package dev.damask.browser;

import dev.damask.event.Input;
import dev.damask.history.CaseObserver;
import dev.damask.value.Context;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Breaks a move of one case, or holds the commits of some, so that pages can show it.
final class Meddler implements CaseObserver {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition isChanged = lock.newCondition();
  private volatile String victim = "";
  private String held = "";

  /// The next move of a case fails as an engine bug would.
  void breakNext(String caseId) {
    victim = caseId;
  }

  /// Commits of cases whose id starts with a text wait until another text is given; none without.
  void hold(String prefix) {
    lock.lock();
    try {
      held = prefix;
      isChanged.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void started(String caseId, Context context, long now) {}

  @Override
  public void applied(String caseId, Input input) {}

  @Override
  public void ran(String caseId, int quantum) {
    if (caseId.equals(victim)) {
      victim = "";
      throw new AssertionError("made up");
    }
  }

  @Override
  public void committed(String caseId, long revision) {
    lock.lock();
    try {
      while (!held.isEmpty() && caseId.startsWith(held)) {
        isChanged.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void dropped(String caseId) {}
}
