package dev.damask.store.postgres;

/// The fence refused a transaction: its node was fenced, or the transaction carries an old epoch.
/// Nothing of the transaction has happened or can still happen.
final class FencedException extends Exception {
  private static final long serialVersionUID = 1L;

  FencedException(int node, long epoch) {
    super("node %d has been fenced or has left epoch %d".formatted(node, epoch));
  }
}
