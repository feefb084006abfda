package dev.damask.store.postgres;

import dev.damask.sql.NodeConnections;
import dev.damask.sql.ReservedConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/// Waits for hints that the inbox has changed, on its own connection. A hint may be lost; the next
/// poll finds what it announced.
final class InboxHints implements AutoCloseable {
  private final ReservedConnection reserved;
  private final String channel;
  private volatile boolean isListening; // written by the thread that listens

  InboxHints(NodeConnections connections, String channel) {
    this.reserved = new ReservedConnection(connections);
    this.channel = channel;
  }

  /// Listens from now on.
  void listen() throws SQLException {
    try (Statement statement = reserved.get().createStatement()) {
      statement.execute("listen " + channel);
      isListening = true;
    } catch (SQLException e) {
      reserved.discard();
      throw e;
    }
  }

  /// Waits for a hint. Returns false if none came in time.
  boolean await(int millis) throws SQLException {
    if (!isListening) {
      listen();
    }
    try {
      PGNotification[] found =
          reserved.get().unwrap(PGConnection.class).getNotifications(Math.max(1, millis));
      return found != null && found.length > 0;
    } catch (SQLException e) {
      isListening = false;
      reserved.discard();
      throw e;
    }
  }

  @Override
  public void close() {
    if (isListening) {
      unlisten();
    }
    reserved.close();
  }

  private void unlisten() {
    try {
      Connection connection = reserved.get();
      try (Statement statement = connection.createStatement()) {
        statement.execute("unlisten *"); // the pool's next borrower must not get our hints
      }
    } catch (SQLException e) {
      System.getLogger(InboxHints.class.getName())
          .log(System.Logger.Level.DEBUG, "the listening connection is broken", e);
    }
  }
}
