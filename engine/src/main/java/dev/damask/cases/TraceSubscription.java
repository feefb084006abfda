package dev.damask.cases;

/// A listener that receives traces until it is closed.
public interface TraceSubscription extends AutoCloseable {
  @Override
  void close();
}
