package dev.damask.database;

import dev.damask.process.VirtualHost;
import dev.damask.process.VirtualProcess;
import org.jspecify.annotations.Nullable;

/// A connection between a client and its backend. Messages take time in both directions and can be
/// lost together with the connection.
final class Wire {
  private static final long NOTICED_NANOS = 3_000_000_000L; // at most

  private final VirtualHost host;
  private final VirtualProcess client;
  private final Network network;
  private final Backend backend;
  private Backend.@Nullable Answer answer;
  private @Nullable SqlError broken;
  private boolean isCut;
  private long requestDelay; // of messages to the server after the client has noticed a break

  Wire(VirtualDatabase database, VirtualProcess client, Network network) {
    this.host = database.host();
    this.client = client;
    this.network = network;
    this.backend = database.connect(this);
  }

  VirtualProcess client() {
    return client;
  }

  boolean isBroken() {
    return broken != null;
  }

  boolean isOver() {
    return backend.isEnded();
  }

  private void travel(Runnable arrival) {
    host.later(network.delay(client), () -> arrive(arrival));
  }

  private void arrive(Runnable arrival) {
    long stalled = network.stalledUntil(client);
    if (stalled > host.nanos()) {
      host.later(stalled - host.nanos(), () -> arrive(arrival));
    } else {
      arrival.run();
    }
  }

  /// Sends a message and waits for the answer. Throws an error if the connection breaks meanwhile.
  Backend.Answer call(Backend.Message message) {
    if (broken != null) {
      throw broken;
    }
    answer = null;
    travel(() -> deliver(message));
    host.awaitUninterruptibly(() -> answer != null || broken != null);
    if (answer == null) {
      throw broken == null ? new SqlError(SqlError.BROKEN, "broken") : broken;
    }
    return answer;
  }

  private void deliver(Backend.Message message) {
    if (isCut) {
      return;
    }
    if (requestDelay > 0) {
      host.later(requestDelay, () -> backend.receive(message));
    } else {
      backend.receive(message);
    }
  }

  /// The backend answers.
  void answer(Backend.Answer given) {
    travel(() -> {
      if (broken == null) {
        answer = given;
      }
    });
  }

  /// The backend has closed the connection.
  void closed(SqlError why) {
    travel(() -> broken = broken == null ? why : broken);
  }

  /// Breaks the connection. The client notices at once, the server later.
  ///
  /// @param losesRequest whether a message that travels to the server is lost; if not, it may
  ///   arrive much later
  void cut(boolean losesRequest) {
    isCut = losesRequest;
    broken = new SqlError(SqlError.BROKEN, "an I/O error occurred while talking to the server");
    if (!losesRequest && host.below(2) == 0) {
      requestDelay = 1 + host.below((int) (NOTICED_NANOS / 1_000)) * 1_000L;
    }
    long noticed = 1 + host.below((int) (NOTICED_NANOS / 1_000)) * 1_000L;
    host.later(requestDelay + noticed, backend::clientGone);
  }

  /// The client is gone or has closed the connection.
  void close() {
    broken = broken == null ? new SqlError(SqlError.BROKEN, "closed") : broken;
    travel(backend::clientGone);
  }
}
