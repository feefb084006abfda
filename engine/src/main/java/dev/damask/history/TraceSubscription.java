package dev.damask.history;

/// A listener that receives traces until it is closed.
public interface TraceSubscription extends AutoCloseable {
  @Override
  void close();
}
