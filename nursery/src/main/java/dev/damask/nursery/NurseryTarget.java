package dev.damask.nursery;

import org.jspecify.annotations.Nullable;

/// Cancels the state and the children of a nursery together with its token.
record NurseryTarget(Nursery nursery, StateWord word) implements CancelToken.Target {

  @Override
  public @Nullable CancelReason begin(CancelReason why, TreeCancellation work) {
    return switch (word.cancel()) {
      case REFUSED -> null;
      case ENDED -> {
        work.action(nursery::finish);
        yield why;
      }
      case MOVED -> {
        work.grace(nursery::watchGrace);
        yield why;
      }
    };
  }

  @Override
  public void spread(CancelReason why, TreeCancellation work) {
    for (RunningChild<?> child : nursery.roster().children()) {
      child.mark(why, work);
    }
    FlightEvents.CancelEvent.commit(nursery, why);
  }
}
