package dev.damask.server;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.time.Duration;
import java.util.Set;

/// Connections whose idle time is the time for which their client has been waited for. The HTTP
/// server's own measure is the time since the last request began, which would end long streams and
/// let a client send a head for as long as it likes.
///
/// @param inner creates the connections
/// @param most how long a client may be waited for
record TimedConnections(ServerConnectionSelector inner, Duration most)
    implements ServerConnectionSelector {
  @Override
  public int bytesToIdentifyConnection() {
    return inner.bytesToIdentifyConnection();
  }

  @Override
  public Support supports(BufferData data) {
    return inner.supports(data);
  }

  @Override
  public Set<String> supportedApplicationProtocols() {
    return inner.supportedApplicationProtocols();
  }

  @Override
  public ServerConnection connection(ConnectionContext context) {
    return new Timed(inner.connection(context), new ConnectionTimes(System::nanoTime), most);
  }

  private record Timed(ServerConnection inner, ConnectionTimes times, Duration most)
      implements ServerConnection {
    @Override
    public void handle(Limit limit) throws InterruptedException {
      ScopedValue.where(ConnectionTimes.CURRENT, times)
          .<Void, InterruptedException>call(() -> {
            inner.handle(limit);
            return null;
          });
    }

    @Override
    public Duration idleTime() {
      return times.waited();
    }

    /// Without an interruption the server waits for a head that has begun, for ever.
    @Override
    public void close(boolean interrupt) {
      inner.close(interrupt || times.waited().compareTo(most) > 0);
    }
  }
}
