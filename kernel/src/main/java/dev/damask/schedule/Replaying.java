package dev.damask.schedule;

import dev.damask.event.Choice;
import dev.damask.event.Scheduler;
import dev.damask.schedule.Seeded.Decision;
import java.util.List;

/// Repeats logged choices, and stops loudly where the run asks for another choice than the log has.
public final class Replaying implements Scheduler {
  private final List<Decision> log;
  private int position;

  public Replaying(List<Decision> log) {
    this.log = List.copyOf(log);
  }

  /// The run and the log part company.
  public static final class Diverged extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Diverged(String message) {
      super(message);
    }
  }

  @Override
  public boolean isInOrder() {
    return false;
  }

  @Override
  public int choose(Choice choice) {
    if (position == log.size()) {
      throw new Diverged(
          "the log is exhausted at choice " + position + ": expected the end, actual " + choice);
    }
    Decision decision = log.get(position);
    if (!decision.choice().equals(choice)) {
      throw new Diverged(
          "the run diverged at choice "
              + position
              + ": expected "
              + decision.choice()
              + ", actual "
              + choice);
    }
    position++;
    return decision.taken();
  }

  /// The part of the log that has been repeated.
  public List<Decision> taken() {
    return log.subList(0, position);
  }

  /// Refuses a run that ended before the log did.
  public void requireEnd() {
    if (position < log.size()) {
      throw new Diverged(
          "the run ended at choice "
              + position
              + ": expected "
              + log.get(position).choice()
              + ", actual the end");
    }
  }
}
