package dev.damask.schedule;

import dev.damask.event.Choice;
import dev.damask.event.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Chooses randomly from a given seed and logs every choice, so that the run can be replayed.
/// Without a log it only chooses, for as long as one likes.
public final class Seeded implements Scheduler {
  private final SplittableRandom random;
  private final List<Decision> log = new ArrayList<>();
  private final boolean isLogged;

  /// A choice and the option that was taken.
  public record Decision(Choice choice, int taken) {
    public Decision {
      if (taken < 0 || taken >= choice.options().size()) {
        throw new IllegalArgumentException(
            "option " + taken + " of " + choice.options().size() + " does not exist");
      }
    }
  }

  public Seeded(long seed) {
    this(seed, true);
  }

  private Seeded(long seed, boolean isLogged) {
    this.random = new SplittableRandom(seed);
    this.isLogged = isLogged;
  }

  /// Returns a scheduler without a log, for runs that are not replayed.
  public static Seeded withoutLog(long seed) {
    return new Seeded(seed, false);
  }

  @Override
  public boolean isInOrder() {
    return false;
  }

  @Override
  public int choose(Choice choice) {
    int taken = random.nextInt(choice.options().size());
    if (isLogged) {
      log.add(new Decision(choice, taken));
    }
    return taken;
  }

  /// Returns the decisions so far; empty if none are logged.
  public List<Decision> log() {
    return List.copyOf(log);
  }
}
