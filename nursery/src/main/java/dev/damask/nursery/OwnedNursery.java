package dev.damask.nursery;

/// A nursery that a child opened, as one of the child's cleanups.
record OwnedNursery(Nursery nursery, RunningChild<?> owner) implements Cleanup {

  /// Closes the nursery. An error that no caller has read becomes an error of the child.
  @Override
  public void run() {
    if (!owner.hasReturned()) {
      nursery.cancel(CancelReason.parent("owner " + owner.name() + " failed or was cancelled"));
    }
    nursery.seal();
    nursery.close();
  }
}
