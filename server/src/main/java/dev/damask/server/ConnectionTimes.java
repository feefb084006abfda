package dev.damask.server;

import java.time.Duration;
import java.util.function.LongSupplier;

/// How long a connection has waited for its client. The HTTP server closes a connection that waits
/// for too long: for a whole head of a request, for a whole body, or until the client reads what is
/// written. A client that sends or reads one byte now and then does not begin a new wait.
final class ConnectionTimes {
  /// The connection whose request runs on this thread.
  static final ScopedValue<ConnectionTimes> CURRENT = ScopedValue.newInstance();

  private static final long NOT = Long.MIN_VALUE;

  private final LongSupplier nanos;
  private volatile long since; // written by the thread of the connection, read by the watch

  ConnectionTimes(LongSupplier nanos) {
    this.nanos = nanos;
    this.since = nanos.getAsLong();
  }

  /// Returns the times of the present connection, or unused ones.
  static ConnectionTimes current() {
    return CURRENT.isBound() ? CURRENT.get() : new ConnectionTimes(System::nanoTime);
  }

  /// A wait for the client begins.
  void waits() {
    long now = nanos.getAsLong();
    since = now == NOT ? NOT + 1 : now;
  }

  /// The server works; the client is not waited for.
  void works() {
    since = NOT;
  }

  /// Returns how long the client has been waited for; zero if it is not.
  Duration waited() {
    long begun = since;
    return begun == NOT ? Duration.ZERO : Duration.ofNanos(nanos.getAsLong() - begun);
  }
}
