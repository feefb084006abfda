package dev.damask.nursery;

/// A nursery that a child opened, in the row of the child's cleanups.
record OwnedNursery(Nursery nursery, RunningChild<?> owner) implements Cleanup {

  /// Brings its children home; an error that nobody has looked at becomes one of the child.
  @Override
  public void run() {
    if (!owner.hasReturned()) {
      nursery.cancel(CancelReason.parent("its owner " + owner.name() + " did not return"));
    }
    nursery.close();
  }
}
