package dev.damask.schedule;

import dev.damask.event.Choice;
import dev.damask.event.Scheduler;

/// The deterministic scheduler: always the token with the smallest id, always the first branch.
public final class InOrder implements Scheduler {
  public static final InOrder INSTANCE = new InOrder();

  private InOrder() {}

  @Override
  public boolean isInOrder() {
    return true;
  }

  @Override
  public int choose(Choice choice) {
    return 0;
  }
}
